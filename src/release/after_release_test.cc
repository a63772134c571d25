// Questions over private answers, through the whole pipeline.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "release/release.h"

namespace kith {
namespace {

namespace fs = std::filesystem;

class AfterRelease : public ::testing::Test {
 protected:
  AfterRelease() {
    std::string name = (fs::temp_directory_path() / "kith-after-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    std::ofstream csv(folder_ / "people.csv");
    csv << "id,ward,ill,age\n";
    for (int k = 0; k < 60; ++k)
      csv << k << ","
          << "ABC"[k % 3] << "," << (k % 2 ? "yes" : "no") << "," << k << "\n";
    csv.close();
    std::ofstream(folder_ / "policy.toml")
        << "[data]\ntables.people = \"people.csv\"\n[unit]\ntable = \"people\"\nkey = \"id\"\nmax_rows = 1\npresence = "
           "\"public\"\n[columns.people]\nward = { values = [\"A\", \"B\", \"C\"], public = true, required = true "
           "}\nill "
           "= { values = [\"no\", \"yes\"] }\nage = { lower = 0, upper = 100 }\n[dependence]\nsource = "
           "\"public\"\nkind = \"independent\"\n[budget]\nepsilon = 3.0\nledger = \"people.ledger\"\n";
  }
  ~AfterRelease() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  Curator Opened() const {
    auto curator = Curator::Open(folder_ / "policy.toml", EngineOptions{});
    EXPECT_TRUE(curator) << curator.error().Text();
    return std::move(*curator);
  }
  static Price Epsilon(double epsilon) {
    Price price;
    price.epsilon = epsilon;
    return price;
  }
  static Answer Ask(const Curator& curator, const std::string& sql, double epsilon = 0.5) {
    auto answer = curator.Release(QuestionRequest{sql}, Epsilon(epsilon));
    EXPECT_TRUE(answer) << sql << "\n" << answer.error().Text();
    return answer ? std::move(*answer) : Answer();
  }
  static double Spent(const Curator& curator) {
    const auto report = curator.Budget();
    EXPECT_TRUE(report);
    double most = 0;
    for (const auto& cell : report->cells) most = std::max(most, cell.plain_spent);
    return most;
  }

  fs::path folder_;
};

const std::string kIll = "SELECT ward, count(*) AS n FROM people WHERE ill = 'yes' GROUP BY ward";
const std::string kOld = "SELECT ward, count(*) AS n FROM people WHERE age > 30 GROUP BY ward";

std::int64_t Whole(const AnswerCell& cell) { return std::get<std::int64_t>(cell.value); }

TEST_F(AfterRelease, OneQuestionIsPaidOnceWhateverIsComputedOnIt_AFTER1) {
  const Curator curator = Opened();
  const Answer total = Ask(curator, "SELECT sum(n) AS total FROM (" + kIll + ") x");
  const double spent = Spent(curator);
  EXPECT_GT(spent, 0);
  const Answer plain = Ask(curator, kIll);
  EXPECT_TRUE(plain.stored);
  ASSERT_EQ(plain.rows.size(), 3U);
  EXPECT_EQ(Whole(total.rows.at(0).at(0)), Whole(plain.rows[0][1]) + Whole(plain.rows[1][1]) + Whole(plain.rows[2][1]));
  const Answer ordered = Ask(curator, kIll + " HAVING count(*) > -1000 ORDER BY n DESC");
  EXPECT_TRUE(ordered.stored);
  EXPECT_EQ(ordered.columns, (std::vector<std::string>{"ward", "n"}));
  const Answer again = Ask(curator, "SELECT sum(n) AS total FROM (" + kIll + ") x");
  EXPECT_TRUE(again.stored);
  EXPECT_EQ(again.rows[0][0].value, total.rows[0][0].value);
  EXPECT_EQ(again.rows[0][0].error_95, total.rows[0][0].error_95);
}

TEST_F(AfterRelease, TwoQuestionsAreOneCharge_AFTER1) {
  const Curator curator = Opened();
  const std::string both = "SELECT a.ward, a.n, b.n AS m, a.n - b.n AS d FROM (" + kIll + ") a JOIN (" + kOld +
                           ") b ON a.ward = b.ward ORDER BY 1";
  const auto explained = curator.Explain(QuestionRequest{both}, Epsilon(0.5));
  ASSERT_TRUE(explained) << explained.error().Text();
  const Answer first = Ask(curator, both);
  EXPECT_DOUBLE_EQ(Spent(curator), explained->units.epsilon());
  EXPECT_EQ(curator.Budget()->history.size(), 1U);
  ASSERT_EQ(first.rows.size(), 3U);
  for (const auto& row : first.rows) {
    EXPECT_EQ(Whole(row[3]), Whole(row[1]) - Whole(row[2]));
    EXPECT_GT(row[3].error_95, row[1].error_95);
  }
  const Answer again = Ask(curator, both);
  EXPECT_TRUE(again.stored);
  EXPECT_EQ(again.rows[1][3].value, first.rows[1][3].value);
  EXPECT_EQ(curator.Budget()->history.size(), 1U);
  // What the ledger has of one of them need not be paid for again.
  const double before = Spent(curator);
  const std::string young = "SELECT ward, count(*) AS n FROM people WHERE age < 20 GROUP BY ward";
  Ask(curator, young, 0.25);
  const double one = Spent(curator) - before;
  Ask(curator, "SELECT a.n - b.n AS d FROM (" + young + ") a JOIN (" +
                   "SELECT ward, count(*) AS n FROM people WHERE age < 10 GROUP BY ward) b ON a.ward = b.ward");
  EXPECT_NEAR(Spent(curator) - before, 2 * one, 1e-6);
}

// What is said of several answers is the sum of what each was paid, and never that of the first alone.
TEST_F(AfterRelease, TheCertificateIsThatOfAllAnswers_AFTER1) {
  const Curator curator = Opened();
  const double ill = Ask(curator, kIll, 0.25).certificate.plain_epsilon;
  const std::string both = "SELECT a.ward, a.n, b.n AS m FROM (" + kIll + ") a JOIN (" + kOld + ") b USING (ward)";
  const double before = Spent(curator);
  const Answer half = Ask(curator, both, 0.5);
  EXPECT_FALSE(half.stored);
  EXPECT_GT(Spent(curator), before);
  EXPECT_NEAR(half.certificate.plain_epsilon, Spent(curator) - before, 1e-9);
  EXPECT_EQ(half.certificate.plain_presence, std::nullopt);
  const std::set<std::string> claims(half.certificate.claims.begin(), half.certificate.claims.end());
  EXPECT_EQ(claims.size(), half.certificate.claims.size());
  // Each was asked by itself: nothing is charged, and both were paid.
  const std::string young = "SELECT ward, count(*) AS n FROM people WHERE age < 20 GROUP BY ward";
  const double other = Ask(curator, young, 0.25).certificate.plain_epsilon;
  const Answer stored =
      Ask(curator, "SELECT a.ward, a.n, b.n AS m FROM (" + kIll + ") a JOIN (" + young + ") b USING (ward)", 0.5);
  EXPECT_TRUE(stored.stored);
  EXPECT_NEAR(stored.certificate.plain_epsilon, ill + other, 1e-9);
}

TEST_F(AfterRelease, AMistakeIsRefusedBeforeTheCharge_AFTER1) {
  const Curator curator = Opened();
  for (const std::string& sql :
       {"SELECT m FROM (" + kIll + ") x", "SELECT n FROM (" + kIll + ") x, people",
        "SELECT ward + n AS s FROM (" + kIll + ") x", "SELECT random() FROM (" + kIll + ") x"}) {
    const auto answer = curator.Release(QuestionRequest{sql}, Epsilon(0.5));
    ASSERT_FALSE(answer) << sql;
    EXPECT_EQ(answer.error().code, Code::kUnsupportedQuery) << answer.error().Text();
  }
  EXPECT_EQ(curator.Budget()->history.size(), 0U);
}

TEST_F(AfterRelease, WhatFailsOnTheNumbersKeepsTheColumnsThatWereAsked) {
  const Curator curator = Opened();
  const Answer answer =
      Ask(curator, "SELECT (n - n + 2000000000) * (n - n + 2000000000) * 1000 AS big, ward FROM (" + kIll + ") x");
  EXPECT_EQ(answer.columns, (std::vector<std::string>{"big", "ward"}));
  ASSERT_EQ(answer.rows.size(), 1U);
  for (const AnswerCell& cell : answer.rows[0]) EXPECT_TRUE(std::holds_alternative<Null>(cell.value));
  ASSERT_FALSE(answer.notes.empty());
  EXPECT_EQ(answer.notes[0].text.substr(0, 9), "no result") << answer.notes[0].text;
  EXPECT_TRUE(Ask(curator, kIll).stored);
}

// A bar that is asked for is that of what is printed, or there is none to ask for.
TEST_F(AfterRelease, AnErrorBarIsAskedOfThePrivateQuestion) {
  const Curator curator = Opened();
  Price price;
  price.error_95 = 60;
  for (const std::string& sql :
       {kIll + " HAVING count(*) > 3", "SELECT ward, 100.0 * n / 60 AS p FROM (" + kIll + ") x",
        std::string("SELECT ln(count(*)) AS l FROM people WHERE ill = 'yes'")}) {
    const auto refused = curator.Release(QuestionRequest{sql}, price);
    ASSERT_FALSE(refused) << sql;
    EXPECT_EQ(refused.error().code, Code::kUnsupportedQuery) << refused.error().Text();
    EXPECT_NE(refused.error().Text().find("by itself"), std::string::npos) << refused.error().Text();
  }
  EXPECT_EQ(curator.Budget()->history.size(), 0U);
  const auto plain = curator.Release(QuestionRequest{kIll}, price);
  ASSERT_TRUE(plain) << plain.error().Text();
  EXPECT_LE(plain->rows[0][1].error_95, 60);
  const double one = Spent(curator);
  // Bars that hold for all rows at once cost more, and are what was asked for.
  const auto chosen = curator.Release(QuestionRequest{kOld + " ORDER BY n DESC LIMIT 1"}, price);
  ASSERT_TRUE(chosen) << chosen.error().Text();
  EXPECT_LE(chosen->rows[0][1].error_95, 60);
  EXPECT_GT(chosen->rows[0][1].error_95, 50);
  EXPECT_GT(Spent(curator), 2.2 * one);
}

TEST_F(AfterRelease, OneRowForEachUnitIsNoStage_AFTER1) {
  const Curator curator = Opened();
  const std::string per_unit = "(SELECT id, max(age) AS most FROM people GROUP BY id) p";
  const std::string inner =
      "SELECT CASE WHEN most > 30 THEN 'old' ELSE 'young' END AS part, count(*) AS n FROM " + per_unit + " GROUP BY 1";
  const Answer answer = Ask(curator, inner + " HAVING count(*) > -1000");
  EXPECT_EQ(answer.columns, (std::vector<std::string>{"part", "n"}));
  const Answer share = Ask(curator, "SELECT part, n, 100.0 * n / sum(n) OVER () AS share FROM (" + inner + ") x");
  EXPECT_TRUE(share.stored);
  ASSERT_EQ(share.rows.size(), answer.rows.size());
  EXPECT_EQ(curator.Budget()->history.size(), 1U);
}

}  // namespace
}  // namespace kith
