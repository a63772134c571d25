// lipschitz: displacements, caps, and the published example.
#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "tests/support/small_laws.h"
#include "tests/support/stat.h"
#include "tests/support/vectors.h"
#include "transfer/transfer.h"

namespace kith {
namespace {

TEST(Lipschitz, MeetsTheVector) {
  for (const auto& v : testing::Vectors("transfer", "transfer.lipschitz.")) {
    const auto transfer = Transfer::Make(Lipschitz{v.inputs.at("influence"), {}}).value();
    const auto loss = transfer.Loss(v.inputs.at("plain")).value();
    const auto expected = v.expected.get<std::vector<double>>();
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(loss.per_record.at(i), expected[i], v.tolerance);
    EXPECT_EQ(loss.bound, "lipschitz");
    EXPECT_EQ(loss.bounds.size(), 1U);  // without diameters there is no group bound
  }
}

// X_j = X_i / 2 + U / 2: the influence of i on j is 1/2, of j on i it is 2 (docs/theory/transfer.md#lipschitz).
TEST(Lipschitz, BothEndsOfAPairDiffer) {
  const auto unbounded = Transfer::Make(Lipschitz{{{0, 0.5}, {2, 0}}, {}}).value();
  EXPECT_EQ(unbounded.Loss(1)->per_record, (std::vector<double>{1.5, 3}));
  const auto range = Transfer::Make(Lipschitz{{{0, 0.5}, {2, 0}}, {1, 1}}).value();
  EXPECT_EQ(range.Loss(1)->per_record, (std::vector<double>{1.5, 2}));
  EXPECT_EQ(range.Loss(1)->bounds.size(), 2U);
}

TEST(Lipschitz, NoInfluenceIsIndependence) {
  const auto transfer = Transfer::Make(Lipschitz{{{0, 0}, {0, 0}}, {}}).value();
  EXPECT_EQ(transfer.LossPerRecord(std::vector<double>{0.3, 0.7})->per_record, (std::vector<double>{0.3, 0.7}));
}

TEST(Lipschitz, BarelyContractingIsRefusedOrBounded) {
  const double c = 0.5 - 1e-10;
  const auto transfer = Transfer::Make(Lipschitz{{{0, c, c, c}, {c, 0, c, c}, {c, c, 0, c}, {c, c, c, 0}}, {}}).value();
  const auto loss = transfer.Loss(1);
  if (loss) {
    EXPECT_GE(loss->dependent, 1e9);
  } else {
    EXPECT_EQ(loss.error().code, Code::kInvalidArgument);
  }
}

/// Solves m x = b by elimination with row exchange.
std::vector<double> Solve(std::vector<std::vector<double>> m, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < n; ++i) pivot = std::abs(m[i][k]) > std::abs(m[pivot][k]) ? i : pivot;
    std::swap(m[k], m[pivot]);
    std::swap(b[k], b[pivot]);
    for (std::size_t i = 0; i < n; ++i) {
      const double f = i == k ? 0 : m[i][k] / m[k][k];
      for (std::size_t j = k; j < n; ++j) m[i][j] -= f * m[k][j];
      b[i] -= f * b[k];
    }
  }
  for (std::size_t k = 0; k < n; ++k) b[k] /= m[k][k];
  return b;
}

/// A Gaussian field with precision matrix q (attractive: negative off the diagonal). Given X_i, the mean of the others
/// is linear in it, and the kernel e^{sum of plain_j x_j} shows by how much: the loss about X_i per unit, from the
/// normal law itself.
double GaussianLoss(const std::vector<std::vector<double>>& q, std::size_t i, const std::vector<double>& plain) {
  std::vector<std::vector<double>> rest;
  std::vector<double> pull;
  std::vector<double> weight;
  for (std::size_t j = 0; j < q.size(); ++j) {
    if (j == i) continue;
    rest.emplace_back();
    for (std::size_t k = 0; k < q.size(); ++k) {
      if (k != i) rest.back().push_back(q[j][k]);
    }
    pull.push_back(-q[j][i]);
    weight.push_back(plain[j]);
  }
  const std::vector<double> moved = Solve(rest, pull);
  double loss = plain[i];
  for (std::size_t j = 0; j < moved.size(); ++j) loss += weight[j] * moved[j];
  return loss;
}

