#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "query/output/output.h"
#include "tests/support/stat.h"

namespace kith {
namespace {

using Kind = Spread::Kind;

constexpr double kLowX = -3, kHighX = 5, kMiddleX = 1, kLowY = 0, kHighY = 2, kMiddleY = 1;
constexpr double kHalfXX = 8, kHalfYY = 0.5;

// Statistics 0 to 5: count, x, y, xx, yy, xy, as the binder makes them.
Spread Make(Kind kind, bool sample) {
  Spread s;
  s.kind = kind;
  s.sample = sample;
  s.x = {1, 0, 0, kLowX - kMiddleX, kHighX - kMiddleX};
  s.y = {2, 0, 0, kLowY - kMiddleY, kHighY - kMiddleY};
  s.xx = {3, 0, kHalfXX, 0, 16};
  s.yy = {4, 0, kHalfYY, 0, 1};
  s.xy = {5, 0, 0, -4, 4};
  s.x_middle = kMiddleX;
  s.y_middle = kMiddleY;
  return s;
}

struct Data {
  std::vector<double> x, y;
};

std::vector<double> Exact(const Data& data) {
  std::vector<double> sums(6, 0);
  for (std::size_t i = 0; i < data.x.size(); ++i) {
    const double x = data.x[i] - kMiddleX, y = data.y[i] - kMiddleY;
    const double terms[] = {1, x, y, x * x - kHalfXX, y * y - kHalfYY, x * y};
    for (std::size_t k = 0; k < 6; ++k) sums[k] += terms[k];
  }
  return sums;
}

// By the definition: means first, then products of distances from them.
double Truth(const Data& data, Kind kind, bool sample) {
  const auto n = static_cast<double>(data.x.size());
  double mean_x = 0, mean_y = 0, xx = 0, yy = 0, xy = 0;
  for (const double x : data.x) mean_x += x / n;
  for (const double y : data.y) mean_y += y / n;
  for (std::size_t i = 0; i < data.x.size(); ++i) {
    const double x = data.x[i] - mean_x, y = data.y[i] - mean_y;
    xx += x * x;
    yy += y * y;
    xy += x * y;
  }
  const double by = sample ? n - 1 : n;
  if (kind == Kind::kVariance) return xx / by;
  if (kind == Kind::kDeviation) return std::sqrt(xx / by);
  if (kind == Kind::kCovariance) return xy / by;
  if (kind == Kind::kSlope) return xy / xx;
  if (kind == Kind::kIntercept) return mean_y - xy / xx * mean_x;
  if (kind == Kind::kDetermination) return xy * xy / (xx * yy);
  return xy / std::sqrt(xx * yy);
}

constexpr double kSteep = 1e9;  // lines have no limit but that of the smallest variance

struct Case {
  Kind kind;
  bool sample;
  double least, most;  // what is possible; twice that for samples of two
};
constexpr Case kCases[] = {{Kind::kVariance, false, 0, 16},        {Kind::kVariance, true, 0, 32},
                           {Kind::kDeviation, false, 0, 4},        {Kind::kDeviation, true, 0, 6},
                           {Kind::kCovariance, false, -4, 4},      {Kind::kCovariance, true, -8, 8},
                           {Kind::kCorrelation, false, -1, 1},     {Kind::kDetermination, false, 0, 1},
                           {Kind::kSlope, false, -kSteep, kSteep}, {Kind::kIntercept, false, -kSteep, kSteep}};

class Dice {
 public:
  Dice() : bits_(stat::SeedForThisTest()) {}
  double Between(double low, double high) { return std::uniform_real_distribution<double>(low, high)(bits_); }
  // Clustered, spread out, or at the ends.
  Data Rows() {
    Data data;
    const auto n = static_cast<std::size_t>(Between(2, 40));
    const double tie = Between(-1, 1), width = Between(0, 1);
    for (std::size_t i = 0; i < n; ++i) {
      const double a = Between(-width, width), b = tie * a + (1 - std::abs(tie)) * Between(-width, width);
      data.x.push_back(std::clamp(kMiddleX + 4 * a, kLowX, kHighX));
      data.y.push_back(std::clamp(kMiddleY + b, kLowY, kHighY));
    }
    return data;
  }

