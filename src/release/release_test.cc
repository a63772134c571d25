// The pieces of the pipeline: prices, noise for every group, limits, and the order of charge and reading.
#include "release/release.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <thread>

#include "kernel/opening.h"
#include "mechanism/noise.h"
#include "release/accountant.h"
#include "release/average_error.h"
#include "release/compose_answer.h"
#include "release/pricing.h"
#include "tests/support/policies.h"
#include "tests/support/stat.h"

namespace kith {
namespace {

Policy Twins() { return testing::MakePolicy(testing::TwinsPolicyText()); }

Plan TwinPlan(const std::string& sql) {
  auto plan = PlanQuestion(sql, Twins());
  EXPECT_TRUE(plan.has_value()) << plan.error().Text();
  return *std::move(plan);
}

Price AtEpsilon(double epsilon) {
  Price price;
  price.epsilon = epsilon;
  return price;
}

// Made for the change of the statistic and exactly the integer that is charged [NOISE-1].
bool NoiseFitsCharge(const Statistic& statistic, PlainUnits charged, const Noise& law) {
  const double scale = static_cast<double>(statistic.change.l1().steps()) / charged.epsilon();  // correctly rounded
  return law.change() == statistic.change && law.loss() == Loss::Pure(charged) && law.scale() == scale;
}

TEST(Pricing, NoiseIsDerivedFromTheChargedInteger) {
  const Plan plan = TwinPlan("SELECT count(*), sum(age) FROM twins WHERE stutter = 'yes'");
  const auto priced = PriceQuestion(plan, AtEpsilon(0.3), 1.0, PlainUnits::Floor(0.579).value());
  ASSERT_TRUE(priced.has_value());
  ASSERT_EQ(priced->laws.size(), 2u);
  for (std::size_t k = 0; k < plan.statistics.size(); ++k) {
    EXPECT_TRUE(NoiseFitsCharge(plan.statistics[k], priced->shares[k], priced->laws[k].noise));
  }
  EXPECT_EQ(PlainUnits::Sum(priced->shares).value(), priced->total);
  EXPECT_LE(priced->total.epsilon(), 0.3 * 0.579);
}

TEST(Pricing, TheCheckSeesOneUnitTooMuch) {
  const Plan plan = TwinPlan("SELECT count(*) FROM twins WHERE stutter = 'yes'");
  const auto priced = PriceQuestion(plan, AtEpsilon(0.3), 1.0, PlainUnits::Floor(0.579).value());
  const auto generous = PlainUnits::Of(priced->shares[0].count() + 1);
  EXPECT_FALSE(
      NoiseFitsCharge(plan.statistics[0], priced->shares[0], Noise::For(plan.statistics[0].change, generous).value()));
}

TEST(Pricing, TenTenthsFit) {
  const Plan plan = TwinPlan("SELECT count(*) FROM twins WHERE stutter = 'yes'");
  for (const double total : {1.0, 0.3, 0.7, 3.0, 1e-3}) {
    const auto budget = PlainUnits::Floor(total * 0.61803).value();
    const auto tenth = PriceQuestion(plan, AtEpsilon(total / 10), total, budget);
    ASSERT_TRUE(tenth.has_value());
    EXPECT_LE(10 * tenth->total.count(), budget.count());
    EXPECT_GE(10 * tenth->total.count(), budget.count() - 10);
  }
}

TEST(Pricing, APriceThatMeansNothingIsRefusedEvenWhereNothingIsPaid) {
  const Plan free = TwinPlan("SELECT count(*) FROM twins");
  ASSERT_TRUE(free.noisy().empty());
  EXPECT_EQ(PriceQuestion(free, AtEpsilon(0.1), 1.0, PlainUnits::Of(4000000))->total.count(), 0);
  for (const double wrong : {-1.0, 0.0, std::nan("")}) {
    EXPECT_EQ(PriceQuestion(free, AtEpsilon(wrong), 1.0, PlainUnits::Of(4000000)).error().code, Code::kInvalidArgument);
  }
}

TEST(Pricing, SplitFollowsItsWeights) {
  const Plan plan = TwinPlan("SELECT count(*), sum(age) FROM twins WHERE stutter = 'yes'");
  Price price = AtEpsilon(0.4);
  price.split = {3, 1};
  const auto priced = PriceQuestion(plan, price, 1.0, PlainUnits::Of(4000000));
  ASSERT_TRUE(priced.has_value());
  EXPECT_EQ(priced->shares[0].count(), 1200000);
  EXPECT_EQ(priced->shares[1].count(), 400000);
  price.split = {1};
  EXPECT_EQ(PriceQuestion(plan, price, 1.0, PlainUnits::Of(4000000)).error().code, Code::kInvalidArgument);
  price.split = {1, -1};
  EXPECT_FALSE(PriceQuestion(plan, price, 1.0, PlainUnits::Of(4000000)).has_value());
}

// How many groups came back different from their exact value, over many rounds.
std::size_t GroupsEverNoisy(const NoisyGroups& exact, const std::function<NoisyGroups()>& add_noise) {
  std::vector<bool> moved(exact.size(), false);
  for (int round = 0; round < 200; ++round) {
    const auto noisy = add_noise();
    for (std::size_t g = 0; g < exact.size(); ++g) moved[g] = moved[g] || noisy[g][0] != exact[g][0];
  }
  return static_cast<std::size_t>(std::count(moved.begin(), moved.end(), true));
}

// One group has people, the others are empty and missing from the engine's table. The chance that a group keeps its
// exact value in 200 rounds at scale 10 is below 0.05^200.
TEST(Noise, EmptyGroupsGetNoiseToo) {
  const Plan plan = TwinPlan("SELECT zyg, count(*) FROM twins WHERE stutter = 'yes' GROUP BY zyg");
  ASSERT_EQ(plan.groups(), 4u);
  const IntegerTable table{2, {{Int128{1}, Int128{7}}}};
  const NoisyGroups exact = {{0}, {7}, {0}, {0}};
  stat::SeededBits bits(stat::SeedForThisTest());
  const auto laws = MechanismsOf(plan, std::vector{PlainUnits::Floor(0.1).value()}).value();
  EXPECT_EQ(GroupsEverNoisy(exact, [&] { return AddNoise(plan, {table, {}}, laws, bits).value(); }), 4u);
}

TEST(Noise, TheCheckSeesEmptyGroupsLeftAlone) {
  const NoisyGroups exact = {{0}, {7}, {0}, {0}};
  stat::SeededBits bits(stat::SeedForThisTest());
  const auto law = Noise::For(Sensitivities::OfL1(1).value(), PlainUnits::Floor(0.1).value()).value();
  EXPECT_EQ(GroupsEverNoisy(exact, [&] { return NoisyGroups{{0}, {law.Release(7, bits)}, {0}, {0}}; }), 1u);
}

TEST(Noise, ATableOfAnotherShapeIsAnError) {
  const Plan plan = TwinPlan("SELECT zyg, count(*) FROM twins WHERE stutter = 'yes' GROUP BY zyg");
  stat::SeededBits bits(1);
  const auto laws = MechanismsOf(plan, std::vector{PlainUnits::Floor(0.1).value()}).value();
  for (const IntegerTable& table :
       {IntegerTable{1, {{Int128{1}}}}, IntegerTable{2, {{Int128{4}, Int128{1}}}},
        IntegerTable{2, {{Int128{-1}, Int128{1}}}}, IntegerTable{2, {{std::nullopt, Int128{1}}}},
        IntegerTable{2, {{Int128{1}, Int128{1}}, {Int128{1}, Int128{2}}}}}) {
    EXPECT_EQ(AddNoise(plan, {table, {}}, laws, bits).error().code, Code::kInternal);
  }
}

bool WithinPolicy(const Accountant& account, const std::vector<PlainUnits>& spent, double epsilon_total) {
  Totals totals;
  totals.spent = spent;
  return account.Dependent(totals).value().dependent <= epsilon_total;
}

// By hand: ages 0 to 120 are summed as differences from 60. In the middle the interval's far end is s / (n - c); at the
// upper bound the average can only be lower: 60 - (60 n - s) / (n + c).
TEST(AverageErrors, FollowFromSumAndCount) {
  const Plan plan = TwinPlan("SELECT zyg, avg(age) AS a, count(*) FROM twins WHERE stutter = 'yes' GROUP BY zyg");
  const auto priced = PriceQuestion(plan, AtEpsilon(0.9), 1.0, PlainUnits::Floor(0.579).value()).value();
  const auto errors = AverageErrors(plan, priced);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].output, "a");
  const auto bar = [&](std::size_t k) {
    return priced.laws[k].noise.ErrorBar(0.975) * plan.statistics[k].lattice.step();
  };
  const double s = bar(0), c = bar(1);
  ASSERT_EQ(plan.statistics[0].name, "sum(age - 60) for avg(age)");
  ASSERT_EQ(plan.statistics[1].name, "count(age)");
  for (const auto& at : errors[0].at) {
    if (at.rows < 1000) continue;
    const double n = at.rows;
    EXPECT_NEAR(at.error_95, std::max(s / (n - c), 60 - (60 * n - s) / (n + c)), 1e-6 * at.error_95);
  }
  EXPECT_TRUE(AverageErrors(TwinPlan("SELECT sum(age), count(*) FROM twins"), priced).empty());
}

