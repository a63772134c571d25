// field and association against the exact loss of random laws of their class: any single-record laws, any known
// records.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/small_laws.h"
#include "tests/support/stat.h"
#include "transfer/pair/pair.h"
#include "transfer/transfer.h"

namespace kith {
namespace {

using testing::Dice;
using testing::SmallLaw;

/// A random positive table over some records, and its strength: the largest odds ratio between one of them and the
/// rest.
struct RandomFactor {
  std::vector<int> records;
  std::vector<double> weight;  // row-major over the records' values
  double theta = 0;
};

std::size_t IndexOf(const RandomFactor& factor, const SmallLaw& law, std::size_t state, int changed = -1,
                    int value = 0) {
  std::size_t index = 0;
  for (const int r : factor.records) {
    const int v = r == changed ? value : law.Value(state, r);
    index = index * static_cast<std::size_t>(law.values[static_cast<std::size_t>(r)]) + static_cast<std::size_t>(v);
  }
  return index;
}

/// log of the largest weight(a,y) weight(b,y') / (weight(b,y) weight(a,y')) between record r's values a, b and the
/// rest's y, y'.
double Strength(const RandomFactor& factor, const SmallLaw& shape, std::size_t states) {
  double theta = 0;
  for (const int r : factor.records) {
    const int values = shape.values[static_cast<std::size_t>(r)];
    for (int a = 0; a < values; ++a) {
      for (int b = 0; b < values; ++b) {
        double low = INFINITY;
        double high = -INFINITY;
        for (std::size_t x = 0; x < states; ++x) {
          const double ratio =
              std::log(factor.weight[IndexOf(factor, shape, x, r, a)] / factor.weight[IndexOf(factor, shape, x, r, b)]);
          low = std::min(low, ratio);
          high = std::max(high, ratio);
        }
        theta = std::max(theta, high - low);
      }
    }
  }
  return theta;
}

struct RandomField {
  SmallLaw law;
  Field model;
};

RandomField MakeField(Dice& dice, std::vector<int> values, const std::vector<std::vector<int>>& factors) {
  RandomField field;
  field.law.values = std::move(values);
  field.model.nodes = field.law.records();
  std::size_t states = 1;
  for (const int v : field.law.values) states *= static_cast<std::size_t>(v);
  field.law.law.assign(states, 1);
  for (const auto& records : factors) {
    RandomFactor factor{records, {}, 0};
    std::size_t size = 1;
    for (const int r : records) size *= static_cast<std::size_t>(field.law.values[static_cast<std::size_t>(r)]);
    const double spread = dice.Between(0, 1.5);
    for (std::size_t k = 0; k < size; ++k) factor.weight.push_back(std::exp(dice.Between(-spread, spread)));
    factor.theta = Strength(factor, field.law, states);
    for (std::size_t x = 0; x < states; ++x) field.law.law[x] *= factor.weight[IndexOf(factor, field.law, x)];
    field.model.factors.push_back({{records.begin(), records.end()}, factor.theta});
  }
  for (int j = 0; j < field.law.records(); ++j) {  // single-record laws: sometimes extreme
    const bool wild = dice.Chance(0.5);
    std::vector<double> weight;
    for (int v = 0; v < field.law.values[static_cast<std::size_t>(j)]; ++v) weight.push_back(dice.Weight(wild));
    for (std::size_t x = 0; x < states; ++x)
      field.law.law[x] *= weight[static_cast<std::size_t>(field.law.Value(x, j))];
  }
  double sum = 0;
  for (const double p : field.law.law) sum += p;
  for (double& p : field.law.law) p /= sum;
  return field;
}

/// By how much the exact loss exceeds the bounds, at most, for every record and every set of other records known by
/// value.
double Excess(const SmallLaw& law, std::vector<double> bounds, std::vector<int> steps, double step, bool known) {
  double excess = -INFINITY;
  for (int i = 0; i < law.records(); ++i) {
    if (law.values[static_cast<std::size_t>(i)] == 0) continue;
    const double truth = testing::EnumeratedLoss(law, i, steps, step);
    if (steps[static_cast<std::size_t>(i)] > 0) excess = std::max(excess, truth - bounds[static_cast<std::size_t>(i)]);
  }
  if (!known || law.records() == 2) return excess;
  for (int k = 0; k < law.records(); ++k) {
    auto fewer_bounds = bounds;
    auto fewer_steps = steps;
    fewer_bounds.erase(fewer_bounds.begin() + k);
    fewer_steps.erase(fewer_steps.begin() + k);
    for (int v = 0; v < law.values[static_cast<std::size_t>(k)]; ++v) {
      const SmallLaw given = law.Given(k, v);
      if (!given.law.empty()) excess = std::max(excess, Excess(given, fewer_bounds, fewer_steps, step, true));
    }
  }
  return excess;
}

const std::vector<std::vector<std::vector<int>>> kShapes = {
    {{0, 1}, {1, 2}, {2, 3}},                          // path
    {{0, 1}, {0, 2}, {0, 3}},                          // star
    {{0, 1}, {1, 2}, {2, 3}, {3, 0}},                  // ring
    {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}},  // complete
    {{0, 1, 2}, {2, 3}},                               // a three-way factor
    {{0, 1, 2}, {1, 2, 3}},                            // two that overlap
    {{0, 1, 2, 3}},
};

TEST(FieldProperty, IsNeverBelowExactWhateverIsKnown) {
  Dice dice(stat::SeedForThisTest());
  double tightest = INFINITY;
  for (int trial = 0; trial < 40; ++trial) {
    for (const auto& shape : kShapes) {
      const RandomField field = MakeField(dice, {2, 2, 2, 2}, shape);
      const double step = dice.Between(0.02, 1.5);
      const auto loss = Transfer::Make(field.model)->Loss(step).value();
      const double excess = Excess(field.law, loss.per_record, {1, 1, 1, 1}, step, true);
      EXPECT_LE(excess, 1e-12);
      tightest = std::min(tightest, -excess);
    }
  }
  EXPECT_LT(tightest, 0.05);  // some random law comes close: the comparison has teeth
}

TEST(FieldProperty, SeveralValuesAndUnequalLosses) {
  Dice dice(stat::SeedForThisTest());
  for (int trial = 0; trial < 40; ++trial) {
    const double step = dice.Between(0.02, 1);
    const RandomField three = MakeField(dice, {3, 2, 3}, {{0, 1}, {1, 2}, {0, 2}});
    const auto loss = Transfer::Make(three.model)->Loss(step).value();
    EXPECT_LE(Excess(three.law, loss.per_record, {1, 1, 1}, step, true), 1e-12);

    const RandomField yes_no = MakeField(dice, {2, 2, 2}, {{0, 1}, {1, 2}, {0, 2}});
    const std::vector<int> steps = {2, 1, 3};
    const std::vector<double> plain = {2 * step, step, 3 * step};
    const auto unequal = Transfer::Make(yes_no.model)->LossPerRecord(plain).value();
    EXPECT_LE(Excess(yes_no.law, unequal.per_record, steps, step, true), 1e-12);
  }
}

TEST(FieldProperty, HiddenCauses) {
  Dice dice(stat::SeedForThisTest());
  for (int trial = 0; trial < 60; ++trial) {
    RandomField field = MakeField(dice, {2, 2, 2, 2}, {{0, 3}, {1, 3}, {2, 3}});
    field.model.hidden = {3};
    const double step = dice.Between(0.02, 1.5);
    const auto loss = Transfer::Make(field.model)->Loss(step).value();
    EXPECT_LE(Excess(field.law, loss.per_record, {1, 1, 1, 0}, step, true), 1e-12);
  }
}

TEST(FieldProperty, PrevalenceIsNeverBelowExactWhateverIsKnown) {
  Dice dice(stat::SeedForThisTest());
  for (int trial = 0; trial < 60; ++trial) {
    RandomField field = MakeField(dice, {2, 2, 2, 2}, kShapes[static_cast<std::size_t>(dice.Below(4))]);
    Prevalence range{1, 0};
    for (std::size_t x = 0; x < 16; ++x) {
      for (int j = 0; j < 4; ++j) {
        const std::size_t other = x ^ (std::size_t{8} >> j);
        const double p = field.law.law[x] / (field.law.law[x] + field.law.law[other]);
        const double yes = field.law.Value(x, j) == 1 ? p : 1 - p;
        range = {std::min(range.low, yes), std::max(range.high, yes)};
      }
    }
    field.model.prevalence = range;
    const double step = dice.Between(0.02, 1.5);
    const auto loss = Transfer::Make(field.model)->Loss(step).value();
    EXPECT_LE(Excess(field.law, loss.per_record, {1, 1, 1, 1}, step, true), 1e-12);
  }
}

/// The largest odds ratio of two values of one record between two values of another, given all others.
double LargestOddsRatio(const SmallLaw& law) {
  const auto stride = [&](int record) {
    std::size_t step = 1;
    for (int k = law.records() - 1; k > record; --k)
      step *= static_cast<std::size_t>(law.values[static_cast<std::size_t>(k)]);
    return step;
  };
  double largest = 1;
  for (int i = 0; i < law.records(); ++i) {
    for (int j = 0; j < law.records(); ++j) {
      for (std::size_t x = 0; x < law.law.size() && i != j; ++x) {
        const std::size_t ups_i = static_cast<std::size_t>(law.values[static_cast<std::size_t>(i)] - law.Value(x, i));
        const std::size_t ups_j = static_cast<std::size_t>(law.values[static_cast<std::size_t>(j)] - law.Value(x, j));
        for (std::size_t a = 1; a < ups_i; ++a) {
          for (std::size_t b = 1; b < ups_j; ++b) {
            const std::size_t y = x + a * stride(i);
            const std::size_t z = x + b * stride(j);
            const double ratio = law.law[x] * law.law[y + z - x] / (law.law[y] * law.law[z]);
            largest = std::max({largest, ratio, 1 / ratio});
          }
        }
      }
    }
  }
  return largest;
}

TEST(AssociationProperty, IsNeverBelowExactWhateverIsKnown) {
  Dice dice(stat::SeedForThisTest());
  for (int trial = 0; trial < 150; ++trial) {
    const int size = 2 + dice.Below(3);
    const RandomField field = MakeField(dice, std::vector<int>(static_cast<std::size_t>(size), 2),
                                        size == 4   ? std::vector<std::vector<int>>{{0, 1, 2, 3}}
                                        : size == 3 ? std::vector<std::vector<int>>{{0, 1, 2}}
                                                    : std::vector<std::vector<int>>{{0, 1}});
    const Group group{size, {{"", LargestOddsRatio(field.law) * (1 + 1e-12)}}};
    const double step = dice.Between(0.02, 1.5);
    const auto loss = Transfer::Make(group)->Loss(step).value();
    const std::vector<double> bounds(static_cast<std::size_t>(size), loss.dependent);
    EXPECT_LE(Excess(field.law, bounds, std::vector<int>(static_cast<std::size_t>(size), 1), step, true), 1e-12);
  }
}

TEST(AssociationProperty, SeveralValues) {
  Dice dice(stat::SeedForThisTest());
  for (int trial = 0; trial < 60; ++trial) {
    const RandomField field = MakeField(dice, {3, 2, 3}, {{0, 1, 2}});
    const double step = dice.Between(0.02, 1.5);
    const auto loss = Transfer::Make(Group{3, {{"", LargestOddsRatio(field.law) * (1 + 1e-12)}}})->Loss(step).value();
    EXPECT_LE(Excess(field.law, std::vector<double>(3, loss.dependent), {1, 1, 1}, step, true), 1e-12);
  }
}

// Four records that are always equal: given two of them the other two are certain, so every odds ratio given all others
// is 0/0 and none exceeds 2. The loss is still that of a group. A strength is about laws in which every
// combination can occur.
TEST(AssociationProperty, ImpossibleCombinationsAreOutsideTheClass) {
  SmallLaw equal{{2, 2, 2, 2}, std::vector<double>(16, 0)};
  equal.law.front() = equal.law.back() = 0.5;
  const double truth = testing::EnumeratedLoss(equal, 0, {1, 1, 1, 1}, 0.5);
  EXPECT_NEAR(truth, 2, 1e-12);
  EXPECT_LT(Transfer::Make(Group{4, {{"", 2.0}}})->Loss(0.5)->dependent, 1);
  EXPECT_EQ(Transfer::Make(Group{4, {{"", std::nullopt}}})->Loss(0.5)->dependent, 2);  // how to declare it
}

/// The pair of records for which phi is attained: both yes with probability p*, tilted by e^theta.
SmallLaw WorstPair(double theta, double plain) {
  const double q = 1 / (1 + std::exp((theta + plain) / 2));
  const double p = q * std::exp(theta) / (1 - q + q * std::exp(theta));
  return {{2, 2}, {0.5 * (1 - q), 0.5 * q, 0.5 * (1 - p), 0.5 * p}};
}

TEST(FieldProperty, PairsAttainTheBoundSoASmallerStrengthIsCaught) {
  for (const double theta : {0.2, 1.0, 3.0}) {
    for (const double plain : {0.1, 1.0}) {
      const SmallLaw law = WorstPair(theta, plain);
      const double truth = testing::EnumeratedLoss(law, 0, {1, 1}, plain);
      const auto with = [&](double strength) {
        return Transfer::Make(Field{2, {{0, 1, strength}}, {}, {}, {}, nullptr})->Loss(plain)->dependent;
      };
      const auto group = [&](double strength) {
        return Transfer::Make(Group{2, {{"", std::exp(strength)}}})->Loss(plain)->dependent;
      };
      EXPECT_NEAR(with(theta), truth, 1e-12);
      EXPECT_NEAR(group(theta), truth, 1e-12);
      EXPECT_LT(with(0.99 * theta), truth - 1e-5);  // the planted fault
      EXPECT_LT(group(0.99 * theta), truth - 1e-5);
    }
  }
}

}  // namespace
}  // namespace kith