 private:
  std::mt19937_64 bits_;
};

std::vector<Estimate> Noisy(const std::vector<double>& exact, Dice& dice, double most) {
  std::vector<Estimate> estimates;
  for (const double x : exact) {
    const double error = dice.Between(0, most);
    estimates.push_back({x + dice.Between(-error, error), error});
  }
  return estimates;
}

double Number(const Value& value) { return std::get<double>(value); }

TEST(Spread, WithoutNoiseItIsTheDefinition) {
  Dice dice;
  for (int round = 0; round < 500; ++round) {
    const Data data = dice.Rows();
    std::vector<Estimate> exact;
    for (const double x : Exact(data)) exact.push_back({x, 0});
    for (const Case& c : kCases) {
      const double truth = Truth(data, c.kind, c.sample);
      if (!std::isfinite(truth)) continue;
      const double value = Number(SpreadOutput(Make(c.kind, c.sample))->Evaluate({}, exact).value);
      EXPECT_NEAR(value, truth, 1e-5 * std::max(1.0, std::abs(truth)));
    }
  }
}

// How often the bar is too short, or the value not possible.
int Misses(double shrink) {
  Dice dice;
  int misses = 0, bars = 0;
  for (int round = 0; round < 4000; ++round) {
    const Data data = dice.Rows();
    std::vector<Estimate> noisy = Noisy(Exact(data), dice, round % 2 == 0 ? 1.5 : 30);
    for (auto& estimate : noisy) estimate.error *= shrink;
    for (const Case& c : kCases) {
      const Outcome outcome = SpreadOutput(Make(c.kind, c.sample))->Evaluate({}, noisy);
      if (std::holds_alternative<Null>(outcome.value)) continue;
      const double value = Number(outcome.value), truth = Truth(data, c.kind, c.sample);
      const bool possible = value >= c.least && value <= c.most;
      const bool line = c.kind == Kind::kSlope || c.kind == Kind::kIntercept;  // without a bar if x may be constant
      if (line && !outcome.error) continue;
      const bool near = !std::isfinite(truth) || std::abs(value - truth) <= outcome.error.value() * (1 + 1e-9) + 1e-6;
      bars += line ? 1 : 0;
      misses += possible && near ? 0 : 1;
    }
  }
  EXPECT_GT(bars, 500);
  return misses;
}

TEST(Spread, BarsHoldTheTruthAndValuesArePossible_SPREAD1) { EXPECT_EQ(Misses(1), 0); }

TEST(Spread, TheCheckAboveSeesBarsThatAreTooShort) { EXPECT_GT(Misses(0.3), 1000); }

TEST(Spread, NoRowsAndOneRowAndAConstantHaveAnswers) {
  const std::vector<Estimate> none(6);
  EXPECT_EQ(Number(SpreadOutput(Make(Kind::kVariance, false))->Evaluate({}, none).value), kHalfXX);
  EXPECT_EQ(Number(SpreadOutput(Make(Kind::kCorrelation, false))->Evaluate({}, none).value), 0);
  std::vector<Estimate> one;
  for (const double x : Exact({{5}, {2}})) one.push_back({x, 0});
  EXPECT_EQ(Number(SpreadOutput(Make(Kind::kDeviation, true))->Evaluate({}, one).value), 0);
  EXPECT_EQ(SpreadOutput(Make(Kind::kCorrelation, false))->Evaluate({}, one).value, Value{Null{}});
  // Nonsense from a large noise: still possible values.
  const std::vector<Estimate> wild = {{-50, 60}, {9, 50}, {-9, 50}, {-800, 900}, {70, 90}, {60, 90}};
  for (const Case& c : kCases) {
    const Outcome outcome = SpreadOutput(Make(c.kind, c.sample))->Evaluate({}, wild);
    if (std::holds_alternative<Null>(outcome.value)) continue;
    EXPECT_GE(Number(outcome.value), c.least);
    EXPECT_LE(Number(outcome.value), c.most);
  }
}

TEST(Spread, ItReadsWhatItIsMadeOf) {
  EXPECT_EQ(SpreadOutput(Make(Kind::kVariance, true))->Reads(), (std::vector<std::size_t>{0, 1, 3}));
  EXPECT_EQ(SpreadOutput(Make(Kind::kCovariance, true))->Reads(), (std::vector<std::size_t>{0, 1, 2, 5}));
  EXPECT_EQ(SpreadOutput(Make(Kind::kCorrelation, false))->Reads(), (std::vector<std::size_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(SpreadOutput(Make(Kind::kSlope, false))->Reads(), (std::vector<std::size_t>{0, 1, 2, 3, 5}));
}

}  // namespace
}  // namespace kith