TEST(Assumption, IsOneSentence) {
  EXPECT_EQ(OneSentence({"alone"}), "alone");
  EXPECT_EQ(OneSentence({"same; all", "same; all"}), "same; all");
  EXPECT_EQ(OneSentence({"odds at most 40 where z=a; groups", "odds at most 3 where z=b; groups",
                         "odds at most 2 where z=c; groups"}),
            "odds at most 40 where z=a, 3 where z=b and 2 where z=c; groups");
  EXPECT_EQ(OneSentence({"one", "other thing"}), "one and other thing");
  const Policy policy = Twins();
  const auto account = Accountant::Make(policy, BudgetCurve::Make(policy, {}, CancelFlag()).value());
  Totals nothing;
  nothing.spent.assign(policy.cells.size(), PlainUnits());
  EXPECT_EQ(account->Dependent(nothing).value().assumption,
            "within a group of at most 2 records, given everybody else, having a relative with it multiplies the odds "
            "by at most 40 for mz, 2.5 for dz and 2.5 for os; groups are independent");
}

TEST(AccountLimits, AtTheLimitTheDependentLossIsWithinEpsilon) {
  for (const double epsilon : {0.01, 0.5, 1.0, 4.0}) {
    Policy policy = Twins();
    policy.epsilon_total = epsilon;
    const auto account = Accountant::Make(policy, BudgetCurve::Make(policy, {}, CancelFlag()).value());
    ASSERT_TRUE(account.has_value());
    const auto limits = account->Limits(false);
    EXPECT_TRUE(WithinPolicy(*account, limits, epsilon));
    // A unit that has been in any class stays within epsilon as well.
    Totals moved;
    moved.spent = account->Limits(true);
    moved.moved = true;
    EXPECT_LE(account->Dependent(moved)->dependent, epsilon);
    // Fraternal twins have the larger plain budget: their class is its own.
    EXPECT_GT(*std::max_element(limits.begin(), limits.end()), *std::min_element(limits.begin(), limits.end()));
  }
}

