// Budgets with a delta: caps against the transfer function, and what questions are counted as.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "loss/loss_kinds.h"
#include "release/accountant.h"
#include "release/delta_price.h"
#include "release/question_release.h"
#include "transfer/gaussian/gaussian.h"
#include "transfer/gaussian/probit.h"
#include "transfer/gaussian/profile.h"

namespace kith {
namespace {

Policy PolicyWith(const std::string& dependence, const std::string& budget) {
  const auto policy = Policy::Parse(R"([data]
tables.people = "people.csv"
[unit]
table = "people"
key = "id"
max_rows = 1
presence = "public"
[columns.people]
id    = { type = "integer", public = true }
house = { type = "integer", public = true }
ill   = { values = ["no", "yes"] }
[dependence]
source = "public"
)" + dependence + "\n[budget]\nepsilon = 1.0\nledger = \"people.ledger\"\n" +
                                        budget + "\n",
                                    "policy.toml");
  EXPECT_TRUE(policy) << (policy ? "" : policy.error().Text());
  return policy.value();
}

Accountant AccountantOf(const Policy& policy) {
  return Accountant::Make(policy, BudgetCurve::Make(policy, {}, {}).value()).value();
}

const char* const kSix = "kind = \"group\"\nby = \"house\"\nsize = 6\nodds_ratio = 4";

double MuOf(const LedgerCaps& caps) {
  return std::sqrt(Loss::Of(LossKind::kMu, caps.mu[0]).value().value(LossKind::kMu));
}

LedgerGaussian Under(const LedgerCaps& caps, PlainUnits before) {
  LedgerGaussian all;
  all.caps = caps;
  all.before = {before};
  all.mu = all.delta = {0};
  return all;
}

// The table of docs/guide/which_noise.md: one count has the noise 1 / mu.
TEST(DeltaAccount, CapsAreThoseOfTheTransfer_CAP2) {
  struct Case {
    const char* dependence;
    double sigma;
  };
  for (const Case& one : {Case{"kind = \"independent\"", 4.22}, Case{kSix, 24.06}}) {
    const Accountant account = AccountantOf(PolicyWith(one.dependence, "delta = 1e-6"));
    const auto caps = account.CapsAfter({PlainUnits()});
    ASSERT_TRUE(caps);
    EXPECT_NEAR(1 / MuOf(*caps), one.sigma, 0.005 * one.sigma);
    const auto capped = account.Capped(Under(*caps, PlainUnits()));
    ASSERT_TRUE(capped);
    EXPECT_LE(capped->delta, 1e-6);
    EXPECT_GT(capped->delta, 0.9e-6);
    // Every pair of the curve holds for this Gaussian loss under dependence.
    const auto transfer = GaussianTransfer::Make(*account.curve().transfer()).value();
    for (const auto& [epsilon, delta] : capped->curve)
      EXPECT_GE(delta * (1 + 1e-9),
                std::min(DeltaOfMu(MuOf(*caps), epsilon), transfer.Delta(MuOf(*caps), epsilon)->delta));
  }
}

TEST(DeltaAccount, WhatWasSpentBeforeStaysPure_CAP2) {
  const Accountant account = AccountantOf(PolicyWith(kSix, "delta = 1e-6"));
  const double plain = account.Limits(false)[0].epsilon();
  const PlainUnits half = PlainUnits::Floor(plain / 2).value();
  const auto caps = account.CapsAfter({half});
  ASSERT_TRUE(caps);
  // The plain profile of both together, at the plain loss that the policy allows.
  const double allowed = 1e-6 * std::expm1(plain) / std::expm1(1);
  EXPECT_LE(DeltaOfMu(MuOf(*caps), plain - half.epsilon()), allowed * (1 + 1e-9));
  EXPECT_GT(DeltaOfMu(1.01 * MuOf(*caps), plain - half.epsilon()), allowed);
  EXPECT_LE(account.Capped(Under(*caps, half))->delta, 1e-6);
  EXPECT_FALSE(account.CapsAfter({account.Limits(false)[0]}));
  // A part that is kept for keys is not there for noise.
  const Accountant keeps = AccountantOf(PolicyWith(kSix, "delta = 1e-6\nkeys_delta = 5e-7"));
  const auto kept = keeps.CapsAfter({PlainUnits()});
  EXPECT_LT(kept->mu[0], account.CapsAfter({PlainUnits()})->mu[0]);
  EXPECT_GT(kept->delta[0], 0);
  EXPECT_LE(keeps.Capped(Under(*kept, PlainUnits()))->delta, 1e-6);
}

TEST(DeltaAccount, TheCheckAboveSeesACapThatForgetsWhatWasSpent) {
  const Accountant account = AccountantOf(PolicyWith(kSix, "delta = 1e-6"));
  const PlainUnits half = PlainUnits::Floor(account.Limits(false)[0].epsilon() / 2).value();
  const auto forgetful = account.CapsAfter({PlainUnits()});
  EXPECT_GT(account.Capped(Under(*forgetful, half))->delta, 1e-5);
}

// Cells were merged because a promise was withdrawn: units may have lost the sums of both, which exceed every cap.
LedgerGaussian Merged(const LedgerCaps& caps) {
  LedgerGaussian all = Under(caps, PlainUnits());
  all.mu = {2 * caps.mu[0]};
  all.delta = {2 * caps.delta[0]};
  return all;
}

/// For independent records: what is lost by normal noise of these sums, at the policy's epsilon.
double TrueDelta(const LedgerGaussian& all) {
  return DeltaOfMu(std::sqrt(std::ldexp(static_cast<double>(all.mu[0]), -40)), 1);
}

TEST(DeltaAccount, SumsBeyondACapCountAsTheyAre_CAP2) {
  for (const char* budget : {"delta = 1e-6", "delta = 1e-6\nkeys_delta = 5e-7"}) {
    const Accountant account = AccountantOf(PolicyWith("kind = \"independent\"", budget));
    const LedgerGaussian all = Merged(account.CapsAfter({PlainUnits()}).value());
    EXPECT_GT(TrueDelta(all), 1e-4);
    const auto capped = account.Capped(all);
    ASSERT_TRUE(capped);
    const double keys = std::ldexp(static_cast<double>(all.delta[0]), -60);
    EXPECT_GE(capped->delta, (TrueDelta(all) + keys) * (1 - 1e-6));
    EXPECT_GE(capped->plain_delta, (TrueDelta(all) + keys) * (1 - 1e-6));
    for (const auto& [epsilon, delta] : capped->curve)
      EXPECT_GE(delta, DeltaOfMu(std::sqrt(std::ldexp(static_cast<double>(all.mu[0]), -40)), epsilon) * (1 - 1e-6));
  }
}

TEST(DeltaAccount, TheCheckAboveSeesSumsThatAreTakenForTheirCaps) {
  const Accountant account = AccountantOf(PolicyWith("kind = \"independent\"", "delta = 1e-6"));
  const LedgerCaps caps = account.CapsAfter({PlainUnits()}).value();
  const auto forgetful = account.Capped(Under(caps, PlainUnits()));  // the fault: (1, 1e-6) for what loses 1e-4
  EXPECT_LE(forgetful->delta, 1e-6);
  EXPECT_LT(forgetful->delta, TrueDelta(Merged(caps)) / 100);
}

const char* const kPerRow = "\"per row\"";

Policy VisitsPolicy(const std::string& known) {
  const auto policy = Policy::Parse(R"([data]
tables.t = "t.csv"
public_columns = "fixed"
[unit]
table = "t"
key = "id"
max_rows = 8
presence = "public"
[columns.t]
id = { type = "integer", public = true }
visit = { values = [1, 2], public = )" + known +
                                        R"(, required = true }
ill = { values = ["no", "yes"] }
[dependence]
source = "public"
kind = "independent"
[budget]
epsilon = 1.0
delta = 1e-6
ledger = "t.ledger"
)",
                                    "policy.toml");
  EXPECT_TRUE(policy) << (policy ? "" : policy.error().Text());
  return policy.value();
}

