// Laws and questions for tests of the exact audit, and references written from the definitions.
#pragma once
#include <cmath>
#include <vector>

#include "audit/exact/exact_known.h"
#include "audit/exact/exact_methods.h"
#include "published/published_test_tools.h"
#include "tests/support/small_laws.h"
#include "tests/support/stat.h"

namespace kith::audit::reference {

using kith::testing::Dice;
using kith::testing::SmallLaw;

inline Joint Declared(const SmallLaw& law) { return {{law.values.begin(), law.values.end()}, law.law}; }

inline Additive RandomQuestion(Dice& dice, const std::vector<int>& values) {
  Additive question;
  for (const int v : values) {
    auto& adds = question.adds.emplace_back();
    for (int k = 0; k < v; ++k) adds.push_back(dice.Below(4) - 1);
  }
  question.adds[0][0] = question.adds[0][1] + 1;  // somebody can move the answer
  return question;
}

inline double AnswerTo(const Additive& question, const std::vector<double>& values) {
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += static_cast<double>(question.adds[i][static_cast<std::size_t>(values[i])]);
  }
  return sum;
}

/// A joint law of bits from the rows of a vector.
inline Joint Bits(const kith::testing::Json& rows) {
  const std::size_t n = rows.at(0).at("x").size();
  Joint joint{std::vector<std::int64_t>(n, 2), Law(std::size_t{1} << n, 0.0)};
  for (const auto& row : rows) {
    std::size_t index = 0;
    for (const auto& bit : row.at("x")) index = index * 2 + bit.get<std::size_t>();
    joint.law[index] += row.at("p").get<double>();
  }
  return joint;
}

inline Chain Stationary(std::int64_t length) { return {{{.8, .2}, {.3, .7}}, {.6, .4}, length}; }

/// P(answer + discrete noise = output | record has value), by adding up rows; output in the answer's own numbers.
inline double DiscreteChance(const published::ListedLaw& law, const Additive& question, std::size_t record,
                             double value, double scale, double output) {
  double chance = 0;
  double prior = 0;
  for (const published::Database& d : law) {
    if (d.values[record] != value) continue;
    prior += d.p;
    chance += d.p * std::exp(-std::abs(output - AnswerTo(question, d.values)) / scale);
  }
  return chance / prior * std::tanh(0.5 / scale);  // (1 - a) / (1 + a) with a = e^{-1/scale}
}

}  // namespace kith::audit::reference
