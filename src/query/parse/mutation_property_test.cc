// Thousands of broken, cut and spliced questions: never a crash, never an error without words, never a plan that does
// not hold together.
#include <gtest/gtest.h>

#include <random>

#include "query/test_checks.h"
#include "query/test_policy.h"
#include "tests/support/stat.h"

namespace kith {
namespace {

const char* const kSeeds[] = {
    "SELECT count(*) FROM people",
    "SELECT zyg, avg(age), count(*) AS n FROM people p WHERE p.ill = 'yes' AND age BETWEEN 20 AND 60 GROUP BY zyg "
    "ORDER BY n DESC LIMIT 3",
    "SELECT ill, sex, sum(score * weight) / count(*), round(avg(pulse), 1) FROM people GROUP BY ill, 2 ORDER BY 1 "
    "OFFSET 1",
    "SELECT sum(CASE WHEN stage = 4 THEN age % 7 ELSE -pulse END), sum(CASE ill WHEN 'yes' THEN 1.5 END) FROM people",
    "SELECT count(DISTINCT id) FILTER (WHERE smoker IS NOT TRUE), count(name) FROM people WHERE name LIKE 'A\\_%' OR "
    "name NOT ILIKE '%b'",
    "SELECT avg(extract(month FROM at)), sum(seen - DATE '2020-02-29'), sum(CAST(score AS bigint)) FROM people WHERE "
    "at > '2020-01-01 10:00:00'",
    "SELECT sum(least(greatest(code, 0), 10)), sum(coalesce(nullif(age, 0), 5)), sum(abs(score - 1e-3)) FROM people "
    "WHERE NOT (ill IN ('no', NULL))",
    "SELECT sum(div(age, stage - 1)), 100.0 * sum(round(weight, -1)) / greatest(count(*), 1) FROM people WHERE pair = "
    "7 IS DISTINCT FROM smoker",
    "SELECT zyg, stddev(age), corr(pulse, score + 1) FILTER (WHERE ill = 'yes') FROM people GROUP BY zyg",
    "SELECT r.name, zyg, sum(r.rain) FROM people p JOIN regions r ON p.name = r.code WHERE rain > 5 GROUP BY r.name, "
    "zyg",
    "SELECT people.name IS NULL, count(*) FROM people LEFT JOIN regions ON zyg = regions.code GROUP BY 1",
    "SELECT zyg, sex, count(*), sum(age) FROM people GROUP BY ROLLUP(zyg, sex)",
    "SELECT zyg, ill, count(*) FROM people GROUP BY GROUPING SETS ((zyg, ill), (zyg), ())",
    "SELECT histogram(age, 10) AS bin, histogram(score, 4), count(*) FROM people GROUP BY 1, histogram(score, 4)",
    "SELECT zyg, median(age), max(score), min(seen), quantile_cont(pulse - 1.5, 0.9) FROM people GROUP BY zyg",
    "SELECT sum(age), - + 1, - CAST(2.5 AS numeric) FROM people",
    "SELECT count(*) AS ill FROM (SELECT count(age) OVER (PARTITION BY id) AS r FROM people) AS p",
    "SELECT zyg, avg(m) FROM (SELECT id, zyg, max(pulse) AS m FROM people WHERE age > 3 GROUP BY id, zyg) AS p GROUP "
    "BY zyg",
    "SELECT count(*) FILTER (WHERE r = 1) FROM (SELECT id, age, row_number() OVER (PARTITION BY id ORDER BY seen) AS r "
    "FROM people WHERE ill = 'yes') AS p WHERE age < 30",
    "SELECT percentile_cont(0.25) WITHIN GROUP (ORDER BY age DESC) FILTER (WHERE smoker) - min(pulse % 7) FROM people",
};

const char* const kPieces[] = {"(",        ")",      ",",       "*",          "-",
                               "/",        "NULL",   "NOT ",    "'",          "''",
                               "age",      "ill",    " AND ",   " OR ",       "CASE WHEN ",
                               " THEN ",   " END",   "0",       "-1",         "9223372036854775807",
                               "1e308",    "1e-320", "''",      "count(*)",   "sum(",
                               "avg(",     " FROM ", " WHERE ", " GROUP BY ", ";",
                               "--",       "/*",     "\\",      "\"",         "::date",
                               " IS NULL", "zyg",    "weight",  "score",      "code",
                               "level",    "%",      "$1"};

// Words that can often replace each other.
const std::vector<std::vector<std::string>> kClasses = {
    {"age", "pulse", "score", "weight", "code", "level", "stage", "0", "1", "7", "1.5", "-3", "NULL", "2147483648",
     "1e-200"},
    {"'yes'", "'no'", "'mz'", "'f'", "''", "NULL", "zyg", "ill", "sex", "name"},
    {"AND", "OR"},
    {"sum", "avg", "count", "median", "min", "max", "abs", "round", "floor", "ceil", "greatest", "stddev", "var_pop",
     "corr", "histogram"},
    {"+", "-", "*", "/", "%", "<", "<=", "=", "<>", ">", ">="},
    {"zyg", "ill", "sex", "stage", "smoker"}};

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : dice_(seed) {}

  std::string Next() {
    std::string text = Pick(kSeeds);
    const bool rough = dice_() % 2 == 0;
    for (std::size_t changes = 1 + dice_() % 4; changes > 0; --changes) rough ? Change(text) : Exchange(text);
    return text;
  }

 private:
  template <std::size_t N>
  std::string Pick(const char* const (&list)[N]) {
    return list[dice_() % N];
  }
  std::size_t Place(const std::string& text) { return text.empty() ? 0 : dice_() % text.size(); }