/// Random sums of two cells that are equally bad, and a unit with rows in both: what it lost before caps is the average
/// of what the cells say, and so is its Gaussian loss. `squares`: the fault, by which its square is. How often a pair
/// of numbers that is stated is not true of the unit.
int Untrue(bool squares) {
  const Accountant account = AccountantOf(VisitsPolicy(kPerRow));
  std::mt19937_64 bits(35);
  std::uniform_real_distribution<double> before(0, 0.9), part(0.05, 0.95);
  int untrue = 0;
  for (int trial = 0; trial < 500; ++trial) {
    const double b[] = {before(bits), before(bits)}, t = part(bits);
    const double m[] = {LargestMu(1 - b[0], 1e-3), LargestMu(1 - b[1], 1e-3)};  // equally bad
    LedgerGaussian all;
    for (int cell = 0; cell < 2; ++cell) {
      all.before.push_back(PlainUnits::Floor(b[cell]).value());
      all.caps.mu.push_back(static_cast<std::int64_t>(std::ldexp(m[cell] * m[cell], 40)));
    }
    all.mu = all.caps.mu;
    all.caps.delta = all.delta = {0, 0};
    const double lost = (t * b[0] + (1 - t) * b[1]) * (1 - 1e-8);
    const double root = t * m[0] + (1 - t) * m[1];
    const double own = (squares ? std::sqrt(t * m[0] * m[0] + (1 - t) * m[1] * m[1]) : root) * (1 - 1e-8);
    const auto capped = account.Capped(all).value();
    untrue += DeltaOfMu(own, 1 - lost) > std::min(capped.delta, capped.plain_delta) ? 1 : 0;
    for (const auto& [epsilon, delta] : capped.curve)
      untrue += epsilon > lost && DeltaOfMu(own, epsilon - lost) > delta ? 1 : 0;
  }
  return untrue;
}

