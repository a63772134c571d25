// Budgets with a delta: caps against the transfer function, and what questions are counted as.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "loss/loss_kinds.h"
#include "release/account.h"
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

Account AccountOf(const Policy& policy) {
  return Account::Make(policy, BudgetCurve::Make(policy, {}, {}).value()).value();
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
    const Account account = AccountOf(PolicyWith(one.dependence, "delta = 1e-6"));
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
  const Account account = AccountOf(PolicyWith(kSix, "delta = 1e-6"));
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
  const Account keeps = AccountOf(PolicyWith(kSix, "delta = 1e-6\nkeys_delta = 5e-7"));
  const auto kept = keeps.CapsAfter({PlainUnits()});
  EXPECT_LT(kept->mu[0], account.CapsAfter({PlainUnits()})->mu[0]);
  EXPECT_GT(kept->delta[0], 0);
  EXPECT_LE(keeps.Capped(Under(*kept, PlainUnits()))->delta, 1e-6);
}

TEST(DeltaAccount, TheCheckAboveSeesACapThatForgetsWhatWasSpent) {
  const Account account = AccountOf(PolicyWith(kSix, "delta = 1e-6"));
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
    const Account account = AccountOf(PolicyWith("kind = \"independent\"", budget));
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
  const Account account = AccountOf(PolicyWith("kind = \"independent\"", "delta = 1e-6"));
  const LedgerCaps caps = account.CapsAfter({PlainUnits()}).value();
  const auto forgetful = account.Capped(Under(caps, PlainUnits()));  // the fault: (1, 1e-6) for what loses 1e-4
  EXPECT_LE(forgetful->delta, 1e-6);
  EXPECT_LT(forgetful->delta, TrueDelta(Merged(caps)) / 100);
}

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
      const Account account = AccountOf(PolicyWith(dependence, fmt::format("delta = 1e-6\nkeys_delta = {}", kept)));
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
  const Account account = AccountOf(PolicyWith(kSix, "delta = 1e-6\nkeys_delta = 5e-7"));
  const auto whole = static_cast<std::int64_t>(std::ldexp(5e-7, 60));
  EXPECT_GT(account.Capped(Open(whole, PlainUnits::Of(1)))->delta, 2e-6);
}

QuestionRelease Question(std::vector<std::int64_t> shares, bool measured_together) {
  QuestionRelease question;
  for (std::size_t k = 0; k < shares.size(); ++k) {
    question.priced.shares.push_back(PlainUnits::Of(shares[k]));
    question.priced.laws.push_back({Noise::For(Change::None(), PlainUnits()).value(), std::nullopt, std::nullopt});
    if (measured_together) question.priced.laws.back().measured_with = 0;
  }
  question.priced.total = PlainUnits::Sum(question.priced.shares).value();
  return question;
}

TEST(DeltaPrice, AListOfChargesCountsAsItsConvolution_CAP3) {
  const std::vector<std::int64_t> shares(20, PlainUnits::kOne / 16);
  const auto mu = MuSquaredOf(Question(shares, false));
  const std::vector<PlainUnits> charges(20, PlainUnits::Of(PlainUnits::kOne / 16));
  const double convolved = PureProfile::Make(charges)->Mu();
  EXPECT_NEAR(static_cast<double>(*mu), convolved * convolved * 0x1p40, 2);
  EXPECT_LT(*mu, *MuSquaredOf(Question(shares, true)) / 10);
  // One measurement with all their shares is one charge.
  const double whole = MuOfPure(20.0 / 16);
  EXPECT_NEAR(static_cast<double>(*MuSquaredOf(Question(shares, true))), whole * whole * 0x1p40, 2);
}

TEST(DeltaPrice, TheCheckAboveSeesRanksOfOneMeasurementCountedApart) {
  const std::vector<std::int64_t> shares(20, PlainUnits::kOne / 16);
  auto apart = Question(shares, true);
  for (auto& law : apart.priced.laws) law.measured_with.reset();  // the fault
  const double whole = MuOfPure(20.0 / 16);
  EXPECT_LT(static_cast<double>(*MuSquaredOf(apart)), whole * whole * 0x1p40 / 2);
}

Plan TwoStatistics() {
  Plan plan;
  plan.statistics.push_back({"count(*)", {}, Change::OfL1(1).value(), "by hand"});
  plan.statistics.push_back({"sum(age)", {}, Change::OfL1(100).value(), "by hand"});
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
