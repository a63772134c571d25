// Checks of a declaration: which tables contradict it, how often by chance, and what is asked of the data.
#include "analysis/check/check.h"

#include <gtest/gtest.h>

#include <cmath>

#include "analysis/check/alarm.h"
#include "estimate/estimate.h"
#include "tests/support/small_laws.h"
#include "tests/support/stat.h"

namespace kith {
namespace {

using check::Contradicts;
using check::Rule;

double Tail(std::vector<std::int64_t> with, std::int64_t others, double theta) {
  return estimate::GroupTail({"", std::move(with)}, others, theta);
}

// All tables of a box: none has a larger tail than the corner that is looked at.
TEST(CheckVerdict, TheCornerIsTheWorstTableOfTheBox_CHECK1) {
  testing::Dice dice(stat::SeedForThisTest());
  for (int trial = 0; trial < 200; ++trial) {
    const std::int64_t size = 2 + dice.Below(3), others = dice.Below(static_cast<int>(size) - 1), z = 1 + dice.Below(3);
    const double theta = dice.Between(-1, 3);
    std::vector<std::int64_t> noisy(static_cast<std::size_t>(size) + 1);
    for (std::int64_t& count : noisy) count = dice.Below(40);
    const auto at = static_cast<std::size_t>(others);
    const auto moved = [&](std::int64_t low, std::int64_t middle, std::int64_t high) {
      auto table = noisy;
      table[at] = std::max<std::int64_t>(0, table[at] + low);
      table[at + 1] = std::max<std::int64_t>(0, table[at + 1] + middle);
      table[at + 2] = std::max<std::int64_t>(0, table[at + 2] + high);
      return Tail(table, others, theta);
    };
    const double corner = moved(-z, z, -z);
    for (std::int64_t a = -z; a <= z; ++a) {
      for (std::int64_t b = -z; b <= z; ++b) {
        for (std::int64_t c = -z; c <= z; ++c) ASSERT_LE(moved(a, b, c), corner * (1 + 1e-8) + 1e-20);
      }
    }
  }
}

// The planted fault: at the corner with more pairs that are alike, other tables of the box have larger tails.
TEST(CheckVerdict, ASmallerCornerIsNotTheWorst) {
  const double corner = Tail({60, 10, 30}, 0, std::log(4.0));
  EXPECT_GT(Tail({50, 10, 30}, 0, std::log(4.0)), corner);
  EXPECT_GT(Tail({60, 14, 30}, 0, std::log(4.0)), corner);
  EXPECT_GT(Tail({60, 10, 26}, 0, std::log(4.0)), corner);
}

TEST(CheckVerdict, TheBoxHoldsAllNoiseButRarely) {
  const Rule rule{2, 1, 0.05};
  for (const double scale : {0.5, 3.0, 40.0, 1e4}) {
    const double q = std::exp(-1 / scale), z = static_cast<double>(rule.Box(scale));
    const auto outside = [&](double box) { return 3 * std::pow(q, box + 1) / (1 + q); };
    EXPECT_LE(outside(z), 0.025 * (1 + 1e-6)) << scale;
    EXPECT_TRUE(z == 0 || outside(z - 1) > 0.025 * (1 - 1e-6)) << scale;
  }
  EXPECT_EQ(rule.Box(0), 0);
  EXPECT_DOUBLE_EQ(rule.Each(), 0.025);
  EXPECT_DOUBLE_EQ((Rule{4, 2, 0.06}).Each(), 0.005);
}

// 20,000 pairs, one in ten ill, declared 4. A right declaration raises none.
TEST(CheckVerdict, NoticesWhatItShouldAndRaisesFewFalseAlarms_CHECK1) {
  const Rule rule{2, 1, 0.05};
  const double declared = std::log(4.0);
  EXPECT_GT(check::Power(rule, 20'000, 0.1, 8, declared, 2 / 0.05, 400), 0.9);
  EXPECT_GT(check::Power(rule, 20'000, 0.1, 40, declared, 2 / 0.02, 200), 0.9);
  EXPECT_GT(check::Power(rule, 2'000, 0.1, 40, declared, 2 / 0.2, 200), 0.9);
  EXPECT_LT(check::Power(rule, 2'000, 0.1, 40, declared, 2 / 0.05, 200), 0.05);
  for (const double share : {0.1, 0.5}) {
    EXPECT_LE(check::Power(rule, 20'000, share, 4, declared, 2 / 0.05, 400), 0.05);
    EXPECT_LE(check::Power(rule, 2'000, share, 4, declared, 0.01, 400), 0.06);
  }
  EXPECT_LE(check::Power({4, 1, 0.05}, 5'000, 0.3, 2, std::log(2.0), 1, 400), 0.05);
}

// The planted fault: a box of nothing.
TEST(CheckVerdict, TheCheckAboveSeesNoiseThatIsTakenForData) {
  testing::Dice dice(stat::SeedForThisTest());
  const Rule rule{2, 1, 0.05};
  int blamed = 0, right = 0;
  constexpr int kTables = 200;
  for (int i = 0; i < kTables; ++i) {
    // Few pairs are alike, and the noise is of hundreds.
    std::vector<std::int64_t> table = {1960, 38, 2};
    const auto exponential = [&] { return -100 * std::log(1 - dice.Uniform()); };
    for (std::int64_t& count : table) count += static_cast<std::int64_t>(std::round(exponential() - exponential()));
    blamed += Contradicts(rule, table, std::log(4.0), 0) ? 1 : 0;
    right += Contradicts(rule, table, std::log(4.0), rule.Box(100)) ? 1 : 0;
  }
  EXPECT_GT(blamed, kTables / 4);
  EXPECT_LE(right, kTables / 20);
}

TEST(CheckVerdict, LawsHaveTheirOddsRatioAndShare) {
  for (const std::int64_t size : {2, 5}) {
    const auto law = check::LawOf(size, 0.2, 6);
    double mean = 0;
    for (std::size_t k = 0; k < law.size(); ++k) mean += law[k] * static_cast<double>(k);
    EXPECT_NEAR(mean / static_cast<double>(size), 0.2, 1e-9);
  }
  const auto pair = check::LawOf(2, 0.2, 6);
  EXPECT_NEAR(pair[0] * pair[2] / (pair[1] * pair[1] / 4), 6, 1e-9);
}

std::string Text(const std::string& dependence, const std::string& columns, const std::string& presence = "public") {
  return "[data]\ntables.t = \"t.csv\"\n[unit]\ntable = \"t\"\nkey = \"id\"\nmax_rows = 1\npresence = \"" + presence +
         "\"\n[columns.t]\nid = { type = \"integer\" }\nhouse = { type = \"integer\", public = true }\nzyg = { values "
         "= [\"mz\", "
         "\"dz\"], public = true }\n" +
         columns + "[dependence]\nsource = \"public\"\nkind = \"group\"\nby = \"house\"\n" + dependence +
         "[budget]\nepsilon = 1\nledger = \"t.ledger\"\n";
}

Result<std::unique_ptr<DependenceCheck>> Made(const std::string& text, const CheckOptions& options = {}) {
  return DependenceCheck::Make(options, Policy::Parse(text, "p.toml").value());
}

const char* const kSick = "sick = { type = \"boolean\" }\n";

// One unit takes its group out of one count and into another, whatever the classes are.
TEST(Check, AsksForOneTableOfCounts_CHECK2) {
  const auto check = Made(Text("size = 2\nodds_ratio = { zyg = { mz = 40, dz = 4 } }\n", kSick)).value();
  const Plan plan = check->Round({}).value();
  ASSERT_EQ(plan.statistics.size(), 1U);
  EXPECT_EQ(plan.statistics[0].change.l1().steps(), 2);
  EXPECT_EQ(plan.finest_groups(), 6U);
  EXPECT_NE(check->Normalised().find("odds ratio mz 40, dz 4"), std::string::npos) << check->Normalised();
  const auto other = Made(Text("size = 2\nodds_ratio = { zyg = { mz = 40, dz = 5 } }\n", kSick)).value();
  EXPECT_NE(check->Normalised(), other->Normalised());
}

NoisyRound Answered(const DependenceCheck& check, const std::vector<std::int64_t>& counts, double scale) {
  NoisyRound round{check.Round({}).value(), {}, {scale}};
  for (const std::int64_t count : counts) round.noisy.push_back({Int128{count}});
  return round;
}

// All that is concluded is a verdict for each class; the counts are not shown.
TEST(Check, ConcludesVerdictsAlone) {
  const auto check = Made(Text("size = 2\nodds_ratio = { zyg = { mz = 40, dz = 4 } }\n", kSick)).value();
  const std::vector<NoisyRound> rounds = {Answered(*check, {16'200, 3'600, 200, 17'000, 2'000, 1'000}, 10)};
  const Findings findings = check->Conclude(rounds).value();
  ASSERT_EQ(findings.rows.size(), 2U);
  EXPECT_EQ(std::get<std::string>(findings.rows[0][2]), "not contradicted (groups of 2 only)");
  EXPECT_EQ(std::get<std::string>(findings.rows[1][2]), "contradicted");
  EXPECT_NE(findings.alarm.find("for dz"), std::string::npos) << findings.alarm;
  EXPECT_EQ(findings.alarm.find("for mz"), std::string::npos);
  EXPECT_TRUE(findings.details.empty());
  EXPECT_EQ(findings.alarm.find("1000"), std::string::npos);
  const auto alarm = check::AlarmFrom(findings.alarm).value();
  ASSERT_EQ(alarm.of.size(), 1U);
  EXPECT_EQ(alarm.of[0].label, "dz");
  EXPECT_GT(alarm.of[0].odds_ratio, 1.25 * 4) << "17 is true of the counts";
  EXPECT_LT(alarm.of[0].odds_ratio, 17);
  const std::vector<NoisyRound> quiet = {Answered(*check, {16'200, 3'600, 200, 16'200, 3'600, 200}, 10)};
  EXPECT_TRUE(check->Conclude(quiet)->alarm.empty());
}

// What a condition on public columns leaves out was not found to be right.
TEST(Check, SaysWhichClassesWereNotLookedAt) {
  const auto check =
      Made(Text("size = 2\nodds_ratio = { zyg = { mz = 40, dz = 4 } }\n", kSick), {.where = "zyg = 'dz'"}).value();
  const Findings findings = check->Conclude(std::vector{Answered(*check, {0, 0, 0, 16'200, 3'600, 200}, 10)}).value();
  EXPECT_EQ(std::get<std::string>(findings.rows[0][2]), "not looked at");
  EXPECT_NE(std::get<std::string>(findings.rows[1][2]), "not looked at");
  for (const CheckPower& line : check->PowerAt(10)) EXPECT_EQ(line.stratum, "dz");
}

TEST(CheckVerdict, WhatIsContradictedEndsBelowTheTruth_CHECK1) {
  const Rule rule{2, 1, 0.05};
  const std::vector<std::int64_t> noisy = {17'000, 2'000, 1'000};  // an odds ratio of 17
  const double most = check::ContradictedUpTo(rule, noisy, 4, rule.Box(10));
  EXPECT_TRUE(Contradicts(rule, noisy, std::log(most), rule.Box(10)));
  EXPECT_FALSE(Contradicts(rule, noisy, std::log(1.25 * most), rule.Box(10)));
  EXPECT_GT(most, 10);
  EXPECT_LT(most, 17);
}

Dependence Declared(const std::string& dependence) {
  return Policy::Parse(Text(dependence, kSick), "p.toml").value().dependence;
}

const check::Alarm kOfPairs{"too strong", "house", "", {{"", 12.5, 2}}};
const check::Alarm kOfTwins{"too strong", "house", "zyg", {{"dz", 12.5, 2}}};

TEST(CheckAlarm, StandsUntilStrongerTiesAreDeclared_CHECK4) {
  const auto one = [](const std::string& text) { return check::Contradicts(kOfPairs, Declared(text)); };
  for (const char* text : {"size = 2\nodds_ratio = 4\n", "size = 2\nodds_ratio = 3\n", "size = 2\nodds_ratio = 1\n",
                           "size = 2\nodds_ratio = 4.0001\n", "size = 2\nodds_ratio = 12.5\n",
                           "size = 3\nodds_ratio = 4\n", "size = 2\nodds_ratio = { zyg = { mz = 40, dz = 4 } }\n"}) {
    EXPECT_TRUE(one(text)) << text;
  }
  for (const char* text : {"size = 2\nodds_ratio = 13\n", "size = 2\n", "size = 3\nodds_ratio = 13\n",
                           "size = 2\nodds_ratio = { zyg = { mz = 40, dz = 13 } }\n"}) {
    EXPECT_FALSE(one(text)) << text;
  }
  const auto twins = [](const std::string& text) { return check::Contradicts(kOfTwins, Declared(text)); };
  EXPECT_TRUE(twins("size = 2\nodds_ratio = { zyg = { mz = 400, dz = 4 } }\n")) << "of another class";
  EXPECT_TRUE(twins("size = 2\nodds_ratio = 4\n"));
  EXPECT_FALSE(twins("size = 2\nodds_ratio = { zyg = { mz = 4, dz = 13 } }\n"));
  EXPECT_FALSE(twins("size = 2\nodds_ratio = 13\n"));
  Dependence other = Declared("size = 2\nodds_ratio = 13\n");
  other.by = "zyg";
  EXPECT_TRUE(check::Contradicts(kOfPairs, other));
  other.model = Independent{};
  EXPECT_TRUE(check::Contradicts(kOfPairs, other));
  check::Alarm larger = kOfPairs;
  larger.of[0].size = 3;
  EXPECT_TRUE(check::Contradicts(larger, Declared("size = 2\n"))) << "smaller groups";
}

// The planted fault: an alarm that knows only the declared number is silenced by a little more.
TEST(CheckAlarm, WithoutWhatIsContradictedALittleMoreSilencesIt) {
  check::Alarm fault = kOfPairs;
  fault.of[0].odds_ratio = 4;
  EXPECT_FALSE(check::Contradicts(fault, Declared("size = 2\nodds_ratio = 4.0001\n")));
}

TEST(CheckAlarm, ComesBackFromItsText) {
  const auto back = check::AlarmFrom(check::ToText(kOfTwins)).value();
  EXPECT_EQ(check::ToText(back), check::ToText(kOfTwins));
  EXPECT_EQ(back.of[0].odds_ratio, 12.5);
  for (const char* text :
       {"", "too strong", "[]", "{}", "7", "{\"found\":\"x\",\"by\":\"h\",\"strength\":\"\",\"of\":[]}",
        "{\"found\":1,\"by\":\"h\",\"strength\":\"\",\"of\":[{}]}"}) {
    EXPECT_FALSE(check::AlarmFrom(text)) << text;
  }
}

TEST(Check, RefusesWhatNoTableContradicts) {
  const auto why = [](const std::string& text, const CheckOptions& options = {}) {
    const auto made = Made(text, options);
    return made ? std::string("made") : made.error().Text();
  };
  EXPECT_NE(why(Text("size = 2\n", kSick)).find("in any way"), std::string::npos);
  EXPECT_NE(why(Text("size = 3\nodds_ratio = 2\n", kSick)).find("more than two"), std::string::npos);
  EXPECT_EQ(why(Text("size = 3\nodds_ratio = 2\n", "sick = { type = \"boolean\", required = true }\n")), "made");
  EXPECT_NE(why(Text("size = 2\nodds_ratio = 2\n", std::string(kSick) + "old = { type = \"boolean\" }\n"))
                .find("which secret"),
            std::string::npos);
  EXPECT_NE(why(Text("size = 2\nodds_ratio = 2\n", kSick), {.column = "house"}).find("no secret column"),
            std::string::npos);
  EXPECT_NE(why(Text("size = 2\nodds_ratio = 2\n", kSick), {.column = "sick", .value = "maybe"}).find("declared value"),
            std::string::npos);
  EXPECT_NE(why(Text("size = 2\nodds_ratio = 2\n", kSick, "secret"), {.where = "sick"}).find("reads a secret"),
            std::string::npos);
  EXPECT_EQ(why(Text("size = 2\nodds_ratio = 2\n", kSick, "secret"), {.where = "zyg = 'mz'"}), "made");
  EXPECT_NE(why(Text("size = 2\nodds_ratio = 2\n", kSick), {.false_alarm = 0.5}).find("false alarms"),
            std::string::npos);
}

}  // namespace
}  // namespace kith