TEST(DeltaAccount, RowsInSeveralCellsLoseNoMoreThanTheWorstOfThem_ROW2) { EXPECT_EQ(Untrue(false), 0); }

TEST(DeltaAccount, TheCheckAboveSeesUnitsWhoseSquaresAreAverages) { EXPECT_GT(Untrue(true), 400); }

LedgerGaussian Open(std::int64_t delta_cap, PlainUnits spent) {
  LedgerGaussian all;
  all.open = true;
  all.pure = false;
  all.caps = {{0}, {delta_cap}};
  all.before = {spent};
  all.mu = {0};
  all.delta = {delta_cap};
  return all;
}

// K(x) <= e^E K(x') + D, transferred once: at the whole plain budget, with all of the deltas, and whatever is to come.
TEST(DeltaAccount, DeltasBesidePureLossesKeepThePolicy_CAP6) {
  for (const char* dependence : {"kind = \"independent\"", kSix}) {
    for (const double kept : {5e-7, 1e-6}) {
      const Accountant account =
          AccountantOf(PolicyWith(dependence, fmt::format("delta = 1e-6\nkeys_delta = {}", kept)));
      const PlainUnits limit = account.Limits(false)[0];
      const double room = std::expm1(limit.epsilon()) / std::expm1(1);
      const auto caps = account.DeltaCapsAfter({PlainUnits()});
      ASSERT_TRUE(caps);
      EXPECT_LE(std::ldexp(static_cast<double>(caps->at(0)), -60), kept * room);
      EXPECT_GT(std::ldexp(static_cast<double>(caps->at(0)), -60), kept * room * (1 - 1e-8));
      for (const PlainUnits spent : {PlainUnits::Of(1), limit}) {
        const auto capped = account.Capped(Open(caps->at(0), spent));
        ASSERT_TRUE(capped);
        // Never less than the policy's delta, since normal noise may follow, and never only what was used.
        EXPECT_NEAR(capped->delta, 1e-6, 1e-12);
        EXPECT_EQ(capped->plain, limit.epsilon());
        EXPECT_GE(capped->plain_delta, 1e-6 * room * (1 - 1e-9));
        EXPECT_TRUE(capped->curve.empty());
      }
      // All of the budget by normal noise, after which nothing is said that was not true before.
      if (kept < 1e-6) {
        LedgerGaussian after = Under(account.CapsAfter({PlainUnits()}).value(), PlainUnits());
        after.delta = after.caps.delta;
        EXPECT_LE(account.Capped(after)->delta, 1e-6);
      } else {
        EXPECT_NE(account.CapsAfter({PlainUnits()}).error().what.find("kept for keys"), std::string::npos);
      }
      // Beyond the limit, as after a policy that became stricter: no delta at the policy's epsilon.
      const PlainUnits beyond = PlainUnits::Of(limit.count() * 13 / 10);
      const auto more = account.Capped(Open(caps->at(0), beyond));
      EXPECT_EQ(more->delta, 1);
      for (const auto& [epsilon, delta] : more->curve) EXPECT_GE(epsilon, 1.3);
      EXPECT_FALSE(account.DeltaCapsAfter({beyond}));
    }
  }
}

