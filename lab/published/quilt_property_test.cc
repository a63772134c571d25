// Quilts and the influence curve on short chains, against full enumeration and against the true worst case.
#include <gtest/gtest.h>

#include "published/published_test_tools.h"
#include "tests/support/stat.h"

namespace kith::published {
namespace {

using reference::Dice;

Chain RandomChain(Dice& dice, int values, std::int64_t length) {
  Chain chain{{}, kith::testing::RandomLaw(dice, values), length};
  for (int a = 0; a < values; ++a) chain.transition.push_back(kith::testing::RandomLaw(dice, values));
  return chain;
}

/// The largest log-ratio of the laws of some records given two values of one: from the list of all paths.
double InfluenceOn(const ListedLaw& paths, std::size_t record, const std::vector<std::size_t>& shield) {
  std::map<double, std::map<std::vector<double>, double>> given;
  std::map<double, double> prior;
  for (const Database& d : paths) {
    std::vector<double> at;
    for (const std::size_t j : shield) at.push_back(d.values[j]);
    given[d.values[record]][at] += d.p;
    prior[d.values[record]] += d.p;
  }
  double most = 0;
  for (const auto& [x, p] : given) {
    for (const auto& [y, q] : given) {
      for (const auto& [at, mass] : p) {
        const auto found = q.find(at);
        most = std::max(most, found == q.end() ? INFINITY : std::log(mass / prior[x] / (found->second / prior[y])));
      }
    }
  }
  return most;
}

TEST(QuiltProperty, InfluenceByEnumeration) {
  Dice dice(kith::stat::SeedForThisTest());
  for (int k = 0; k < 40; ++k) {
    const Chain chain = RandomChain(dice, 2 + dice.Below(2), 6);
    const ListedLaw paths = reference::Paths(reference::AsTree(chain));
    for (std::int64_t i = 0; i < 6; ++i) {
      for (std::int64_t left = 0; left <= i; ++left) {
        for (std::int64_t right = 0; right < 6 - i; ++right) {
          std::vector<std::size_t> shield;
          if (left > 0) shield.push_back(static_cast<std::size_t>(i - left));
          if (right > 0) shield.push_back(static_cast<std::size_t>(i + right));
          const auto side = [](std::int64_t steps) { return steps > 0 ? std::optional(steps) : std::nullopt; };
          const double tight = MaxInfluence(chain, i, side(left), side(right), true);
          const double truth = InfluenceOn(paths, static_cast<std::size_t>(i), shield);
          if (std::isinf(truth)) {
            EXPECT_TRUE(std::isinf(tight));
          } else {
            EXPECT_NEAR(tight, truth, 1e-9);
          }
          EXPECT_GE(MaxInfluence(chain, i, side(left), side(right), false), tight - 1e-12);
        }
      }
    }
  }
}

/// max over records of min over quilts, written out. `weight`: 1, or less to count only a part of the influence.
double CurveAt(const Chain& chain, double plain, double weight = 1) {
  const ListedLaw paths = reference::Paths(reference::AsTree(chain));
  const auto length = static_cast<std::size_t>(chain.length);
  double worst = 0;
  for (std::size_t i = 0; i < length; ++i) {
    double least = static_cast<double>(length) * plain;
    for (std::size_t a = 0; a <= i; ++a) {
      for (std::size_t b = 0; b < length - i; ++b) {
        std::vector<std::size_t> shield;
        if (a > 0) shield.push_back(i - a);
        if (b > 0) shield.push_back(i + b);
        std::size_t near = 0;
        for (std::size_t j = 0; j < length; ++j) near += (a == 0 || j > i - a) && (b == 0 || j < i + b) ? 1 : 0;
        least = std::min(least, weight * InfluenceOn(paths, i, shield) + static_cast<double>(near) * plain);
      }
    }
    worst = std::max(worst, least);
  }
  return worst;
}

TEST(QuiltProperty, CurveByEnumerationAndNeverBelowTheTruth_PUBLISHED8) {
  Dice dice(kith::stat::SeedForThisTest());
  for (int k = 0; k < 25; ++k) {
    const Chain chain = RandomChain(dice, 2, 6);
    const QuiltCurve curve = QuiltCurve::Exact(chain, {true, {}});
    const auto transfer = Transfer::Make(Model(chain)).value();
    for (const double plain : {0.01, 0.2, 1.0}) {
      EXPECT_NEAR(curve.Loss(plain), CurveAt(chain, plain), 1e-9);
      // The tree bound equals the worst case over all mechanisms for yes/no chains.
      EXPECT_GE(curve.Loss(plain), transfer.Loss(plain)->dependent - 1e-9);
      EXPECT_GE(QuiltCurve::Exact(chain, {}).Loss(plain), curve.Loss(plain) - 1e-12);
      EXPECT_GE(QuiltCurve::Exact(chain, {true, 2}).Loss(plain), curve.Loss(plain) - 1e-12);
      EXPECT_NEAR(curve.Loss(curve.PlainBudget(plain)), plain, 1e-12);
    }
  }
}

TEST(QuiltProperty, TheCheckAboveSeesForgottenInfluence) {
  Dice dice(kith::stat::SeedForThisTest());
  int off_the_formula = 0;
  int below_the_truth = 0;
  for (int k = 0; k < 25; ++k) {
    const Chain chain = RandomChain(dice, 2, 6);
    const double half = CurveAt(chain, 1, 0.5);
    const double none = CurveAt(chain, 1, 0);
    if (std::abs(half - QuiltCurve::Exact(chain, {true, {}}).Loss(1)) > 1e-9) ++off_the_formula;
    if (none < Transfer::Make(Model(chain)).value().Loss(1)->dependent - 1e-9) ++below_the_truth;
  }
  EXPECT_GT(off_the_formula, 5);
  EXPECT_GT(below_the_truth, 5);
}

TEST(QuiltProperty, ApproximateQuiltsAreNeverBelowExactOnes) {
  Dice dice(kith::stat::SeedForThisTest());
  int compared = 0;
  for (int k = 0; k < 40; ++k) {
    Chain chain = RandomChain(dice, 2 + dice.Below(2), 40);
    for (const Forgetting how :
         {Forgetting::kReversibleGap, Forgetting::kGap, Forgetting::kEigenvalue, Forgetting::kSingularValue}) {
      const auto rough = QuiltCurve::Approximate(chain, how, {});
      if (!rough) {
        EXPECT_EQ(rough.error().code, Code::kInvalidArgument);
        continue;
      }
      ++compared;
      const QuiltCurve exact = QuiltCurve::Exact(chain, {true, {}});
      for (const double plain : {0.001, 0.01, 0.1}) EXPECT_GE(rough->Loss(plain), exact.Loss(plain) - 1e-9);
      const double rate = ForgettingRate(chain.transition, how).value();
      EXPECT_TRUE(rate >= 0 && rate < 1);
    }
  }
  EXPECT_GT(compared, 40);
}

TEST(QuiltProperty, StationaryLawStays) {
  Dice dice(kith::stat::SeedForThisTest());
  for (int k = 0; k < 50; ++k) {
    const Chain chain = RandomChain(dice, 4, 1);
    const auto law = StationaryLaw(chain.transition);
    if (!law) continue;
    for (std::size_t y = 0; y < 4; ++y) {
      double next = 0;
      for (std::size_t x = 0; x < 4; ++x) next += (*law)[x] * chain.transition[x][y];
      EXPECT_NEAR(next, (*law)[y], 1e-12);
    }
  }
  EXPECT_FALSE(StationaryLaw({{1, 0}, {0, 1}}));                            // stuck in either value
  EXPECT_FALSE(ForgettingRate({{0, 1}, {1, 0}}, Forgetting::kEigenvalue));  // alternates for ever
  EXPECT_FALSE(ForgettingRate({{0.1, 0.8, 0.1}, {0.1, 0.1, 0.8}, {0.8, 0.1, 0.1}}, Forgetting::kEigenvalue));
  EXPECT_TRUE(ForgettingRate({{0.1, 0.8, 0.1}, {0.1, 0.1, 0.8}, {0.8, 0.1, 0.1}}, Forgetting::kGap));
}

TEST(QuiltProperty, BudgetsOfAnyWidthAreThoseOfAllQuilts) {
  Dice dice(kith::stat::SeedForThisTest());
  for (int k = 0; k < 60; ++k) {
    const Chain chain = RandomChain(dice, 2 + dice.Below(2), 2 + dice.Below(90));
    for (const double dependent : {0.01, 0.3, 1.0, 5.0}) {
      for (const bool skip : {false, true}) {
        const QuiltBudget found = ExactQuiltBudget(chain, dependent, skip);
        const double truth = QuiltCurve::Exact(chain, {skip, {}}).PlainBudget(dependent);
        EXPECT_EQ(found.cut, 0);
        EXPECT_NEAR(found.plain, truth, 1e-9 * truth);
      }
      const auto rough = ApproximateQuiltBudget(chain, Forgetting::kSingularValue, dependent);
      const auto all = QuiltCurve::Approximate(chain, Forgetting::kSingularValue, {});
      ASSERT_EQ(rough.has_value(), all.has_value());
      if (rough) {
        EXPECT_NEAR(rough->plain, all->PlainBudget(dependent), 1e-9 * rough->plain);
      }
    }
  }
}

}  // namespace
}  // namespace kith::published
