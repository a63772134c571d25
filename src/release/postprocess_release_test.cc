// Questions over private answers, through the whole pipeline.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include "base/json.h"
#include "release/answer_json.h"
#include "release/release.h"
#include "release/stored_answer.h"

namespace kith {
namespace {

namespace fs = std::filesystem;

class PostprocessRelease : public ::testing::Test {
 protected:
  PostprocessRelease() {
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
  ~PostprocessRelease() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  /// For prices at which next to no noise is left.
  void AllowMuch() const {
    std::string policy;
    std::getline(std::ifstream(folder_ / "policy.toml"), policy, '\0');
    policy.replace(policy.find("epsilon = 3.0"), 13, "epsilon = 90000.0");
    std::ofstream(folder_ / "policy.toml") << policy;
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

TEST_F(PostprocessRelease, OneQuestionIsPaidOnceWhateverIsComputedOnIt_AFTER1) {
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

// What was asked for the sake of a computation answers others as any question does.
TEST_F(PostprocessRelease, StatisticsOfTheOneQuestionAreKept_FREE1) {
  const Curator curator = Opened();
  Ask(curator,
      "SELECT sum(n) AS n, max(m) AS m FROM (SELECT ill, count(*) AS n, sum(age) AS m FROM people GROUP BY ill) x");
  const double spent = Spent(curator);
  const Answer free = Ask(curator, "SELECT ill, count(*) AS n FROM people GROUP BY ill", 0.2);
  EXPECT_TRUE(free.stored);
  EXPECT_EQ(Spent(curator), spent);
  const auto& claims = free.certificate.claims;
  EXPECT_TRUE(std::find(claims.begin(), claims.end(), "FREE-1") != claims.end());
}

// Numbers before they were cut, keys and sizes of groups are kept for later answers, not for anybody to see.
TEST_F(PostprocessRelease, TheHistoryShowsWhatWasGivenAndNothingElse) {
  const Curator curator = Opened();
  const Answer first = Ask(curator, kIll);
  const auto plan = curator.Release(
      WorkloadRequest{kOld + ";\nSELECT sum(age) AS s FROM people;\nSELECT avg(age) AS m FROM people;"}, Epsilon(0.5));
  ASSERT_TRUE(plan) << plan.error().Text();
  const Answer both = Ask(curator,
                          "SELECT a.n + b.n AS n FROM (SELECT count(*) AS n FROM people WHERE ill = 'no') a, "
                          "(SELECT sum(age) AS n FROM people WHERE ill = 'no') b");
  const auto stored = [&](const Answer& answer) {
    const auto found = StoredAnswerTo(curator, answer.certificate.ledger_entry);
    EXPECT_TRUE(found && *found);
    return **found;
  };
  EXPECT_EQ(stored(first).rows.size(), first.rows.size());
  for (std::size_t k = 0; k < first.rows.size(); ++k)
    EXPECT_EQ(Whole(stored(first).rows[k][1]), Whole(first.rows[k][1]));
  EXPECT_TRUE(stored(*plan).details.empty());
  EXPECT_EQ(stored(*plan).certificate.ledger_entry, plan->certificate.ledger_entry);
  const auto shown = stored(both).details->at("after").at("answers"), given = both.details->at("after").at("answers");
  ASSERT_EQ(shown.size(), 2U);
  for (std::size_t k = 0; k < 2; ++k) EXPECT_EQ(shown[k].at("rows"), given[k].at("rows"));
  for (const Answer* answer : {&first, &*plan, &both}) {
    const std::string text = JsonText(AnswerValue(stored(*answer)));
    for (const char* inside :
         {"\"counts\"", "\"measured\"", "\"own\"", "\"statistics\"", "\"changes\"", "\"key\"", "\"sizes\""})
      EXPECT_EQ(text.find(inside), std::string::npos) << inside;
  }
}

// What is remembered of the history is not all there is: others add to it.
TEST_F(PostprocessRelease, WhatAnotherProcessBoughtIsFree_FREE1) {
  const Curator curator = Opened(), other = Opened();
  const std::string part = "SELECT ill, count(*) AS n FROM people GROUP BY ill";
  Ask(curator, kIll);
  EXPECT_FALSE(curator.Explain(QuestionRequest{part}, Epsilon(0.2))->stored);
  Ask(other, "SELECT ill, count(*) AS n, sum(age) AS m FROM people GROUP BY ill");
  const double spent = Spent(curator);
  EXPECT_TRUE(curator.Explain(QuestionRequest{part}, Epsilon(0.2))->stored);
  EXPECT_TRUE(Ask(curator, part, 0.2).stored);
  EXPECT_EQ(Spent(curator), spent);
}

// A curator who only looks keeps the ledger open as long as nobody writes to it.
TEST_F(PostprocessRelease, LookingAgainShowsWhatOthersWereCharged) {
  const auto settle = [&] {  // as if the last write were a while ago
    const auto ledger = folder_ / "people.ledger";
    fs::last_write_time(ledger, fs::last_write_time(ledger) - std::chrono::seconds(60));
  };
  Ask(Opened(), kIll, 0.25);
  settle();
  const Curator looks = Opened();
  const double first = Spent(looks);
  EXPECT_EQ(Spent(looks), first);
  Ask(Opened(), kOld, 0.25);
  const double second = Spent(looks);
  EXPECT_DOUBLE_EQ(second, 2 * first);
  settle();
  EXPECT_EQ(Spent(looks), second);
  {
    const Curator stays = Opened();  // its log is there while it is open
    Ask(stays, "SELECT ward, count(*) AS n FROM people WHERE age < 20 GROUP BY ward", 0.25);
    EXPECT_DOUBLE_EQ(Spent(looks), 3 * first);
    Ask(stays, "SELECT ward, count(*) AS n FROM people WHERE age < 10 GROUP BY ward", 0.25);
    EXPECT_DOUBLE_EQ(Spent(looks), 4 * first);
  }
  EXPECT_DOUBLE_EQ(Spent(looks), 4 * first);
  EXPECT_FALSE(looks.Explain(QuestionRequest{kIll}, Epsilon(0.5))->stored);
  EXPECT_TRUE(looks.Explain(QuestionRequest{kIll}, Epsilon(0.25))->stored);
}

TEST_F(PostprocessRelease, TwoQuestionsAreOneCharge_AFTER1) {
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

// What is said about several answers is the sum of what each was paid, never only that of the first.
TEST_F(PostprocessRelease, TheCertificateIsThatOfAllAnswers_AFTER1) {
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

TEST_F(PostprocessRelease, AMistakeIsRefusedBeforeTheCharge_AFTER1) {
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

TEST_F(PostprocessRelease, WhatFailsOnTheNumbersKeepsTheColumnsThatWereAsked) {
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
TEST_F(PostprocessRelease, AnErrorBarIsAskedOfThePrivateQuestion) {
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

TEST_F(PostprocessRelease, OneRowForEachUnitIsNoStage_AFTER1) {
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

const std::string kLine =
    "WITH line AS (SELECT 0.6 * median(age) AS v FROM people) SELECT count(*) AS n FROM people, line WHERE age < v";
const std::string kSubSelect = "SELECT count(*) AS poor FROM people WHERE age < (SELECT 0.6 * median(age) FROM people)";

// Nearly no noise: the median of 0 to 59 is about 30, and 0.6 of it about 18.
TEST_F(PostprocessRelease, StagesAreOneChargeAndCountWithTheFirstAnswer_STAGE3) {
  AllowMuch();
  const Curator curator = Opened();
  const auto explained = curator.Explain(QuestionRequest{kLine}, Epsilon(80000));
  ASSERT_TRUE(explained) << explained.error().Text();
  ASSERT_EQ(explained->stages.size(), 2U);
  EXPECT_EQ(explained->stages[1].question.find("kith_"), std::string::npos) << explained->stages[1].question;
  ASSERT_EQ(explained->stages[1].constants.size(), 1U);
  EXPECT_EQ(explained->stages[1].constants[0].name, "line.v");
  EXPECT_NEAR(std::get<double>(explained->stages[1].constants[0].low), 0, 1e-9);
  EXPECT_NEAR(std::get<double>(explained->stages[1].constants[0].high), 60, 1e-9);
  EXPECT_NEAR(*explained->stages[0].plain + *explained->stages[1].plain, explained->units.epsilon(), 1e-6);
  const Answer answer = Ask(curator, kLine, 80000);
  EXPECT_DOUBLE_EQ(Spent(curator), explained->units.epsilon());
  EXPECT_EQ(curator.Budget()->history.size(), 1U);
  ASSERT_EQ(answer.columns, std::vector<std::string>{"n"});
  ASSERT_EQ(answer.rows.size(), 1U);
  EXPECT_NEAR(static_cast<double>(Whole(answer.rows[0][0])), 18, 2);
  EXPECT_TRUE(answer.rows[0][0].error_95);
  const auto& claims = answer.certificate.claims;
  for (const char* claim : {"STAGE-1", "STAGE-2", "STAGE-3", "PLAN-1"})
    EXPECT_TRUE(std::find(claims.begin(), claims.end(), claim) != claims.end()) << claim;
  // The same in another spelling, and under other names, is already there.
  for (const std::string& again : {kLine, kSubSelect}) {
    const Answer stored = Ask(curator, again, 80000);
    EXPECT_TRUE(stored.stored) << again;
    EXPECT_EQ(stored.rows[0][0].value, answer.rows[0][0].value);
  }
  EXPECT_EQ(curator.Budget()->history.size(), 1U);
}

TEST_F(PostprocessRelease, AStageThatIsStoredIsNotPaidAgain_STAGE3) {
  const Curator curator = Opened();
  Ask(curator, "SELECT 0.6 * median(age) AS half FROM people", 0.25);
  const double first = Spent(curator);
  const auto line = Ask(curator, kLine, 0.5);
  EXPECT_FALSE(line.stored);
  EXPECT_NEAR(Spent(curator), 2 * first, 1e-6);
  EXPECT_NEAR(line.certificate.plain_epsilon, first, 1e-6);
  // Another constant is another question.
  Ask(curator, "SELECT count(*) FROM people WHERE age < (SELECT 0.5 * median(age) FROM people)", 0.5);
  EXPECT_NEAR(Spent(curator), 4 * first, 1e-6);
}

// What a name refers to may be said far from where the number is used.
TEST_F(PostprocessRelease, OtherNumbersUnderTheSameNamesAreOtherQuestions_STAGE3) {
  AllowMuch();
  const Curator curator = Opened();
  struct Pair {
    std::string one, other;
    std::int64_t answer, of_other;
  };
  const std::string half = "WITH a AS (SELECT avg(age) AS v FROM people), line AS (SELECT v * ";
  const std::string above = " AS w FROM a) SELECT count(*) AS n FROM people WHERE age > (SELECT w + 1 FROM line)";
  const std::string two = "AS (SELECT avg(age) AS v, count(age) AS c FROM people WHERE ward = 'B')";
  const std::string least = "SELECT count(*) AS n FROM people WHERE age > ";
  // The mean of all ages is 29.5, that of B 29.5 too, and B has 20 people; ages go from 0 to 59.
  const std::vector<Pair> pairs = {
      {half + "0.5" + above, half + "1.5" + above, 44, 14},
      {"WITH a " + two + ", line AS (SELECT v AS w, c AS x FROM a) " + least + "(SELECT w + 0.25 FROM line)",
       "WITH a " + two + ", line AS (SELECT c AS w, v AS x FROM a) " + least + "(SELECT w + 0.25 FROM line)", 30, 39},
      {"WITH a(p, q) " + two + least + "(SELECT p + 0.35 FROM a)",
       "WITH a(q, p) " + two + least + "(SELECT p + 0.35 FROM a)", 30, 39},
      {"WITH a AS (SELECT min(age) AS p, max(age) AS q FROM people WHERE ward = 'A') " + least +
           "(SELECT p + 1.5 FROM a)",
       "WITH a AS (SELECT min(age) AS q, max(age) AS p FROM people WHERE ward = 'A') " + least +
           "(SELECT p + 1.5 FROM a)",
       58, 1},
      // Not computed: one column of an answer, or another.
      {"WITH a(p, q) " + two + "SELECT count(*) AS m FROM people, a WHERE age > p + 0.75",
       "WITH a(q, p) " + two + "SELECT count(*) AS m FROM people, a WHERE age > p + 0.75", 29, 39}};
  for (const Pair& pair : pairs) {
    const Answer one = Ask(curator, pair.one, 4000), other = Ask(curator, pair.other, 4000);
    EXPECT_FALSE(other.stored) << pair.other;
    ASSERT_EQ(one.rows.size() + other.rows.size(), 2U);
    EXPECT_EQ(Whole(one.rows[0][0]), pair.answer) << pair.one;
    EXPECT_EQ(Whole(other.rows[0][0]), pair.of_other) << pair.other;
    EXPECT_TRUE(Ask(curator, pair.one, 4000).stored) << pair.one;
  }
}

// A process that dies between two stages has paid for both.
// In a separate process, which dies when it begins to compute something for the second time.
void DieAtTheSecond(const fs::path& policy, const std::vector<std::string>& asked, double epsilon,
                    std::string_view begin) {
  const pid_t child = ::fork();
  if (child == 0) {
    auto curator = Curator::Open(policy, EngineOptions{});
    int computed = 0;
    Call call;
    call.stages = [&](std::optional<std::string_view> begins) {
      if (begins && begins->starts_with(begin) && ++computed == 2) ::_exit(7);
    };
    Price price;
    price.epsilon = epsilon;
    for (const std::string& sql : asked)
      if (curator) (void)curator->Release(QuestionRequest{sql}, price, {}, call);
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  ASSERT_EQ(WEXITSTATUS(status), 7);
}

TEST_F(PostprocessRelease, ACrashBetweenStagesKeepsTheWholeCharge_STAGE3) {
  const double price = Opened().Explain(QuestionRequest{kLine}, Epsilon(0.5))->units.epsilon();
  DieAtTheSecond(folder_ / "policy.toml", {kLine}, 0.5, "computing stage ");
  const Curator curator = Opened();
  EXPECT_DOUBLE_EQ(Spent(curator), price);
  const Answer again = Ask(curator, kLine);
  EXPECT_FALSE(again.stored);  // no stage was kept
  EXPECT_NEAR(Spent(curator), 2 * price, 1e-9);
}

// The twin: somebody who pays the stages one after the other, the second when its number is known. What is left in the
// ledger, when the process dies before that, is less than the price; the check above would see it.
TEST_F(PostprocessRelease, TheCheckAboveSeesStagesThatArePaidOneAfterTheOther_STAGE3) {
  const double price = Opened().Explain(QuestionRequest{kLine}, Epsilon(0.5))->units.epsilon();
  DieAtTheSecond(folder_ / "policy.toml",
                 {"SELECT 0.6 * median(age) AS v FROM people", "SELECT count(*) AS n FROM people WHERE age < 18"}, 0.25,
                 "opening the data");
  const double spent = Spent(Opened());
  EXPECT_GT(spent, 0);
  EXPECT_LT(spent, 0.75 * price);
}

// What cells are charged by a question in stages, less what they are charged by its stages one by one.
double FarthestFromTheSum(const fs::path& folder, const std::string& whole, const std::vector<std::string>& parts) {
  std::vector<std::vector<double>> spent;
  for (const auto& asked : {std::vector<std::string>{whole}, parts}) {
    std::vector<fs::path> made;  // by those who asked before
    for (const auto& entry : fs::directory_iterator(folder))
      if (entry.path().filename() != "people.csv" && entry.path().filename() != "policy.toml")
        made.push_back(entry.path());
    for (const fs::path& path : made) fs::remove_all(path);
    const auto curator = Curator::Open(folder / "policy.toml", EngineOptions{}).value();
    Price price;
    price.epsilon = 0.6 / static_cast<double>(asked.size());
    for (const std::string& sql : asked) EXPECT_TRUE(curator.Release(QuestionRequest{sql}, price)) << sql;
    auto& cells = spent.emplace_back();
    const auto budget = curator.Budget();
    for (const auto& cell : budget->cells) cells.push_back(cell.plain_spent);
  }
  double most = 0;
  EXPECT_EQ(spent[0].size(), spent[1].size());
  for (std::size_t k = 0; k < spent[0].size(); ++k) most = std::max(most, std::fabs(spent[0][k] - spent[1][k]));
  return most;
}

// Cells that one stage concerns, or the other, or both.
const std::string kOfTwoWards =
    "SELECT count(*) AS n FROM people WHERE ward <> 'A' AND age < (SELECT avg(age) FROM people WHERE ward <> 'B')";
const std::string kOfOne = "SELECT avg(age) AS v FROM people WHERE ward <> 'B'";
const std::string kOfOther = "SELECT count(*) AS n FROM people WHERE ward <> 'A' AND age < 20";

TEST_F(PostprocessRelease, EachCellIsChargedTheSumOfTheStages_STAGE3) {
  EXPECT_LT(FarthestFromTheSum(folder_, kOfTwoWards, {kOfOne, kOfOther}), 1e-6);
}

// The twin: a stage that would be free, and one that would be charged to all.
TEST_F(PostprocessRelease, TheCheckAboveSeesAStageThatIsFreeOrChargedToOthers_STAGE3) {
  EXPECT_GT(FarthestFromTheSum(folder_, kOfOther, {kOfOne, kOfOther}), 0.1);
  EXPECT_GT(FarthestFromTheSum(folder_, kOfTwoWards, {"SELECT avg(age) AS v FROM people", kOfOther}), 0.1);
}

// A budget that holds the first stage and not the second answers neither.
TEST_F(PostprocessRelease, NoStageIsAnsweredThatTheBudgetCannotHoldWithTheOthers_STAGE3) {
  const Curator curator = Opened();
  Ask(curator, kIll, 2.7);
  const double spent = Spent(curator);
  Call call;
  std::string stages;
  call.stages = [&](std::optional<std::string_view> begins) { stages += begins ? std::string(*begins) + "\n" : ""; };
  const auto refused = curator.Release(QuestionRequest{kLine}, Epsilon(0.5), {}, call);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kBudgetExhausted);
  EXPECT_EQ(stages.find("computing"), std::string::npos) << stages;
  EXPECT_EQ(Spent(curator), spent);
  EXPECT_TRUE(curator.Release(QuestionRequest{"SELECT 0.6 * median(age) AS v FROM people"}, Epsilon(0.25)));
}

TEST_F(PostprocessRelease, StagesOfStagesAndOfComputedNumbersWork_STAGE2) {
  const Curator curator = Opened();
  const Answer three =
      Ask(curator,
          "WITH m AS (SELECT median(age) AS m FROM people), low AS (SELECT count(*) AS c FROM people, m "
          "WHERE age < m.m), twice AS (SELECT c * 2 - c AS d FROM low) SELECT ward, count(*) FILTER (WHERE age - d < "
          "0) AS s, "
          "(SELECT d FROM twice) AS d FROM people, twice WHERE age < d GROUP BY ward HAVING count(*) > -999",
          2.9);
  EXPECT_EQ(three.columns, (std::vector<std::string>{"ward", "s", "d"}));
  EXPECT_EQ(three.rows.size(), 3U);
  EXPECT_EQ(curator.Budget()->history.size(), 1U);
}

// It would be NULL in every answer, and nobody would be told.
TEST_F(PostprocessRelease, WhatIsComputedMustBeANumberToStandInAQuestion_STAGE2) {
  const Curator curator = Opened();
  const std::string median = "WITH a AS (SELECT median(age) AS m FROM people), z AS (SELECT ";
  for (const char* computed : {"CASE WHEN m > 3 THEN 'no' ELSE 'yes' END", "m > 3", "NULL"}) {
    const auto refused = curator.Release(
        QuestionRequest{median + computed +
                        " AS t FROM a) SELECT count(*) FILTER (WHERE age > (SELECT t FROM z)) FROM people"},
        Epsilon(0.5));
    ASSERT_FALSE(refused) << computed;
    EXPECT_NE(refused.error().Text().find("only numbers"), std::string::npos) << refused.error().Text();
  }
  EXPECT_EQ(Spent(curator), 0);
  // A number that is not shown as it is, and one next to text.
  for (const char* computed : {"'x' AS s, m / 3", "0.1 * m", "CAST(m AS INTEGER)", "round(m)"})
    EXPECT_TRUE(curator.Explain(
        QuestionRequest{median + computed + " AS t FROM a) SELECT count(*) FROM people WHERE age > (SELECT t FROM z)"},
        Epsilon(0.5)))
        << computed;
}

TEST_F(PostprocessRelease, WhatNoNumberOfAStageMayBeIsRefused_STAGE1) {
  const Curator curator = Opened();
  const std::string line = "WITH line AS (SELECT 0.6 * median(age) AS v FROM people) ";
  for (const std::string& sql :
       {line + "SELECT v, count(*) FROM people, line WHERE age < v GROUP BY v",
        line + "SELECT count(*) FROM people, line GROUP BY width_bucket(age, 0, v, 10)",
        line + "SELECT width_bucket(age, 0, v, 10), count(*) FROM people, line GROUP BY 1",
        line + "SELECT ward, count(*) FROM people, line GROUP BY ward LIMIT v",
        line + "SELECT count(*) FROM people LEFT JOIN line ON age < v",
        line + "SELECT count(*) FROM people, line WHERE age < kith_stage_1.value",
        std::string(
            "WITH line AS (SELECT ward, median(age) AS v FROM people GROUP BY ward) SELECT count(*) FROM people, "
            "line WHERE age < v"),
        std::string("SELECT count(*) FROM people WHERE age < (SELECT max(age) FROM people GROUP BY ward)"),
        std::string("SELECT count(*) FROM people p WHERE age < (SELECT count(*) FROM people q WHERE q.age = p.age)"),
        std::string(
            "WITH a AS (SELECT median(age) AS age FROM people) SELECT count(*) FROM people, a WHERE age < 3")}) {
    const auto explained = curator.Explain(QuestionRequest{sql}, Epsilon(0.5));
    EXPECT_FALSE(explained) << sql;
    const std::string said = explained ? "" : explained.error().Text();
    EXPECT_EQ(said.find('\x1f'), std::string::npos) << said;
  }
  EXPECT_EQ(Spent(curator), 0);
}

}  // namespace
}  // namespace kith
