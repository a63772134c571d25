// The formulas of the model page, written a second time in the simplest way and in 80 bits, at random inputs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "tests/support/small_laws.h"
#include "tests/support/stat.h"
#include "transfer/check/field_small.h"
#include "transfer/check/field_witness.h"
#include "transfer/field/field_finder.h"
#include "transfer/transfer.h"

namespace kith {
namespace {

using testing::Dice;
using Real = long double;

Real Phi80(Real theta, Real t) {
  if (std::isinf(t)) return theta;
  return 2 * std::log1p(std::expm1(theta / 2) * std::expm1(t / 2) / (std::exp(theta / 2) + std::exp(t / 2)));
}

double Named(const Transferred& loss, const std::string& name) {
  const auto found =
      std::find_if(loss.bounds.begin(), loss.bounds.end(), [&](const Bound& b) { return b.name == name; });
  EXPECT_NE(found, loss.bounds.end()) << name;
  return found->dependent;
}

/// Not below the reference, and above it by rounding only.
void ExpectJustAbove(double value, Real reference, double part = 1e-12) {
  EXPECT_GE(value, reference * (1 - 1e-18L));
  EXPECT_LE(value, reference * (1 + static_cast<Real>(part)));
}

TEST(ReferenceProperty, AssociationBlockAndGroup) {
  Dice dice(stat::SeedForThisTest());
  for (int trial = 0; trial < 300; ++trial) {
    const int m = 1 + dice.Below(8);
    const double odds = dice.Between(1, 8);
    const double plain = std::exp(dice.Between(-8, 1));
    const auto loss = Transfer::Make(Group{m, {{"", odds}}})->Loss(plain).value();
    Real t = plain;
    Real r = std::log(static_cast<Real>(odds));
    const Real block = plain + Phi80((m - 1) * r, (m - 1) * static_cast<Real>(plain));
    for (int k = 2; k <= m; ++k) {
      t += Phi80(r, t);
      r += Phi80(r, r);
    }
    ExpectJustAbove(Named(loss, "association"), t);
    ExpectJustAbove(Named(loss, "block"), block);
    ExpectJustAbove(Named(loss, "group"), m * static_cast<Real>(plain));
    const Real least = std::min({t, block, m * static_cast<Real>(plain)});
    ExpectJustAbove(loss.dependent, least);
    EXPECT_EQ(loss.dependent, Named(loss, loss.bound));
  }
}

/// A random graph, as strengths by pair of nodes; 0 where there is no edge.
std::vector<std::vector<double>> RandomGraph(Dice& dice, std::size_t n, double density) {
  std::vector<std::vector<double>> theta(n, std::vector<double>(n, 0));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (dice.Chance(density)) theta[i][j] = theta[j][i] = dice.Between(0.05, 1.2);
    }
  }
  return theta;
}

Field AsField(const std::vector<std::vector<double>>& theta) {
  Field field{static_cast<std::int64_t>(theta.size()), {}, {}, {}, {}, nullptr};
  for (std::uint32_t i = 0; i < theta.size(); ++i) {
    for (std::uint32_t j = 0; j < i; ++j) {
      if (theta[i][j] > 0) field.edges.push_back({i, j, theta[i][j]});
    }
  }
  return field;
}

// All messages at once, from infinity, a fixed number of rounds: the definition.
TEST(ReferenceProperty, FieldMessages) {
  Dice dice(stat::SeedForThisTest());
  int compared = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const std::size_t n = 3 + static_cast<std::size_t>(dice.Below(6));
    const auto theta = RandomGraph(dice, n, 0.4);
    std::vector<double> plain;
    for (std::size_t i = 0; i < n; ++i) plain.push_back(dice.Between(0.01, 1));
    std::vector<std::vector<Real>> t(n, std::vector<Real>(n, INFINITY));
    for (int round = 0; round < 600; ++round) {
      auto next = t;
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t i = 0; i < n; ++i) {
          if (theta[j][i] == 0) continue;
          next[j][i] = plain[j];
          for (std::size_t k = 0; k < n; ++k) {
            if (k != i && theta[j][k] > 0) next[j][i] += Phi80(theta[j][k], t[k][j]);
          }
        }
      }
      t = next;
    }
    const SmallField field(AsField(theta));
    const auto losses = MessageLosses(field, plain);
    const auto sums = field.ComponentSums(plain);
    for (std::size_t i = 0; i < n; ++i) {
      Real reference = plain[i];
      bool capped = false;  // our messages start at the group bound, which may already be smaller
      for (std::size_t j = 0; j < n; ++j) {
        if (theta[i][j] > 0) reference += Phi80(theta[i][j], t[j][i]);
        for (std::size_t k = 0; k < n; ++k) {
          capped = capped || (theta[j][k] > 0 && t[j][k] > sums[field.ComponentOf(j)] - plain[k]);
        }
      }
      EXPECT_LE(losses[i], reference * (1 + 1e-9L));
      if (!capped) ExpectJustAbove(losses[i], reference, 1e-9);
      compared += capped ? 0 : 1;
    }
  }
  EXPECT_GT(compared, 50);
}