TEST(AccountLimits, TheCheckSeesLimitsThatForgetTheTwin) {
  Policy policy = Twins();
  const auto account = Accountant::Make(policy, BudgetCurve::Make(policy, {}, CancelFlag()).value());
  const std::vector<PlainUnits> forgetful(policy.cells.size(), PlainUnits::Floor(policy.epsilon_total).value());
  EXPECT_FALSE(WithinPolicy(*account, forgetful, policy.epsilon_total));
}

// A curve in three points: what is between two of them counts as the larger one.
bool NeverBelow(const BudgetCurve& curve, const std::function<double(double)>& g) {
  for (double plain = 0; plain <= 2; plain += 0.01) {
    if (curve.Loss(plain, 0).value().dependent < g(plain)) return false;
  }
  return true;
}

BudgetCurve Tabulated(double shift) {
  std::vector<BudgetCurve::Point> points;
  for (const double plain : {0.0, 0.5, 1.0, 2.0}) {
    Transferred at;
    at.dependent = 2 * std::max(0.0, plain - shift);
    points.push_back({plain, at});
  }
  return BudgetCurve::FromPoints(std::move(points), 0.5);
}

TEST(CurveTable, IsNeverBelowTheFunctionItTabulates) {
  EXPECT_TRUE(NeverBelow(Tabulated(0), [](double plain) { return 2 * plain; }));
  EXPECT_TRUE(std::isinf(Tabulated(0).Loss(2.5, 0).value().dependent));
}