TEST(DeltaAccount, TheCheckAboveSeesACapOfDeltasWithoutDependence) {
  const Accountant account = AccountantOf(PolicyWith(kSix, "delta = 1e-6\nkeys_delta = 5e-7"));
  const auto whole = static_cast<std::int64_t>(std::ldexp(5e-7, 60));
  EXPECT_GT(account.Capped(Open(whole, PlainUnits::Of(1)))->delta, 2e-6);
}

QuestionRelease Question(std::vector<std::int64_t> shares, bool measured_together) {
  QuestionRelease question({});
  for (std::size_t k = 0; k < shares.size(); ++k) {
    question.priced.shares.push_back(PlainUnits::Of(shares[k]));
    question.priced.laws.push_back(
        {Noise::For(Sensitivities::None(), PlainUnits()).value(), std::nullopt, std::nullopt});
    if (measured_together) question.priced.laws.back().measured_with = 0;
  }
  question.priced.total = PlainUnits::Sum(question.priced.shares).value();
  question.charged = {true};
  return question;
}

std::int64_t SquareOf(const QuestionRelease& question) {
  return MuSquaredOf(question, PolicyWith("kind = \"independent\"", "delta = 1e-6")).value();
}

TEST(DeltaPrice, AListOfChargesCountsAsItsConvolution_CAP3) {
  const std::vector<std::int64_t> shares(20, PlainUnits::kOne / 16);
  const std::int64_t mu = SquareOf(Question(shares, false));
  const std::vector<PlainUnits> charges(20, PlainUnits::Of(PlainUnits::kOne / 16));
  const double convolved = PureProfile::Make(charges)->Mu();
  EXPECT_NEAR(static_cast<double>(mu), convolved * convolved * 0x1p40, 2);
  EXPECT_LT(mu, SquareOf(Question(shares, true)) / 10);
  // One measurement with all their shares is one charge.
  const double whole = MuOfPure(20.0 / 16);
  EXPECT_NEAR(static_cast<double>(SquareOf(Question(shares, true))), whole * whole * 0x1p40, 2);
}

TEST(DeltaPrice, TheCheckAboveSeesRanksOfOneMeasurementCountedApart) {
  const std::vector<std::int64_t> shares(20, PlainUnits::kOne / 16);
  auto apart = Question(shares, true);
  for (auto& law : apart.priced.laws) law.measured_with.reset();  // the fault
  const double whole = MuOfPure(20.0 / 16);
  EXPECT_LT(static_cast<double>(SquareOf(apart)), whole * whole * 0x1p40 / 2);
}

// A unit with k rows at visit 1 and the other R - k at visit 2, and an answer about each visit: what it loses is known,
// since the part k / R of a list of charges is a list as well.
enum class Counted { kAsStated, kAsTheWholeList, kForOneRow };

/// By how much the square that a unit loses exceeds the part of each answer's square that its rows are of all, and by
/// how much its root does, relative to them.
struct Excess {
  double square = 0, root = 0, both = 0;
};
Excess LargestExcess(Counted counted) {
  const Policy policy = VisitsPolicy(kPerRow);
  std::mt19937_64 bits(35);
  Excess excess;
  for (int trial = 0; trial < 300; ++trial) {
    std::array<double, 2> square{};
    std::vector<PlainUnits> lost;
    const std::int64_t rows = 2 + static_cast<std::int64_t>(bits() % 7);
    const std::int64_t k = 1 + static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(rows - 1));
    for (std::size_t visit = 0; visit < 2; ++visit) {
      std::vector<std::int64_t> shares;
      const std::int64_t part = visit == 0 ? k : rows - k;
      const std::size_t before = lost.size();
      const double size = std::ldexp(1.0, static_cast<int>(bits() % 8) - 4);
      for (std::size_t n = 1 + bits() % 4; n > 0; --n) {
        const auto unit = static_cast<std::int64_t>(size * 0x1p32 / 64) * static_cast<std::int64_t>(1 + bits() % 4);
        shares.push_back(unit * rows);
        lost.push_back(PlainUnits::Of(unit * (counted == Counted::kForOneRow ? rows : part)));
      }
      QuestionRelease question = Question(shares, false);
      question.charged = {visit == 0, visit == 1};
      if (counted == Counted::kAsTheWholeList) question.charged = {true, true};
      square[visit] = std::ldexp(static_cast<double>(MuSquaredOf(question, policy).value()), -40);
      const double t = static_cast<double>(part) / static_cast<double>(rows);
      const double own = PureProfile::Make(std::span(lost).subspan(before)).value().Mu();
      excess.root = std::max(excess.root, own / (t * std::sqrt(square[visit])) - 1);
      excess.square = std::max(excess.square, own * own / (t * square[visit]) - 1);
    }
    const double own = PureProfile::Make(lost).value().Mu();
    excess.both = std::max(excess.both, own * own / std::max(square[0], square[1]) - 1);
  }
  return excess;
}

