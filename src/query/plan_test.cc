#include "query/plan.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "query/output/output.h"
#include "query/public_part.h"
#include "query/test_policy.h"

namespace kith {
namespace {

Plan Planned(const std::string& sql, const Policy& policy = TestPolicy()) {
  auto plan = PlanQuestion(sql, policy);
  if (!plan) ADD_FAILURE() << sql << "\n" << plan.error().Text();
  return plan ? *std::move(plan) : Plan{};
}

std::vector<std::int64_t> Sensitivities(const Plan& plan) {
  std::vector<std::int64_t> steps;
  for (const Statistic& s : plan.statistics) steps.push_back(s.change.l1().steps());
  return steps;
}

std::vector<std::string> Names(const Plan& plan) {
  std::vector<std::string> names;
  for (const Statistic& s : plan.statistics) names.push_back(s.name);
  return names;
}

using Steps = std::vector<std::int64_t>;
using Texts = std::vector<std::string>;

TEST(Plan, TwoSpellingsOfOneQuestionAgree) {
  const char* const spellings[][2] = {
      {"select COUNT( * ) from PEOPLE where Age>30", "SELECT count(*) FROM people p WHERE p.age > 30"},
      {"SELECT count(*) FROM people WHERE age > 30 AND ill = 'yes'",
       "SELECT count(*) FROM people WHERE ('yes' = 'yes') IS TRUE OR ((ill = 'yes') AND (30 < age))"},
      {"SELECT count(*) FROM people WHERE ill = 'yes' AND (age > 1 AND smoker)",
       "SELECT count(*) FROM people WHERE smoker AND age > 1 AND ill = 'yes'"},
      {"SELECT zyg, count(*) FROM people GROUP BY zyg", "SELECT zyg, count(*) FROM people GROUP BY 1"},
      {"SELECT sum(age) AS s FROM people WHERE ill IN ('yes', 'no')",
       "SELECT sum(age) s FROM people WHERE ill IN ('no', 'yes')"},
      {"SELECT count(*) FROM people WHERE age NOT BETWEEN 1 AND 2",
       "SELECT count(*) FROM people WHERE NOT (age BETWEEN 1 AND 2)"},
      {"SELECT count(*) AS n FROM people ORDER BY n DESC", "SELECT count(*) AS n FROM people ORDER BY count(*) DESC"},
  };
  EXPECT_NE(Planned(spellings[1][0]).normalised, Planned(spellings[1][1]).normalised);  // these differ
  for (const auto& pair : spellings) {
    if (&pair == &spellings[1]) continue;
    EXPECT_EQ(Planned(pair[0]).normalised, Planned(pair[1]).normalised);
  }
}

TEST(Plan, ItsNormalisedTextIsTheSameQuestion) {
  for (const char* sql : {
           "SELECT zyg AS z, avg(age) FILTER (WHERE smoker), round(100.0 * sum(score) / count(*), 1) FROM people GROUP "
           "BY zyg ORDER BY 2 DESC LIMIT 2 OFFSET 1",
           "SELECT sum(- + 0 - - - + age), sum(-(+(-(+1.5)))) FROM people",
           "SELECT sum(-(-5)), sum(- age), sum(age - -5), sum(CASE ill WHEN 'yes' THEN 1.5 ELSE -age END) FROM people",
           "SELECT count(*) FROM people WHERE name LIKE 'it''s 100\\%' AND name NOT ILIKE '_B%' AND at >= '2020-01-01' "
           "AND seen < DATE '2021-01-01'",
           "SELECT sum(extract(dow FROM at)), sum(CAST(smoker AS integer)), sum(CAST(score AS bigint) % 2), "
           "sum(round(weight, 2)) FROM people",
           "SELECT count(*) FROM people WHERE smoker IS NOT TRUE AND (ill IS DISTINCT FROM 'no' OR age IS NULL) AND "
           "coalesce(age, 5) = nullif(pulse, 50)",
           "SELECT avg(seen - DATE '2020-06-01'), least(greatest(sum(age), 0), 100), -count(*) + 1 FROM people",
       }) {
    const Plan once = Planned(sql), twice = Planned(once.normalised);
    EXPECT_EQ(once.normalised, twice.normalised);
    EXPECT_EQ(once.charged, twice.charged);
    EXPECT_EQ(Names(once), Names(twice));
    EXPECT_EQ(Sensitivities(once), Sensitivities(twice));
  }
}

TEST(Plan, EqualStatisticsAreShared) {
  EXPECT_EQ(Names(Planned("SELECT count(*), count(pulse), count(zyg), avg(pulse), sum(pulse - 120) FROM people")),
            (Texts{"count(*)", "sum(pulse - 120) for avg(pulse)"}));
  EXPECT_EQ(Names(Planned("SELECT avg(age), count(age), count(*) FILTER (WHERE age IS NOT NULL) FROM people")),
            (Texts{"sum(age - 60) for avg(age)", "count(age)"}));
  EXPECT_EQ(
      Names(Planned("SELECT stddev(age), avg(age), variance(age), count(age) FROM people")),
      (Texts{"count(age)", "sum(age - 60) for avg(age)", "sum(((age - 60) * (age - 60)) - 1800) for var_pop(age)"}));
  EXPECT_EQ(Names(Planned("SELECT sum(age) / count(*), round(sum(age) / count(*), 1), sum(age) FROM people")),
            (Texts{"sum(age)", "count(*)"}));
  EXPECT_EQ(Names(Planned("SELECT count(*) FILTER (WHERE smoker), count(*) FROM people")),
            (Texts{"count(*) FILTER (WHERE smoker)", "count(*)"}));
}

TEST(Plan, PublicFactsCostNothing) {
  const Plan plan =
      Planned("SELECT zyg, count(*), count(*) FILTER (WHERE sex = 'f') FROM people WHERE pair < 100 GROUP BY zyg");
  EXPECT_EQ(Sensitivities(plan), (Steps{0, 0}));
  EXPECT_EQ(plan.charged, std::vector<bool>(9, false));
  // With presence secret, or several rows, being counted is itself a secret; who is there at all is not.
  const Policy secret = TestPolicy("row = true\npresence = \"secret\"");
  EXPECT_EQ(Sensitivities(Planned("SELECT count(*) FROM people", secret)), (Steps{1}));
  const Policy rows = TestPolicy("key = \"id\"\nmax_rows = 3\npresence = \"public\"");
  EXPECT_EQ(Sensitivities(Planned("SELECT count(*), count(DISTINCT id) FROM people", rows)), (Steps{3, 0}));
  EXPECT_EQ(Sensitivities(Planned("SELECT zyg, count(DISTINCT id) FROM people WHERE sex = 'f' GROUP BY zyg", rows)),
            (Steps{0}));
  EXPECT_EQ(Sensitivities(Planned("SELECT count(DISTINCT id) FROM people WHERE smoker", rows)), (Steps{1}));
  EXPECT_EQ(Sensitivities(Planned("SELECT ill, count(DISTINCT id) FROM people GROUP BY ill", rows)), (Steps{3}));
  const Policy both = TestPolicy("key = \"id\"\nmax_rows = 3\npresence = \"secret\"");
  EXPECT_EQ(Sensitivities(Planned("SELECT count(DISTINCT id) FROM people", both)), (Steps{1}));
}

TEST(Plan, LevelsThatNoSecretChangesAreOpen_TOTAL1) {
  const auto open = [](const std::string& sql, const Policy& policy) {
    return Planned(sql, policy).statistics.at(0).open_levels;
  };
  const Policy rows = TestPolicy();
  EXPECT_EQ(open("SELECT zyg, ill, count(*) FROM people GROUP BY ROLLUP (zyg, ill)", rows),
            (std::vector<bool>{false, true, true}));
  EXPECT_EQ(open("SELECT ill, zyg, count(*) FROM people GROUP BY ROLLUP (ill, zyg)", rows),
            (std::vector<bool>{false, false, true}));
  EXPECT_EQ(open("SELECT ill, count(*) FROM people WHERE smoker GROUP BY ROLLUP (ill)", rows), std::vector<bool>());
  EXPECT_EQ(open("SELECT ill, sum(pulse) FROM people GROUP BY ROLLUP (ill)", rows), std::vector<bool>());
  const Policy secret = TestPolicy("row = true\npresence = \"secret\"");
  EXPECT_EQ(open("SELECT zyg, ill, count(*) FROM people GROUP BY ROLLUP (zyg, ill)", secret), std::vector<bool>());
  const Policy several = TestPolicy("key = \"id\"\nmax_rows = 3\npresence = \"public\"");
  EXPECT_EQ(open("SELECT zyg, ill, count(*) FROM people GROUP BY ROLLUP (zyg, ill)", several), std::vector<bool>());
}

TEST(Plan, ThePublicPartOfAQuestionHasNoSecret_TOTAL1) {
  const std::string sql = "SELECT sex, ill, count(*) FROM people WHERE zyg = 'mz' AND age > 30 GROUP BY sex, ill";
  const auto part = PublicPartOf(sql, TestPolicy());
  ASSERT_TRUE(part.has_value());
  EXPECT_EQ(part->keys, (std::vector<std::optional<std::size_t>>{0, std::nullopt}));
  EXPECT_EQ(part->plan.groups(), 3u);
  EXPECT_TRUE(part->plan.noisy().empty());
  EXPECT_FALSE(part->everybody);
  EXPECT_EQ(part->plan.normalised,
            Planned("SELECT count(*) FROM people WHERE zyg = 'mz'").normalised.substr(34) + " by sex");
  EXPECT_TRUE(PublicPartOf("SELECT count(*) FROM people WHERE ill = 'yes' OR zyg = 'mz'", TestPolicy())->everybody);
  EXPECT_FALSE(PublicPartOf(sql, TestPolicy("row = true\npresence = \"secret\"")));
}

// Their text could be that of other questions, which count other rows.
TEST(Plan, OnlyThePartOfPlainRowsIsPlain_TOTAL1) {
  const Policy policy = TestPolicy("key = \"id\"\nmax_rows = 1\npresence = \"public\"");
  const auto plain = [&](const std::string& sql) {
    const auto part = PublicPartOf(sql, policy);
    return part && part->plain;
  };
  EXPECT_TRUE(plain("SELECT avg(age) FROM people WHERE zyg = 'mz'"));
  EXPECT_TRUE(plain("SELECT avg(a) FROM (SELECT age AS a FROM people) AS p"));
  EXPECT_FALSE(plain("SELECT avg(a) FROM (SELECT id, max(age) AS a FROM people GROUP BY id) AS p"));
  EXPECT_FALSE(plain("SELECT sum(r) FROM (SELECT count(age) OVER (PARTITION BY id) AS r FROM people) AS p"));
}

/// What a question that is refused says to do.
std::string Advice(const std::string& sql) {
  const auto plan = PlanQuestion(sql, TestPolicy("key = \"id\"\nmax_rows = 1\npresence = \"public\""));
  return plan ? "answered" : plan.error().next;
}

TEST(Plan, RefusalsSayWhatToDo) {
  EXPECT_NE(Advice("SELECT count(*) FROM people WHERE smoker = 1").find("column = true"), std::string::npos);
  EXPECT_NE(Advice("SELECT count(*) FROM people GROUP BY id").find("count(DISTINCT id)"), std::string::npos);
  EXPECT_NE(Advice("SELECT count(*) FROM people GROUP BY weight").find("floor(weight / 10) * 10"), std::string::npos);
  EXPECT_NE(Advice("SELECT count(*) FROM people GROUP BY level").find("declare lower and upper"), std::string::npos);
  EXPECT_NE(Advice("SELECT count(*) FROM people GROUP BY name").find("declare values"), std::string::npos);
}

TEST(Plan, AMisspeltSelectIsNoSql) {
  EXPECT_EQ(PlanQuestion("SELEC count(*) FROM people", TestPolicy()).error().code, Code::kInvalidArgument);
  EXPECT_EQ(PlanQuestion("DELETE FROM people", TestPolicy()).error().code, Code::kUnsupportedQuery);
}

TEST(Plan, NamesThatNeedQuotesAreNamed) {
  Policy policy = TestPolicy();
  policy.tables[0].columns[10].name = "vanilla.ice.cream";
  policy.tables[0].columns[9].name = "union";
  const auto advice = [&](const std::string& sql) {
    const auto plan = PlanQuestion(sql, policy);
    return plan ? "answered" : plan.error().next;
  };
  EXPECT_TRUE(advice("SELECT avg(vanilla.ice.cream) FROM people").starts_with("write \"vanilla.ice.cream\" in double"));
  EXPECT_TRUE(advice("SELECT avg(union) FROM people").starts_with("write \"union\" in double"));
  EXPECT_TRUE(advice("SELECT max(pulse), union FROM people").starts_with("write \"union\" in double"));
  EXPECT_EQ(advice("SELECT avg(\"union\") FROM people"), "answered");
  EXPECT_FALSE(advice("SELECT count(*) FROM people UNION SELECT count(*) FROM people").starts_with("write"));
}

TEST(Plan, AValueThatCannotVanishChangesByItsWidthAlone) {
  EXPECT_EQ(Sensitivities(Planned("SELECT sum(pulse) FROM people")), (Steps{160}));
  EXPECT_EQ(Sensitivities(Planned("SELECT sum(pulse) FROM people WHERE sex = 'f'")), (Steps{160}));
  EXPECT_EQ(Sensitivities(Planned("SELECT sum(CASE WHEN smoker THEN 5 ELSE 3 END) FROM people")), (Steps{2}));
  // NULL adds nothing: from 120 to nothing is more than from 120 to 100.
  EXPECT_EQ(Sensitivities(Planned("SELECT sum(greatest(age, 100)) FROM people")), (Steps{20}));
  EXPECT_EQ(Sensitivities(Planned("SELECT sum(nullif(pulse, 50)) FROM people")), (Steps{200}));
  EXPECT_EQ(Sensitivities(Planned("SELECT sum(pulse) FROM people WHERE ill = 'yes'")), (Steps{200}));
  EXPECT_EQ(Sensitivities(Planned("SELECT sum(pulse) FROM people WHERE ill = 'yes' OR sex = 'f'")), (Steps{200}));
}

TEST(Plan, SecretGroupsCountTwice) {
  EXPECT_EQ(Sensitivities(Planned("SELECT ill, count(*), sum(pulse), avg(age) FROM people GROUP BY ill")),
            (Steps{2, 400, 120, 2}));
  EXPECT_EQ(Sensitivities(Planned("SELECT zyg, sum(pulse) FROM people GROUP BY zyg")), (Steps{160}));
  const Policy rows = TestPolicy("key = \"id\"\nmax_rows = 2\npresence = \"public\"");
  EXPECT_EQ(Sensitivities(Planned("SELECT ill, count(*), count(DISTINCT id) FROM people GROUP BY ill", rows)),
            (Steps{4, 3}));  // three groups: no, yes, NULL
  EXPECT_EQ(Sensitivities(Planned("SELECT stage, count(DISTINCT id) FROM people GROUP BY stage", rows)), (Steps{3}));
}

// {L1, L2 squared, groups} of each statistic.
std::vector<Steps> Changes(const Plan& plan) {
  std::vector<Steps> changes;
  for (const Statistic& s : plan.statistics)
    changes.push_back({s.change.l1().steps(), s.change.l2_squared(), s.change.groups()});
  return changes;
}

TEST(Plan, ChangesInL2AndInGroups_PLAN4) {
  using All = std::vector<Steps>;
  // A row between two secret groups: the root of 2. An average's sum is of age - 60, which can stay and change its
  // sign.
  EXPECT_EQ(Changes(Planned("SELECT ill, count(*), sum(pulse), avg(age) FROM people GROUP BY ill")),
            (All{{2, 2, 2}, {400, 80000, 2}, {120, 14400, 2}, {2, 2, 2}}));
  EXPECT_EQ(Changes(Planned("SELECT zyg, sum(pulse) FROM people GROUP BY zyg")), (All{{160, 25600, 1}}));
  EXPECT_EQ(Changes(Planned("SELECT count(*) FROM people WHERE ill = 'yes'")), (All{{1, 1, 1}}));
  EXPECT_EQ(Changes(Planned("SELECT zyg, count(*) FROM people GROUP BY zyg")), (All{{0, 0, 0}}));
  // Five rows: all in one group before and in another after; distinct units count once in a group.
  const Policy rows = TestPolicy("key = \"id\"\nmax_rows = 5\npresence = \"secret\"");
  EXPECT_EQ(Changes(Planned("SELECT stage, count(*), count(DISTINCT id) FROM people GROUP BY stage", rows)),
            (All{{10, 50, 3}, {3, 3, 3}}));
  EXPECT_EQ(Changes(Planned("SELECT zyg, count(*), count(DISTINCT id) FROM people GROUP BY zyg", rows)),
            (All{{5, 25, 1}, {1, 1, 1}}));
  // Levels add up: three stages, and all together.
  EXPECT_EQ(Changes(Planned("SELECT stage, count(*) FROM people GROUP BY ROLLUP (stage)", rows)), (All{{15, 75, 4}}));
}

std::size_t Charged(const std::string& sql) {
  const Plan plan = Planned(sql);
  return static_cast<std::size_t>(std::count(plan.charged.begin(), plan.charged.end(), true));
}

TEST(Plan, OnlyCellsThatASecretCanReachAreCharged) {
  EXPECT_EQ(Planned("SELECT count(*) FROM people").charged.size(), 9u);  // zyg, and sex with NULL
  EXPECT_EQ(Charged("SELECT count(*) FROM people WHERE zyg = 'mz' AND ill = 'yes'"), 3u);
  EXPECT_EQ(Charged("SELECT count(*) FROM people WHERE zyg = 'mz' OR ill = 'yes'"), 6u);
  EXPECT_EQ(Charged("SELECT count(*) FROM people WHERE ill = 'yes'"), 9u);
  EXPECT_EQ(Charged("SELECT count(*) FILTER (WHERE ill = 'yes') FROM people WHERE sex = 'f'"), 3u);
  EXPECT_EQ(Charged("SELECT sum(CASE WHEN zyg = 'mz' THEN age ELSE 0 END) FROM people"), 3u);
  EXPECT_EQ(Charged("SELECT count(*) FROM people WHERE sex IS NULL AND age > 5"), 3u);
  EXPECT_EQ(Charged("SELECT count(*) FROM people WHERE zyg LIKE '%z' AND smoker"), 6u);
  EXPECT_EQ(Charged("SELECT ill, count(*) FROM people WHERE zyg <> 'os' GROUP BY ill"), 6u);
  EXPECT_EQ(Charged("SELECT count(*) FROM people WHERE pair = 7 AND ill = 'yes'"), 9u);  // pair is public, not a cell
  EXPECT_EQ(Charged("SELECT count(*) FROM people WHERE zyg = 'mz' AND (smoker OR NOT smoker OR smoker IS NULL)"), 3u);
}

TEST(Plan, CellsTightenTheSensitivity) {
  // 40 in one cell, 5 in the others: the worst cell counts, not the sum of all.
  EXPECT_EQ(Sensitivities(Planned("SELECT sum(CASE WHEN zyg = 'mz' THEN 40 ELSE 5 END) FROM people WHERE ill = 'yes'")),
            (Steps{40}));
  EXPECT_EQ(Sensitivities(Planned("SELECT sum(CASE WHEN zyg = 'mz' THEN age ELSE 1000 END) FROM people")),
            (Steps{120}));
}

TEST(Plan, LatticesComeFromDeclaredBoundsAlone) {
  const auto lattice = [](const std::string& sql) { return Planned(sql).statistics.at(0).lattice.exponent; };
  EXPECT_EQ(lattice("SELECT sum(age) FROM people"), 0);
  EXPECT_EQ(lattice("SELECT sum(score) FROM people"), -28);  // 4 * 2^28 steps
  EXPECT_EQ(lattice("SELECT ill, sum(score) FROM people GROUP BY ill"), -27);
  EXPECT_EQ(lattice("SELECT sum(age * 100000000) FROM people"), 3);  // 12e9 is above 2^31
  EXPECT_EQ(lattice("SELECT sum(weight * 0.0) FROM people"), 0);
}

TEST(Plan, WhatNoNoiseCouldHideIsRefused) {
  Policy policy = TestPolicy("key = \"id\"\nmax_rows = 2\npresence = \"secret\"");
  policy.unit.max_rows = std::int64_t{1} << 31;
  EXPECT_EQ(Sensitivities(Planned("SELECT count(*) FROM people", policy)), (Steps{std::int64_t{1} << 31}));
  EXPECT_EQ(PlanQuestion("SELECT sum(score) FROM people", policy).error().code, Code::kUnsupportedQuery);
  policy.unit.max_rows += 1;
  EXPECT_EQ(PlanQuestion("SELECT count(*) FROM people", policy).error().code, Code::kUnsupportedQuery);
}

TEST(Plan, RowsOfUnitsAreLimitedInOneWayThatAPersonCanRead) {
  const Policy policy = TestPolicy("key = \"id\"\nmax_rows = 1\npresence = \"secret\"");
  for (const char* sql : {"SELECT count(*) FROM people", "SELECT ill, sum(score), avg(age) FROM people GROUP BY ill",
                          "SELECT count(DISTINCT id) FROM people WHERE sex = 'f'", "SELECT median(age) FROM people"}) {
    const Plan plan = Planned(sql, policy);
    const auto& quantile = plan.statistics.at(0).quantile;
    const std::string text = sql::DuckDb().Write(quantile ? quantile->statement : plan.statement);
    EXPECT_NE(text.find("row_number() OVER (PARTITION BY t.\"id\" ORDER BY hash("), std::string::npos) << text;
    EXPECT_NE(text.find(") AS n WHERE \"kith_row\" <= 1) AS t"), std::string::npos) << text;
    for (const char* sign : {">>", "<<", " & ", " | "}) EXPECT_EQ(text.find(sign), std::string::npos) << text;
  }
}

TEST(Plan, ConstantsThatNoRowCanEqualAreNoted) {
  const auto notes = [](const std::string& sql) {
    std::string text;
    for (const Note& note : Planned(sql).notes) text += (text.empty() ? "" : "\n") + note.text;
    return text;
  };
  EXPECT_EQ(notes("SELECT count(*) FROM people WHERE ill = 'Yes'"),
            "'Yes' is not a declared value of ill: no row has it; declared: 'no', 'yes'");
  EXPECT_EQ(notes("SELECT count(*) FROM people WHERE stage IN (1, 3) OR 3 <> stage"),
            "3 is not a declared value of stage: no row has it; declared: 1, 2, 4");
  EXPECT_EQ(notes("SELECT sum(CASE zyg WHEN 'mz' THEN 1 WHEN 'MZ' THEN 2 ELSE 0 END) FROM people"),
            "'MZ' is not a declared value of zyg: no row has it; declared: 'mz', 'dz', 'os'");
  EXPECT_EQ(notes("SELECT count(*) FILTER (WHERE sex IS DISTINCT FROM 'x') FROM people"),
            "'x' is not a declared value of sex: no row has it; declared: 'f', 'm'");
  EXPECT_EQ(notes("SELECT count(*) FROM people WHERE ill = 'yes' AND name = 'Yes' AND sex IN ('f', NULL)"), "");
}

TEST(Plan, DivisorsMustStayAwayFromZeroInWhatIsSummed) {
  const Policy policy = TestPolicy();
  const auto refused = [&](const std::string& sql) {
    const auto plan = PlanQuestion(sql, policy);
    return !plan && plan.error().Text().find("close to zero") != std::string::npos;
  };
  EXPECT_TRUE(refused("SELECT sum(age / score) FROM people"));
  EXPECT_TRUE(refused("SELECT avg(1 / (weight - 1)) FROM people"));
  EXPECT_TRUE(refused("SELECT sum(age / nullif(score, 0)) FROM people"));
  EXPECT_TRUE(refused("SELECT sum(CASE stage WHEN 1 THEN age / score ELSE 0 END) FROM people"));
  EXPECT_FALSE(refused("SELECT sum(age / weight) FROM people"));
  EXPECT_FALSE(refused("SELECT sum(age / greatest(score, 0.5)) FROM people"));
  EXPECT_FALSE(refused("SELECT sum(weight / age) FROM people"));               // whole numbers: 0, or at least 1 away
  EXPECT_FALSE(refused("SELECT sum(weight / (age * 0.5)) FROM people"));       // halves
  EXPECT_FALSE(refused("SELECT sum(weight / 0) FROM people"));                 // always NULL
  EXPECT_FALSE(refused("SELECT count(*) FROM people WHERE age / score > 2"));  // compared, not summed
  EXPECT_FALSE(refused("SELECT sum(CASE WHEN age / score > 2 THEN 1 ELSE 0 END) FROM people"));
}

TEST(Plan, GroupsListEveryDeclaredValue) {
  const Plan plan = Planned("SELECT ill, zyg, count(*) FROM people GROUP BY ill, zyg");
  ASSERT_EQ(plan.keys.size(), 2u);
  EXPECT_EQ(plan.keys[0].values, (std::vector<Value>{std::string("no"), std::string("yes"), Null{}}));
  EXPECT_TRUE(plan.keys[0].secret);
  EXPECT_EQ(plan.keys[1].values.size(), 3u);  // required: no NULL
  EXPECT_FALSE(plan.keys[1].secret);
  EXPECT_EQ(plan.groups(), 9u);
}

TEST(Plan, ExpressionsInGroupByListTheirWholeImage) {
  const auto image = [](const std::string& key) {
    const Plan plan = Planned("SELECT count(*) FROM people GROUP BY " + key);
    std::string text;
    if (plan.keys.size() == 1) {
      for (const Value& value : plan.keys[0].values) text += ToText(value) + " ";
    }
    return text;
  };
  EXPECT_EQ(image("CASE WHEN age < 18 THEN 'young' WHEN age < 65 THEN 'adult' ELSE 'old' END"), "young adult old ");
  EXPECT_EQ(image("CASE WHEN age < 18 THEN 2 WHEN age < 65 THEN 1 END"), "2 1 NULL ");
  EXPECT_EQ(image("pulse > 300"), "false ");
  EXPECT_EQ(image("age > 30"), "false true NULL ");
  EXPECT_EQ(image("stage"), "1 2 4 ");
  EXPECT_EQ(image("stage * stage"), "1 4 16 ");
  EXPECT_EQ(image("div(pulse, 50)"), "0 1 2 3 4 ");
  EXPECT_EQ(image("width_bucket(pulse, 40, 200, 4)"), "1 2 3 4 5 ");
  EXPECT_EQ(image("width_bucket(score, -1.0, 3.5, 3)"), "1 2 3 NULL ");
  EXPECT_EQ(image("extract(quarter FROM seen)"), "1 2 3 4 NULL ");
  EXPECT_EQ(image("extract(year FROM seen)"), "2020 2021 NULL ");
  EXPECT_EQ(image("date_trunc('year', seen)"), "2020-01-01 2021-01-01 NULL ");
  EXPECT_EQ(image("coalesce(ill, 'unknown')"), "no yes unknown ");
  EXPECT_EQ(image("nullif(zyg, 'os')"), "mz dz os NULL ");
  EXPECT_EQ(Planned("SELECT count(*) FROM people GROUP BY date_trunc('week', seen)").groups(), 106u);
}

TEST(Plan, AnAnalysisMayWriteLongQuestions) {
  std::string text = "SELECT CASE";
  for (int k = 0; k < 600; ++k) text += fmt::format(" WHEN score * 0.5 + weight < {} THEN {}", k, k);
  text += " ELSE 600 END AS c, count(*) FROM people GROUP BY c";
  EXPECT_EQ(PlanQuestion(text, TestPolicy()).error().code, Code::kUnsupportedQuery);
  const auto plan = PlanQuestion(text, TestPolicy(), std::size_t{1} << 17);
  ASSERT_TRUE(plan.has_value()) << plan.error().Text();
  EXPECT_EQ(plan->groups(), 600u);  // the first branch is never reached: no row is below 0
}

TEST(Plan, SubSelectsAreWorthWhatTheyMean) {
  EXPECT_EQ(
      Planned("SELECT count(*) FROM (SELECT age AS a, zyg FROM people WHERE smoker) AS t WHERE zyg = 'mz'").charged,
      Planned("SELECT count(*) FROM people WHERE smoker AND zyg = 'mz'").charged);
  // Each name doubles the last: put in place, the text would have 2^40 terms.
  std::string text = "WITH t0 AS (SELECT stage AS x FROM people)";
  for (int k = 1; k < 18; ++k) text += fmt::format(", t{} AS (SELECT x % 7 + x % 5 + x % 3 AS x FROM t{})", k, k - 1);
  const auto plan = PlanQuestion(text + " SELECT sum(x) FROM t17", TestPolicy());
  ASSERT_FALSE(plan.has_value());
  EXPECT_NE(plan.error().Text().find("too large"), std::string::npos) << plan.error().Text();
}

// In rows: sensitivity / den.
double Rows(const Statistic& s) {
  return static_cast<double>(s.change.l1().steps()) / static_cast<double>(s.quantile->den);
}

TEST(Plan, QuantilesAreChosenByRank) {
  const auto rows = [](const std::string& sql, const Policy& policy = TestPolicy()) {
    std::vector<double> all;
    for (const Statistic& s : Planned(sql, policy).statistics) all.push_back(s.quantile ? Rows(s) : -1);
    return all;
  };
  using Doubles = std::vector<double>;
  EXPECT_EQ(rows("SELECT median(pulse), min(pulse), quantile_cont(pulse, 0.9) FROM people"), (Doubles{2, 2, 2}));
  EXPECT_EQ(rows("SELECT median(age), max(age) FROM people"), (Doubles{2, 2}));
  const std::string public_value = "(CASE WHEN zyg = 'mz' THEN 1 ELSE 5 END)";
  const std::string of_public = "SELECT median" + public_value + ", max" + public_value;
  EXPECT_EQ(rows(of_public + ", count(*) FROM people"), (Doubles{0, 0, -1}));
  EXPECT_EQ(rows(of_public + " FROM people WHERE smoker"), (Doubles{1, 2}));
  EXPECT_EQ(rows("SELECT median(pulse), max(pulse) FROM people GROUP BY ill"), (Doubles{2, 4}));
  EXPECT_EQ(rows("SELECT median(pulse), max(pulse) FROM people GROUP BY zyg"), (Doubles{2, 2}));
  const Policy several = TestPolicy("key = \"id\"\nmax_rows = 3\npresence = \"secret\"");
  EXPECT_EQ(rows("SELECT median(pulse), min(pulse) FROM people", several), (Doubles{6, 6}));
  EXPECT_EQ(rows(of_public + " FROM people", several), (Doubles{3, 6}));
  EXPECT_EQ(rows("SELECT median(pulse), min(pulse) FROM people GROUP BY ill", several), (Doubles{6, 12}));
}

TEST(Plan, QuantilesHaveAPublicGrid) {
  const auto grid = [](const std::string& sql) {
    const Statistic s = Planned(sql).statistics.at(0);
    const auto& c = s.quantile->candidates;
    return fmt::format("{} from {} to {} by {}", c.size(), static_cast<double>(c.front()) * s.lattice.step(),
                       static_cast<double>(c.back()) * s.lattice.step(), s.lattice.step());
  };
  EXPECT_EQ(grid("SELECT min(age) FROM people"), "121 from 0 to 120 by 1");
  EXPECT_EQ(grid("SELECT min(stage) FROM people"), "3 from 1 to 4 by 1");
  EXPECT_EQ(grid("SELECT max(seen) FROM people"), "731 from 18262 to 18992 by 1");
  EXPECT_EQ(grid("SELECT median(score) FROM people"), "32769 from -1 to 3 by 0.0001220703125");
  EXPECT_EQ(grid("SELECT median(age * 1000) FROM people"), "60001 from 0 to 120000 by 2");
  EXPECT_EQ(grid("SELECT median(pulse - 0.5) FROM people"), "40961 from 39.5 to 199.5 by 0.00390625");
  EXPECT_EQ(grid("SELECT median(weight * 0.0 + 0.5) FROM people"), "1 from 0.5 to 0.5 by 1.7763568394002505e-15");
  EXPECT_EQ(grid("SELECT median(score) FROM people GROUP BY age"), "8193 from -1 to 3 by 0.00048828125");
}

TEST(Plan, QuantilesOfOneRankAreOneStatistic) {
  EXPECT_EQ(
      Names(Planned("SELECT median(age), quantile_cont(age, 0.5), percentile_disc(0.5) WITHIN GROUP (ORDER BY age "
                    "DESC), min(age), percentile_cont(1) WITHIN GROUP (ORDER BY age DESC), quantile(age, 0.90), "
                    "percentile_disc(0.1) WITHIN GROUP (ORDER BY age DESC) FROM people")),
      (Texts{"median(age)", "min(age)", "quantile_disc(age, 0.9)"}));
  const Plan plan = Planned("SELECT median(age) FILTER (WHERE smoker) AS m, count(*) FROM people");
  EXPECT_EQ(Names(plan), (Texts{"median(age) FILTER (WHERE smoker)", "count(*)"}));
  EXPECT_EQ(plan.normalised, Planned(plan.normalised).normalised);
  EXPECT_FALSE(plan.statement.empty());
  EXPECT_TRUE(Planned("SELECT median(age) FROM people").statement.empty());
}

TEST(Plan, OrderAndLimitsArePostProcessing) {
  const Plan plan = Planned(
      "SELECT ill, count(*) AS n, sum(age) FROM people GROUP BY ill ORDER BY n DESC, 1, sum(age) LIMIT 5 OFFSET 2");
  ASSERT_EQ(plan.order_by.size(), 3u);
  EXPECT_EQ(plan.order_by[0].output, 1u);
  EXPECT_TRUE(plan.order_by[0].descending);
  EXPECT_EQ(plan.order_by[1].output, 0u);
  EXPECT_EQ(plan.order_by[2].output, 2u);
  EXPECT_EQ(plan.limit, 5);
  EXPECT_EQ(plan.offset, 2);
  EXPECT_EQ(DuckDbText(plan), DuckDbText(Planned("SELECT ill, count(*), sum(age) FROM people GROUP BY ill")));
}

TEST(Plan, OutputsAreNamedAsAsked) {
  const Plan plan =
      Planned("SELECT zyg, count(*), sum(age) / count(*), avg(age) AS \"Mean Age\" FROM people GROUP BY zyg");
  ASSERT_EQ(plan.outputs.size(), 4u);
  EXPECT_EQ(plan.outputs[0].name, "zyg");
  EXPECT_EQ(plan.outputs[1].name, "count(*)");
  EXPECT_EQ(plan.outputs[2].name, "sum(age) / count(*)");
  EXPECT_EQ(plan.outputs[3].name, "Mean Age");
}

TEST(Plan, TooManyGroupsAreRefused) {
  std::string text =
      "[data]\ntables.t = \"t.csv\"\n[unit]\ntable = \"t\"\nrow = true\npresence = \"public\"\n[columns.t]\n";
  for (int c = 0; c < 3; ++c) {
    text += "c" + std::to_string(c) + " = { values = [0";
    for (int v = 1; v < 60; ++v) text += ", " + std::to_string(v);
    text += "] }\n";
  }
  text += "[dependence]\nsource = \"public\"\nkind = \"independent\"\n[budget]\nepsilon = 1.0\nledger = \"t.ledger\"\n";
  const auto policy = Policy::Parse(text, "t.toml");
  ASSERT_TRUE(policy.has_value()) << policy.error().Text();
  EXPECT_TRUE(PlanQuestion("SELECT c0, c1, count(*) FROM t GROUP BY 1, 2", *policy).has_value());
  EXPECT_EQ(PlanQuestion("SELECT c0, c1, c2, count(*) FROM t GROUP BY 1, 2, 3", *policy).error().code,
            Code::kUnsupportedQuery);
}

}  // namespace
}  // namespace kith