TEST(CurveTable, TheCheckSeesATableThatRoundsDown) {
  EXPECT_FALSE(NeverBelow(Tabulated(0.5), [](double plain) { return 2 * plain; }));
}

// A question that is stopped at one of its stages.
class StoppedQuestion : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("kith_release_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
    std::ofstream csv(folder_ / "twins.csv");
    csv << "id,pair,zyg,sex,age,stutter\n";
    for (int i = 0; i < 4000; ++i) csv << i << "," << i / 2 << ",mz,male,30,no\n";
    std::ofstream(folder_ / "policy.toml") << testing::TwinsPolicyText();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static double Spent(const Curator& curator) { return curator.Budget().value().cells.at(0).plain_spent; }

  // Did a question that failed leave a charge, and say so? It is stopped when this stage begins.
  static bool FailedButCharged(const Curator& curator, const std::string& sql, std::string_view stopped_at) {
    const double before = Spent(curator);
    Call call;
    call.stages = [&](std::optional<std::string_view> stage) {
      if (stage == stopped_at) call.cancel.Cancel();
    };
    const auto answer = curator.Release(QuestionRequest{sql}, AtEpsilon(0.1), {}, call);
    return !answer.has_value() && Spent(curator) > before && answer.error().charged == Charged::kYes &&
           answer.error().Text().find("asking again is charged again") != std::string::npos;
  }
  std::filesystem::path folder_;
};

TEST_F(StoppedQuestion, AFailureAfterTheChargeKeepsTheCharge) {
  const auto curator = Curator::Open(folder_ / "policy.toml", EngineOptions{});
  ASSERT_TRUE(curator.has_value()) << curator.error().Text();
  const CancelFlag never;
  ASSERT_TRUE(curator->Import(never).has_value());
  // Charged, and stopped before anything is read.
  EXPECT_TRUE(FailedButCharged(*curator,
                               "SELECT sum(abs(age - 3)), count(DISTINCT id) FROM twins WHERE stutter LIKE '%o%'",
                               "computing the answer"));
}

TEST_F(StoppedQuestion, TheCheckSeesAFailureWithoutACharge) {
  const auto curator = Curator::Open(folder_ / "policy.toml", EngineOptions{});
  ASSERT_TRUE(curator.has_value());
  EXPECT_FALSE(FailedButCharged(*curator, "SELECT max(age) FROM twins", "none"));  // refused before any charge
  EXPECT_FALSE(FailedButCharged(*curator, "SELECT count(*) FROM twins WHERE stutter = 'no'", "opening the data"));
}

TEST_F(StoppedQuestion, CancelledBeforeTheChargeCostsNothing) {
  const auto curator = Curator::Open(folder_ / "policy.toml", EngineOptions{});
  CancelFlag cancel;
  ASSERT_TRUE(curator->Import(cancel).has_value());
  cancel.Cancel();
  const auto stopped =
      curator->Release(QuestionRequest{"SELECT count(*) FROM twins WHERE stutter = 'no'"}, AtEpsilon(0.1), {}, cancel);
  EXPECT_EQ(stopped.error().code, Code::kCancelled);
  EXPECT_EQ(stopped.error().charged, Charged::kNo);
  EXPECT_EQ(Spent(*curator), 0);
  // Wherever it was stopped, what the error says of the charge is what the ledger says.
  for (const char* stage : {"opening the data", "waiting for whoever asks the same", "computing the answer"}) {
    Call call;
    call.stages = [&](std::optional<std::string_view> begins) {
      if (begins == stage) call.cancel.Cancel();
    };
    const double before = Spent(*curator);
    const auto answer = curator->Release(
        QuestionRequest{"SELECT count(DISTINCT id) FROM twins WHERE stutter LIKE '%o%'"}, AtEpsilon(0.1), {}, call);
    ASSERT_FALSE(answer) << stage;
    EXPECT_EQ(answer.error().charged, Spent(*curator) > before ? Charged::kYes : Charged::kNo) << stage;
  }
}