TEST(DeltaPrice, APartOfAUnitsRowsLosesItsPartOfTheSquare_ROW2) {
  const Excess excess = LargestExcess(Counted::kAsStated);
  EXPECT_LE(excess.root, 1e-9);
  EXPECT_LE(excess.square, 1e-9);
  EXPECT_LE(excess.both, 1e-9);
  EXPECT_GT(excess.root, -0.01) << "small charges come near what is counted";
  // Where a charge is about units as a whole, it is what it was: the convolution.
  QuestionRelease whole = Question({PlainUnits::kOne, PlainUnits::kOne}, false);
  whole.charged = {true, true};
  QuestionRelease part = whole;
  part.charged = {true, false};
  EXPECT_LT(MuSquaredOf(whole, VisitsPolicy(kPerRow)).value(), MuSquaredOf(part, VisitsPolicy(kPerRow)).value());
}

// The convolution of the whole list, whose part k / R is more than that part of its root; and noise for a single row,
// so that a row at each visit loses both.
TEST(DeltaPrice, TheCheckAboveSeesPartsOfAListThatAreNotProportional) {
  EXPECT_GT(LargestExcess(Counted::kAsTheWholeList).root, 0.05);
  const Excess excess = LargestExcess(Counted::kForOneRow);
  EXPECT_GT(excess.square, 0.05);
  EXPECT_GT(excess.both, 0.05);
}

Plan TwoStatistics() {
  Plan plan;
  plan.statistics.push_back({"count(*)", {}, Sensitivities::OfL1(1).value(), "by hand"});
  plan.statistics.push_back({"sum(age)", {}, Sensitivities::OfL1(100).value(), "by hand"});
  return plan;
}

/// The largest sum of squares over a fine grid of mixtures of the moves.
double Largest(const Plan& plan, const std::vector<JointMove>& moves, const std::vector<std::int64_t>& parts) {
  double largest = 0;
  for (double t = 0; t <= 1; t += 0.01) {
    double sum = 0;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const double change = t * static_cast<double>(moves[0][k]) + (1 - t) * static_cast<double>(moves[1][k]);
      sum +=
          static_cast<double>(parts[k]) * change * change / static_cast<double>(plan.statistics[k].change.l2_squared());
    }
    largest = std::max(largest, sum);
  }
  return largest;
}

TEST(DeltaPrice, NoMoveLosesMoreThanTheJointPrice_CAP4) {
  const Plan plan = TwoStatistics();
  const std::vector<JointMove> moves = {{1, 60}, {0, 100}};
  for (const auto& parts : {std::vector<std::int64_t>{1000, 1000}, {10, 90000}, {90000, 10}, {1, 1}}) {
    const auto joint = JointMuSquared(plan, moves, parts);
    EXPECT_GE(static_cast<double>(joint), Largest(plan, moves, parts) * (1 - 1e-12));
    EXPECT_LE(joint, parts[0] + parts[1]);
    EXPECT_EQ(JointMuSquared(plan, {}, parts), parts[0] + parts[1]);
  }
  EXPECT_EQ(JointMuSquared(plan, moves, std::vector<std::int64_t>{1000, 1000}), 1360);
}

TEST(DeltaPrice, TheCheckAboveSeesAPriceOfTheLargestPartAlone) {
  const std::vector<std::int64_t> parts = {1000, 1000};
  EXPECT_GT(Largest(TwoStatistics(), {{1, 60}, {0, 100}}, parts), 1000);
}

}  // namespace
}  // namespace kith