  // One word for another of its class.
  void Exchange(std::string& text) {
    for (int attempt = 0; attempt < 20; ++attempt) {
      const auto& words = kClasses[dice_() % kClasses.size()];
      const std::string& word = words[dice_() % words.size()];
      const std::size_t at = text.find(word, Place(text));
      if (at == std::string::npos) continue;
      text.replace(at, word.size(), words[dice_() % words.size()]);
      return;
    }
  }

  void Change(std::string& text) {
    switch (dice_() % 6) {
      case 0:
        text.insert(Place(text), Pick(kPieces));
        break;
      case 1:
        text.erase(Place(text), 1 + dice_() % 8);
        break;
      case 2:
        if (!text.empty()) text[Place(text)] = static_cast<char>(dice_() % 256);
        break;
      case 3: {  // the front of one and the back of another
        const std::string other = Pick(kSeeds);
        text = text.substr(0, Place(text)) + other.substr(Place(other));
        break;
      }
      case 4: {  // a piece of the text twice
        const std::size_t at = Place(text);
        text.insert(at, text.substr(at, dice_() % 40));
        break;
      }
      default:
        text += Pick(kPieces);
    }
  }

  std::mt19937_64 dice_;
};

TEST(PlanMutations, NothingBreaksThePlanner) {
  const Policy policies[] = {TestPolicy(), TestPolicy("key = \"id\"\nmax_rows = 1\npresence = \"secret\""),
                             TestPolicy("key = \"id\"\nmax_rows = 3\npresence = \"public\"")};
  Mutator mutator(stat::SeedForThisTest());
  const char* longer = std::getenv("KITH_MUTANTS");
  const int mutants = longer != nullptr ? std::atoi(longer) : 10'000;
  int planned = 0;
  for (int i = 0; i < mutants; ++i) {
    const std::string sql = mutator.Next();
    const Policy& policy = policies[i % 3];
    ASSERT_EQ(QuestionFault(sql, policy), "") << sql;
    planned += PlanQuestion(sql, policy).has_value() ? 1 : 0;
  }
  // The mutants are worth something only if many still mean something, and many do not.
  EXPECT_GT(planned, mutants * 3 / 40);
  EXPECT_LT(planned, mutants * 3 / 4);
}

TEST(PlanMutations, TheSeedsAreQuestionsThemselves) {
  const Policy policy = TestPolicy("key = \"id\"\nmax_rows = 2\npresence = \"secret\"");
  for (const char* seed : kSeeds) {
    const auto plan = PlanQuestion(seed, policy);
    EXPECT_TRUE(plan.has_value()) << seed << "\n" << plan.error().Text();
  }
}

// What has been two questions before, found by the fuzzer.
TEST(PlanMutations, OneQuestionHasOneNormalForm) {
  const Policy policy = TestPolicy("key = \"id\"\nmax_rows = 3\npresence = \"public\"");
  const auto normal = [&](const std::string& sql) {
    EXPECT_EQ(QuestionFault(sql, policy), "") << sql;
    return PlanQuestion(sql, policy).value().normalised;
  };
  for (const char* sign : {"- + 1", "-(1)", "- CAST(1 AS numeric)", "- - -1", "+ - 1", "- (+ (1::float8))"})
    EXPECT_EQ(normal(std::string("SELECT sum(age), ") + sign + " FROM people"), "SELECT sum(age), -1 FROM people")
        << sign;
  const std::string windows =
      "SELECT count(*) AS ill FROM (SELECT id, age, count(age) OVER (PARTITION BY id) AS r FROM people";
  EXPECT_EQ(normal(windows + ") AS p"), "SELECT count(*) AS ill FROM people");
  EXPECT_EQ(normal(windows + " WHERE age > 3) AS p"), normal("SELECT count(*) AS ill FROM people WHERE age > 3"));
  EXPECT_NE(normal(windows + ") AS p WHERE r > 1"), normal(windows + ") AS p"));
  EXPECT_EQ(
      normal(
          "SELECT max(m) AS x FROM (SELECT id, max(age) AS m FROM (SELECT id, age, row_number() OVER (PARTITION BY id "
          "ORDER BY age) AS r FROM people) AS k GROUP BY id) AS z"),
      normal("SELECT max(m) AS x FROM (SELECT id, max(age) AS m FROM people GROUP BY id) AS z"));
}

// The twin: a normal form that is read as another question.
TEST(PlanMutations, TheCheckAboveSeesAnotherQuestion) {
  const Policy policy = TestPolicy();
  auto plan = PlanQuestion("SELECT sum(age), 1 FROM people", policy);
  EXPECT_EQ(NormalFormFault(*plan, policy), "");
  plan->normalised = "SELECT sum(age), -(1) FROM people";
  EXPECT_NE(NormalFormFault(*plan, policy), "");
}

// The twin: the checks see a plan that does not hold together.
TEST(PlanMutations, TheChecksAboveSeePlantedFaults) {
  const Policy policy = TestPolicy();
  const auto fault = [&](auto change) {
    auto plan = PlanQuestion("SELECT count(*) FROM people WHERE ill = 'yes'", policy);
    EXPECT_EQ(PlanFault(plan, policy), "");
    change(*plan);
    return PlanFault(plan, policy);
  };
  EXPECT_NE(fault([](Plan& p) { p.charged.assign(p.charged.size(), false); }), "");
  EXPECT_NE(fault([](Plan& p) { p.charged.pop_back(); }), "");
  EXPECT_NE(fault([](Plan& p) { p.statistics.clear(); }), "");
  EXPECT_NE(fault([](Plan& p) { p.order_by.push_back({5, false}); }), "");
  EXPECT_NE(fault([](Plan& p) { p.statistics[0].change = Sensitivities::None(); }), "");
}

}  // namespace
}  // namespace kith