TEST_F(StoppedQuestion, ADeadlineThatHasPassedCostsNothingAndIsNamed) {
  const auto curator = Curator::Open(folder_ / "policy.toml", EngineOptions{});
  const Call patient;
  ASSERT_TRUE(curator->Import(patient).has_value());
  const QuestionRequest question{"SELECT count(*) FROM twins WHERE stutter = 'no'"};
  const auto late = curator->Release(question, AtEpsilon(0.1), {}, patient.Until(Deadline::In({})));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Code::kCancelled);
  EXPECT_NE(late.error().what.find("the deadline has passed"), std::string::npos) << late.error().what;
  EXPECT_NE(late.error().what.find("nothing was charged"), std::string::npos) << late.error().what;
  EXPECT_EQ(late.error().charged, Charged::kNo);
  EXPECT_EQ(Spent(*curator), 0);
  const auto in_time =
      curator->Release(question, AtEpsilon(0.1), {}, patient.Until(Deadline::In(std::chrono::hours(1))));
  EXPECT_TRUE(in_time) << in_time.error().Text();
}

TEST(Answers, SayWhichColumnsHoldPartsOfAHistogram) {
  const auto histograms = [](const std::string& sql) {
    const Plan plan = TwinPlan(sql);
    const auto priced = PriceQuestion(plan, AtEpsilon(0.1), 1.0, PlainUnits::Of(4000000)).value();
    const NoisyGroups noisy(plan.groups(), std::vector<Int128>(plan.statistics.size(), 5));
    return ComposeAnswer(plan, noisy, priced).histograms;
  };
  using Columns = std::vector<std::size_t>;
  const std::string rest = " FROM twins WHERE stutter = 'yes' GROUP BY ";
  EXPECT_EQ(histograms("SELECT histogram(age, 4) AS part, count(*)" + rest + "part"), Columns{0});
  EXPECT_EQ(histograms("SELECT zyg, count(*), histogram(age, 4) AS part" + rest + "zyg, part"), Columns{2});
  EXPECT_EQ(histograms("SELECT zyg, count(*)" + rest + "zyg"), Columns{});
  EXPECT_EQ(histograms("SELECT histogram(age, 4) AS part, count(*)" + rest + "ROLLUP(part)"), Columns{});
}

TEST(AnswerJson, ComesBackAsItWas) {
  Answer answer;
  answer.columns = {"zyg", "n", "a"};
  answer.rows = {{{std::string("mz"), {}}, {std::int64_t{12}, 3.0}, {0.1, std::nullopt}},
                 {{Null{}, {}}, {std::int64_t{-4}, 3.0}, {Null{}, {}}}};
  answer.certificate.noise = {{"count(*)", PlainUnits::Of(77), 1.5, 1, 1, 3, 4, false, "discrete laplace"}};
  answer.certificate.ledger_entry = 9;
  answer.notes = {{NoteKind::kFinding, "a note"}};
  const std::string text = AnswerToJson(answer);
  EXPECT_EQ(AnswerToJson(AnswerFromJson(text).value()), text);
  EXPECT_EQ(text.find("histogram"), std::string::npos);
  EXPECT_TRUE(AnswerFromJson(text)->histograms.empty());
  answer.histograms = {0, 2};
  EXPECT_EQ(AnswerFromJson(AnswerToJson(answer))->histograms, answer.histograms);
  EXPECT_EQ(AnswerFromJson("{}").error().code, Code::kStorage);
}

}  // namespace
}  // namespace kith