// The recursion over walks that never return, to the end, with a set of bits for the nodes on the way.
TEST(ReferenceProperty, FieldWalksToTheEnd) {
  Dice dice(stat::SeedForThisTest());
  for (int trial = 0; trial < 40; ++trial) {
    const std::size_t n = 3 + static_cast<std::size_t>(dice.Below(4));
    const auto theta = RandomGraph(dice, n, 0.7);
    std::vector<double> plain;
    for (std::size_t i = 0; i < n; ++i) plain.push_back(dice.Between(0.01, 1));
    const std::function<Real(std::size_t, unsigned)> loss = [&](std::size_t j, unsigned taken) {
      Real sum = plain[j];
      taken |= 1U << j;
      for (std::size_t k = 0; k < n; ++k) {
        if (theta[j][k] > 0 && (taken >> k & 1U) == 0) sum += Phi80(theta[j][k], loss(k, taken));
      }
      return sum;
    };
    const SmallField field(AsField(theta));
    const FieldFinder finder(field, false, 10'000'000);
    const auto losses = ProvedLosses(field, finder.blocks(), plain, finder.Find(plain));
    for (std::size_t i = 0; i < n; ++i) ExpectJustAbove(losses[i], loss(i, 0));
  }
}

/// The loss about record i of a yes/no chain, by recursion in both directions.
Real ChainLoss(const LawTable& table, const Law& start, int length, int record, Real plain) {
  std::vector<std::vector<Real>> law(1, {start[0], start[1]});
  for (int k = 1; k < length; ++k) {
    const auto& before = law.back();
    law.push_back(
        {before[0] * table[0][0] + before[1] * table[1][0], before[0] * table[0][1] + before[1] * table[1][1]});
  }
  const auto row = [&](int of, int given, int value) -> std::vector<Real> {  // law of a neighbour
    if (of > given) return {table[static_cast<std::size_t>(value)][0], table[static_cast<std::size_t>(value)][1]};
    std::vector<Real> back(2);
    for (std::size_t u = 0; u < 2; ++u) {
      back[u] = law[static_cast<std::size_t>(of)][u] * table[u][static_cast<std::size_t>(value)] /
                law[static_cast<std::size_t>(given)][static_cast<std::size_t>(value)];
    }
    return back;
  };
  // T(x, y) of record k looking in direction d.
  const std::function<Real(int, int, int, int)> seen = [&](int k, int d, int x, int y) -> Real {
    const int next = k + d;
    if (next < 0 || next >= length) return 0;
    const auto p = row(next, k, x);
    const auto q = row(next, k, y);
    Real best = 0;
    for (int s = 0; s < 2; ++s) {
      const Real t = plain + seen(next, d, s, 1 - s);
      const auto u = static_cast<std::size_t>(s);
      best = std::max(best, std::log((1 + std::expm1(t) * p[u]) / (1 + std::expm1(t) * q[u])));
    }
    return best;
  };
  Real worst = 0;
  for (int x = 0; x < 2; ++x) worst = std::max(worst, plain + seen(record, 1, x, 1 - x) + seen(record, -1, x, 1 - x));
  return worst;
}

TEST(ReferenceProperty, Chains) {
  Dice dice(stat::SeedForThisTest());
  for (int trial = 0; trial < 30; ++trial) {
    const auto law = [&] {
      const double p = dice.Between(0.02, 0.98);
      return Law{p, 1 - p};
    };
    const Chain chain{{law(), law()}, law(), 9};
    const double plain = dice.Between(0.05, 2);
    const auto loss = Transfer::Make(chain)->Loss(plain).value();
    for (int i = 0; i < 9; ++i) {
      const Real reference = ChainLoss(chain.transition, chain.start, 9, i, plain);
      EXPECT_GE(loss.per_record[static_cast<std::size_t>(i)], reference - 1e-17L);
      EXPECT_NEAR(loss.per_record[static_cast<std::size_t>(i)], static_cast<double>(reference), 1e-9);
    }
  }
}

}  // namespace
}  // namespace kith
