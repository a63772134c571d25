// LEARN-5: how often released weights are within their bars around the weights without noise, for rows that resist the
// noise in different ways; and that bars that forget a part of it are noticed.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "analysis/learn/learn.h"
#include "analysis/learn/minimise.h"
#include "analysis/learn/weight_bars.h"
#include "tests/support/stat.h"

namespace kith::learn {
namespace {

constexpr std::size_t kRuns = 2000;

struct Case {
  Examples examples;
  Loss loss;
};

// No rows and one weight: nothing resists, so that the bar is as narrow as it can be.
Case OneWeightWithoutRows() {
  Shape shape;
  shape.AddNumber();
  return {Examples(shape), Loss::kLogistic};
}

// All rows say something about the sum of the number's weight and that of the first category, and nothing about their
// difference: the noise of the number, which is the larger one, also goes into the weight of the category. The hinge is
// bent where a third of the rows are on the other side, the logistic loss where half of them are.
Case OneDirection(Loss loss) {
  Shape shape;
  shape.AddNumber();
  shape.AddCategories(27);
  Examples examples(shape);
  for (int i = 0; i < 300; ++i)
    examples.Add(std::vector<std::int16_t>{Examples::kOne, 0}, loss == Loss::kHinge ? i % 3 != 0 : i % 2 == 0);
  return {std::move(examples), loss};
}

Case RandomRows(Loss loss, std::size_t rows) {
  Shape shape;
  shape.AddNumber();
  shape.AddCategories(3);
  Examples examples(shape);
  std::mt19937_64 random(5);
  for (std::size_t i = 0; i < rows; ++i) {
    const auto number = static_cast<std::int16_t>(static_cast<int>(random() % 32769) - 16384);
    const auto category = static_cast<std::int16_t>(random() % 3);
    examples.Add(std::vector<std::int16_t>{number, category}, number + 6000 * category > 5000);
  }
  return {std::move(examples), loss};
}

std::vector<double> InUnits(const auto& steps, int exponent) {
  std::vector<double> weights;
  for (const auto step : steps) weights.push_back(std::ldexp(static_cast<double>(step), exponent));
  return weights;
}

Terms TermsOf(const Case& of) {
  return TermsFor(PlainUnits::Floor(1).value(), of.examples.shape(), of.loss, 1, std::nullopt).value();
}

/// How often a weight was beyond its bar in kRuns releases, and how often any was beyond the bar for all.
struct Missed {
  std::vector<std::uint64_t> each;
  std::uint64_t any = 0;
};

Missed Count(const Case& of, const WeightBars& bars) {
  const Terms terms = TermsOf(of);
  const std::size_t weights = bars.each.size();
  const CancelFlag never;
  const Problem quiet{of.examples, of.loss, terms.pull, std::vector<Int128>(weights, 0), terms.push_exponent};
  const auto without = InUnits(Minimise(quiet, 0x1p-20, -40, never).value().steps, -40);
  stat::SeededBits bits(stat::SeedForThisTest());
  Missed missed{std::vector<std::uint64_t>(weights, 0), 0};
  for (std::size_t run = 0; run < kRuns; ++run) {
    const auto released = InUnits(Release(of.examples, of.loss, terms, bits, never).value(), terms.step_exponent);
    bool any = false;
    for (std::size_t j = 0; j < weights; ++j) {
      const double off = std::abs(released[j] - without[j]);
      missed.each[j] += off > bars.each[j] ? 1 : 0;
      any |= off > bars.all[j];
    }
    missed.any += any ? 1 : 0;
  }
  return missed;
}

std::vector<Case> Cases() {
  std::vector<Case> cases = {OneWeightWithoutRows()};
  for (const Loss loss : {Loss::kLogistic, Loss::kHinge}) {
    cases.push_back(OneDirection(loss));
    cases.push_back(RandomRows(loss, 5));
    cases.push_back(RandomRows(loss, 200));
  }
  return cases;
}

TEST(WeightBarsStat, HoldWhateverTheRowsAre_LEARN5) {
  for (const Case& of : Cases()) {
    const Missed missed = Count(of, BarsOf(of.examples.shape(), TermsOf(of)));
    for (const std::uint64_t times : missed.each) EXPECT_LE(stat::LowerBound(times, kRuns), 0.05);
    EXPECT_LE(stat::LowerBound(missed.any, kRuns), 0.05);
  }
}

TEST(WeightBarsStat, TheCheckAboveSeesBarsForHalfTheNoise) {
  const Case of = OneWeightWithoutRows();
  WeightBars bars = BarsOf(of.examples.shape(), TermsOf(of));
  for (auto* numbers : {&bars.each, &bars.all})
    for (double& bar : *numbers) bar /= 2;
  const Missed missed = Count(of, bars);
  EXPECT_GT(stat::LowerBound(missed.each[0], kRuns), 0.05);
  EXPECT_GT(stat::LowerBound(missed.any, kRuns), 0.05);
}

TEST(WeightBarsStat, TheCheckAboveSeesBarsThatForgetTheNoiseOfOtherWeights) {
  for (const Loss loss : {Loss::kLogistic, Loss::kHinge}) {
    const Case of = OneDirection(loss);
    const Terms terms = TermsOf(of);
    const double own = terms.pushes[1].scale() * std::ldexp(1, terms.push_exponent) * std::log(20) / terms.pull;
    const std::vector<double> bars(of.examples.shape().weights(), own);
    EXPECT_GT(stat::LowerBound(Count(of, {bars, bars}).each[1], kRuns), 0.05);
  }
}

TEST(WeightBars, OneWeightHasTheBarOfItsOwnNoise) {
  // (|b| + |b|) / 2 is the size of one Laplace number: beyond ln(1 / 0.049) scales in 4.9 % of all cases.
  const Case of = OneWeightWithoutRows();
  const Terms terms = TermsOf(of);
  const double scales = terms.pushes[0].scale() * std::ldexp(1, terms.push_exponent) / terms.pull;
  const double bar = BarsOf(of.examples.shape(), terms).each[0];
  EXPECT_GT(bar, std::log(1 / 0.049) * scales);
  EXPECT_LT(bar, std::log(1 / 0.040) * scales + 0.01);
}

TEST(WeightBars, AllAtOnceAreWider) {
  const Case of = RandomRows(Loss::kHinge, 5);
  const WeightBars bars = BarsOf(of.examples.shape(), TermsOf(of));
  for (std::size_t j = 0; j < bars.each.size(); ++j) EXPECT_GT(bars.all[j], bars.each[j]);
  EXPECT_EQ(bars.each[1], bars.each[3]);
}

}  // namespace
}  // namespace kith::learn