/// How far the bound with influences times `part` is below the loss of a Gaussian field, at most; and above.
std::pair<double, double> CompareWithGaussian(double part) {
  testing::Dice dice(stat::SeedForThisTest());
  double below = 0;
  double above = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const std::size_t n = 2 + static_cast<std::size_t>(dice.Below(5));
    std::vector<std::vector<double>> q(n, std::vector<double>(n, 0));
    for (std::size_t i = 0; i < n; ++i) {
      q[i][i] += dice.Between(0.05, 1);
      for (std::size_t j = 0; j < i; ++j) {
        const double pull = dice.Chance(0.7) ? dice.Between(0, 1) : 0;
        q[i][j] = q[j][i] = -pull;
        q[i][i] += pull;
        q[j][j] += pull;
      }
    }
    std::vector<std::vector<double>> influence(n, std::vector<double>(n, 0));
    std::vector<double> plain;
    for (std::size_t i = 0; i < n; ++i) {
      plain.push_back(dice.Between(0, 1));
      for (std::size_t j = 0; j < n; ++j) influence[i][j] = i == j ? 0 : -q[j][i] / q[j][j] * part;
    }
    const auto loss = Transfer::Make(Lipschitz{influence, {}})->LossPerRecord(plain)->per_record;
    for (std::size_t i = 0; i < n; ++i) {
      const double truth = GaussianLoss(q, i, plain);
      below = std::max(below, (truth - loss[i]) / truth);
      above = std::max(above, (loss[i] - truth) / truth);
    }
  }
  return {below, above};
}

TEST(Lipschitz, EqualsTheLossOfAttractiveGaussianFields) {
  const auto [below, above] = CompareWithGaussian(1);
  EXPECT_LE(below, 1e-12);
  EXPECT_LE(above, 1e-9);
}

TEST(Lipschitz, TheComparisonSeesAnInfluenceThatIsTooSmall) { EXPECT_GT(CompareWithGaussian(0.99).first, 1e-3); }

// Walk sums written out: g_i = plain_i + sum over walks from i that do not return to i. Partial sums are below, the
// bound above.
TEST(Lipschitz, CoversAllWalks) {
  testing::Dice dice(stat::SeedForThisTest());
  for (int trial = 0; trial < 200; ++trial) {
    const std::size_t n = 2 + static_cast<std::size_t>(dice.Below(4));
    std::vector<std::vector<double>> c(n, std::vector<double>(n, 0));
    std::vector<double> plain(n);
    for (std::size_t i = 0; i < n; ++i) {
      plain[i] = dice.Between(0, 1);
      for (std::size_t j = 0; j < n; ++j) {
        if (i != j && dice.Chance(0.7)) c[i][j] = dice.Between(0, 0.9 / static_cast<double>(n - 1));
      }
    }
    const auto loss = Transfer::Make(Lipschitz{c, {}})->LossPerRecord(plain).value();
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<double> moved(n, 0);
      moved[i] = 1;
      double sum = plain[i];
      for (int length = 1; length < 600; ++length) {
        std::vector<double> next(n, 0);
        for (std::size_t j = 0; j < n; ++j) {
          for (std::size_t k = 0; k < n && j != i; ++k) next[j] += c[k][j] * moved[k];
          sum += plain[j] * next[j];
        }
        moved = next;
      }
      EXPECT_GE(loss.per_record[i], sum * (1 - 1e-13));
      EXPECT_LE(loss.per_record[i], sum * (1 + 1e-12));
    }
  }
}

}  // namespace
}  // namespace kith
