// Several tables of the same units, through the whole pipeline: imports, charges, certificates, policies that grow.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "analysis/cutoff/cutoff.h"
#include "query/output/output.h"
#include "release/release.h"

namespace kith {
namespace {

namespace fs = std::filesystem;

const std::string kJoin = " FROM persons p JOIN visits v ON p.id = v.person";

/// 100 persons, half of them in A. Person i has i % 4 visits of 10 each; somebody who is not a person has one.
class TablesRelease : public ::testing::Test {
 protected:
  TablesRelease() {
    std::string name = (fs::temp_directory_path() / "kith-tables-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    std::ofstream persons(folder_ / "persons.csv");
    persons << "id,town,age\n";
    for (int k = 0; k < 100; ++k)
      persons << k << ","
              << "AB"[k % 2] << "," << k << "\n";
    std::ofstream visits(folder_ / "visits.csv");
    visits << "person,cost\n999,10\n";
    for (int k = 0; k < 100; ++k)
      for (int n = k % 4; n > 0; --n) visits << k << ",10\n";
    Declare(3);
  }
  ~TablesRelease() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  /// 0: without visits.
  void Declare(int max_rows, const std::string& dependence = "kind = \"independent\"") const {
    const bool more = max_rows > 0;
    std::ofstream(folder_ / "policy.toml") << fmt::format(
        "[data]\ntables.persons = \"persons.csv\"\n{}[unit]\ntable = \"persons\"\nkey = \"id\"\nmax_rows = 1\n"
        "presence = \"public\"\n[columns.persons]\nid = {{ type = \"integer\" }}\ntown = {{ values = [\"A\", \"B\"], "
        "public = true, required = true }}\nage = {{ lower = 0, upper = 100, required = true }}\n{}[dependence]\n"
        "source = \"public\"\n{}\n[budget]\nepsilon = 1000\nledger = \"persons.ledger\"\n",
        more ? fmt::format("tables.visits = {{ source = \"visits.csv\", key = \"person\", max_rows = {} }}\n", max_rows)
             : "",
        more ? "[columns.visits]\nperson = { type = \"integer\" }\ncost = { lower = 0, upper = 50 }\n" : "",
        dependence);
  }
  Curator Opened() const { return Curator::Open(folder_ / "policy.toml", EngineOptions{}).value(); }
  static Result<Answer> Ask(const Curator& curator, const std::string& sql, double epsilon = 50) {
    Price price;
    price.epsilon = epsilon;
    return curator.Release(QuestionRequest{sql}, price);
  }
  static double Number(const Result<Answer>& answer) {
    EXPECT_TRUE(answer) << answer.error().Text();
    if (!answer) return -1;
    const Value& value = answer->rows.at(0).at(0).value;
    const auto* const whole = std::get_if<std::int64_t>(&value);
    return whole ? static_cast<double>(*whole) : std::get<double>(value);
  }
  static std::vector<double> Spent(const Curator& curator) {
    std::vector<double> spent;
    const auto report = curator.Budget();
    EXPECT_TRUE(report) << report.error().Text();
    if (!report) return spent;
    for (const auto& cell : report->cells) spent.push_back(std::round(cell.plain_spent * 1e6) / 1e6);
    return spent;
  }

  fs::path folder_;
};

TEST_F(TablesRelease, EachTableAndTheirJoinAreAnsweredAndCertified_TABLES2) {
  const Curator curator = Opened();
  EXPECT_NEAR(Number(Ask(curator, "SELECT count(*) FROM visits")), 151, 8);
  EXPECT_NEAR(Number(Ask(curator, "SELECT count(DISTINCT person) FROM visits")), 76, 4);
  EXPECT_NEAR(Number(Ask(curator, "SELECT sum(v.cost)" + kJoin)), 1500, 80);
  EXPECT_EQ(Number(Ask(curator, "SELECT count(*) FROM persons")), 100);
  const auto left =
      Ask(curator, "SELECT count(*) FROM persons p LEFT JOIN visits v ON p.id = v.person WHERE p.age > 49");
  EXPECT_NEAR(Number(left), 88, 8);
  ASSERT_TRUE(left);
  const auto& claims = left->certificate.claims;
  EXPECT_NE(std::find(claims.begin(), claims.end(), "TABLES-2"), claims.end());
  EXPECT_EQ(left->certificate.guarantee.neighbours,
            "replace one unit's rows in persons and visits (who is in persons is public); public columns are kept");
}

TEST_F(TablesRelease, AJoinIsChargedToItsCellAndATableAloneToAll_TABLES1) {
  const Curator curator = Opened();
  ASSERT_TRUE(Ask(curator, "SELECT count(*)" + kJoin + " WHERE p.town = 'A'", 0.5));
  EXPECT_EQ(Spent(curator), (std::vector<double>{0.5, 0}));
  ASSERT_TRUE(Ask(curator, "SELECT count(*) FROM visits", 0.25));
  EXPECT_EQ(Spent(curator), (std::vector<double>{0.75, 0.25}));
  EXPECT_FALSE(Ask(curator, "SELECT count(*) FROM persons p JOIN visits v ON p.age = v.person", 1));
  EXPECT_EQ(Spent(curator), (std::vector<double>{0.75, 0.25}));
}

TEST_F(TablesRelease, ATableMayBeAddedAfterAReviewAndNotBeTakenAway_GROWTH2) {
  Declare(0);
  ASSERT_TRUE(Ask(Opened(), "SELECT sum(age) FROM persons", 1));
  Declare(3);
  const auto unseen = Ask(Opened(), "SELECT count(*) FROM visits", 1);
  ASSERT_FALSE(unseen);
  EXPECT_NE(unseen.error().Text().find("table visits is new"), std::string::npos) << unseen.error().Text();
  const std::string reviewed = "kind = \"independent\"\nreviewed = 2";
  Declare(3, reviewed);
  ASSERT_TRUE(Opened().Import({}));  // a file that has not been read in yet
  const auto seen = Ask(Opened(), "SELECT count(*) FROM visits", 1);
  ASSERT_TRUE(seen) << seen.error().Text();
  EXPECT_EQ(Spent(Opened()), (std::vector<double>{2, 2}));
  Declare(5, reviewed);
  const auto other = Ask(Opened(), "SELECT count(*) FROM visits", 1);  // another limit: another question
  EXPECT_EQ(Spent(Opened()), (std::vector<double>{3, 3}));
  EXPECT_EQ(Number(Ask(Opened(), "SELECT count(*) FROM visits", 1)), Number(other));
  EXPECT_EQ(Spent(Opened()), (std::vector<double>{3, 3}));
  Declare(0, reviewed);
  const auto gone = Ask(Opened(), "SELECT sum(age) FROM persons", 1);
  ASSERT_FALSE(gone);
  EXPECT_NE(gone.error().Text().find("table visits is gone"), std::string::npos) << gone.error().Text();
}

TEST_F(TablesRelease, AllTablesOfAnAnswerAreOfOneImport_ENGINE7) {
  const Curator curator = Opened();
  EXPECT_NEAR(Number(Ask(curator, "SELECT count(*) FROM visits")), 151, 8);
  std::ofstream(folder_ / "visits.csv") << "person,cost\n1,50\n";
  EXPECT_NEAR(Number(Ask(curator, "SELECT sum(v.cost)" + kJoin)), 1500, 80);  // still the state of both
  ASSERT_TRUE(curator.Import({}));
  EXPECT_NEAR(Number(Ask(curator, "SELECT sum(v.cost)" + kJoin)), 50, 80);
}

bool SaysWhatIsCutOff(const Result<Answer>& answer, const std::string& table) {
  EXPECT_TRUE(answer) << answer.error().Text();
  return answer && std::any_of(answer->notes.begin(), answer->notes.end(), [&](const Note& note) {
           return note.kind == NoteKind::kLeftOut &&
                  note.text.find(" of " + table + "; at least about") != std::string::npos;
         });
}

// Half of the persons have more than one visit, 75 of which do not count.
TEST_F(TablesRelease, WhatWasBoughtAboutRowsThatDoNotCountIsSaidWithAnswersAboutThem) {
  Declare(1);
  const std::string visits = "SELECT count(*) FROM visits", persons = "SELECT count(*) FROM persons WHERE age > 50";
  const Curator curator = Opened();
  const auto cutoff = Cutoff::Make({"visits", 0}, curator.policy()).value();
  EXPECT_FALSE(SaysWhatIsCutOff(Ask(curator, visits), "visits")) << "nothing is bought by itself";
  EXPECT_EQ(Spent(curator), (std::vector<double>{50, 50}));
  Price price;
  price.epsilon = 100;
  const auto bought = curator.Release(Borrowed(*cutoff), price);
  ASSERT_TRUE(bought) << bought.error().Text();
  EXPECT_EQ(Spent(curator), (std::vector<double>{150, 150})) << "everybody is charged";
  EXPECT_NEAR(NumberIn(bought->rows.at(0).at(2).value).value(), 50, 2);
  EXPECT_NEAR(NumberIn(bought->rows.at(0).at(3).value).value(), 75, 10);
  EXPECT_FALSE(SaysWhatIsCutOff(bought, "visits"));
  EXPECT_TRUE(SaysWhatIsCutOff(Ask(curator, visits), "visits")) << "a stored answer";
  EXPECT_TRUE(SaysWhatIsCutOff(Ask(Opened(), "SELECT sum(cost) FROM visits"), "visits")) << "another process";
  EXPECT_TRUE(SaysWhatIsCutOff(Ask(curator, "SELECT count(*)" + kJoin), "visits"));
  EXPECT_FALSE(SaysWhatIsCutOff(Ask(curator, persons), "visits"));
  const auto before = [&](const std::string& sql) {
    auto explained = curator.Explain(QuestionRequest{sql}, price);
    EXPECT_TRUE(explained) << explained.error().Text();
    Answer of;
    of.notes = explained->plan.notes;
    return SaysWhatIsCutOff(of, "visits");
  };
  EXPECT_TRUE(before("SELECT sum(cost) FROM visits WHERE cost > 7")) << "before anything is paid";
  EXPECT_FALSE(before("SELECT count(*) FROM persons WHERE age > 51"));
  Declare(2);  // then it is about other rows
  EXPECT_FALSE(SaysWhatIsCutOff(Ask(Opened(), visits), "visits"));
  Declare(1);
  EXPECT_TRUE(SaysWhatIsCutOff(Ask(Opened(), visits), "visits"));
  ASSERT_TRUE(Opened().Import({}));
  EXPECT_FALSE(SaysWhatIsCutOff(Ask(Opened(), visits), "visits")) << "other data";
}

TEST_F(TablesRelease, WhatIsNeverLeftOutIsNotForSale) {
  const Policy policy = Opened().policy();
  EXPECT_EQ(Cutoff::Make({"nothing", 0}, policy).error().parameter, "cutoff.table");
  EXPECT_EQ(Cutoff::Make({"visits", 1'000'000}, policy).error().parameter, "cutoff.at_most");
  EXPECT_TRUE(Cutoff::Make({"persons", 0}, policy));
  const auto which = Cutoff::Make({}, policy);
  ASSERT_FALSE(which);
  EXPECT_EQ(which.error().parameter, "cutoff.table");
  EXPECT_NE(which.error().what.find("persons, visits"), std::string::npos) << which.error().Text();
}

TEST(CutoffNote, SaysWhatTheNoisyNumbersSay) {
  const auto said = [](double units, double rows) { return CutoffText({"orders", 10, 100, units, 6, rows, 599}); };
  EXPECT_EQ(said(1139, 31834),
            "rows that do not count: about 1,139 ± 6 units have more than 10 rows of orders; at least about 31,834 ± "
            "599 of their rows are in no answer (at most 100 of each unit are counted here, so the true number can be "
            "larger)");
  EXPECT_EQ(said(-3, -20), "no sign that rows of orders are left out (at most about 3 units)");
  EXPECT_EQ(said(6, 599), "no sign that rows of orders are left out (at most about 12 units)");
  EXPECT_EQ(said(-5, 0), "no sign that rows of orders are left out (at most about 1 unit)");
  EXPECT_EQ(said(-9, 0), "no sign that rows of orders are left out (at most about 0 units)");
  // One of the two is enough.
  EXPECT_NE(said(7, -20).find("about 7 ± 6 units have"), std::string::npos);
  EXPECT_NE(said(7, -20).find("lost in the noise, about -20 ± 599 ("), std::string::npos);
  EXPECT_NE(said(2, 5000).find("at most about 8 units have"), std::string::npos);
  EXPECT_NE(said(2, 5000).find("at least about 5,000 ± 599 of their rows"), std::string::npos);
}

}  // namespace
}  // namespace kith
