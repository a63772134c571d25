// For every kind of model, at random inputs: the bound that should win does, its value is that of a formula written a
// second time in the simplest way, and nothing falls through to the sum over everybody.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/small_laws.h"
#include "tests/support/stat.h"
#include "transfer/transfer.h"

namespace kith {
namespace {

using testing::Dice;
using Real = long double;

Law RandomLaw(Dice& dice, std::size_t values) {
  Law law;
  double sum = 0;
  for (std::size_t v = 0; v < values; ++v) sum += law.emplace_back(dice.Between(0.1, 1));
  for (double& p : law) p /= sum;
  return law;
}

LawTable RandomTable(Dice& dice, std::size_t rows, std::size_t values) {
  LawTable table;
  for (std::size_t a = 0; a < rows; ++a) table.push_back(RandomLaw(dice, values));
  return table;
}

/// r by trying every set of values.
Real PairLoss80(Real t, const Law& p, const Law& q) {
  Real best = 0;
  for (std::size_t set = 0; set < std::size_t{1} << p.size(); ++set) {
    Real in_p = 0, in_q = 0;
    for (std::size_t v = 0; v < p.size(); ++v) {
      if ((set >> v & 1U) == 0) continue;
      in_p += p[v];
      in_q += q[v];
    }
    best = std::max(best, std::log((1 + std::expm1(t) * in_p) / (1 + std::expm1(t) * in_q)));
  }
  return best;
}

/// Not below the reference, above it by rounding only, and by the bound that should win.
void ExpectWinner(const Model& model, double plain, const std::string& name, Real reference) {
  const auto loss = Transfer::Make(model)->Loss(plain).value();
  EXPECT_EQ(loss.bound, name);
  EXPECT_GE(loss.dependent, reference * (1 - 1e-15L));
  EXPECT_LE(loss.dependent, reference * (1 + 1e-9L));
}

TEST(WinnerProperty, Overlap) {
  Dice dice(stat::SeedForThisTest());
  for (int trial = 0; trial < 100; ++trial) {
    const int size = 2 + dice.Below(20);
    const double eta = dice.Between(0.001, 0.9);
    const double plain = std::exp(dice.Between(-6, 0));
    const Real x = plain, part = eta;
    ExpectWinner(Overlap{size, eta}, plain, "overlap", std::log(std::exp(x) * (1 - part) + part * std::exp(size * x)));
  }
}

TEST(WinnerProperty, Star) {
  Dice dice(stat::SeedForThisTest());
  for (int trial = 0; trial < 100; ++trial) {
    const std::size_t own = 2 + static_cast<std::size_t>(dice.Below(2));
    Star star;
    for (int k = 1 + dice.Below(4); k > 0; --k)
      star.neighbours.push_back(RandomTable(dice, own, 2 + static_cast<std::size_t>(dice.Below(3))));
    const double plain = std::exp(dice.Between(-5, 1));
    Real worst = 0;
    for (std::size_t a = 0; a < own; ++a) {
      for (std::size_t b = 0; b < own; ++b) {
        Real sum = plain;
        for (const auto& table : star.neighbours) sum += PairLoss80(plain, table[a], table[b]);
        worst = std::max(worst, sum);
      }
    }
    ExpectWinner(star, plain, "star", worst);
  }
}

TEST(WinnerProperty, PairSum) {
  Dice dice(stat::SeedForThisTest());
  for (int trial = 0; trial < 100; ++trial) {
    const std::size_t values = 2 + static_cast<std::size_t>(dice.Below(3));
    const PairLaws pairs{RandomTable(dice, values, values), 1 + dice.Below(5), 0, {}};
    const double plain = std::exp(dice.Between(-5, 1));
    Real worst = 0;
    for (const Law& p : pairs.table) {
      for (const Law& q : pairs.table) worst = std::max(worst, PairLoss80(plain, p, q));
    }
    ExpectWinner(pairs, plain, "pair sum", plain + static_cast<Real>(pairs.degree) * worst);
  }
}

// All walks that do not return to the record, added up one length after the other.
TEST(WinnerProperty, Lipschitz) {
  Dice dice(stat::SeedForThisTest());
  for (int trial = 0; trial < 60; ++trial) {
    const std::size_t n = 2 + static_cast<std::size_t>(dice.Below(4));
    Lipschitz model{std::vector<std::vector<double>>(n, std::vector<double>(n, 0)), {}};
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        if (i != j) model.influence[i][j] = dice.Between(0, 0.7 / static_cast<double>(n));
      }
    }
    const double plain = dice.Between(0.01, 2);
    Real worst = 0;
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<Real> moved(n, 0);
      moved[i] = 1;
      Real sum = plain;
      for (int step = 0; step < 200; ++step) {
        std::vector<Real> next(n, 0);
        for (std::size_t k = 0; k < n; ++k) {
          for (std::size_t j = 0; j < n; ++j) {
            if (j != i) next[j] += moved[k] * model.influence[k][j];
          }
        }
        moved = next;
        for (const Real m : moved) sum += m * plain;
      }
      worst = std::max(worst, sum);
    }
    ExpectWinner(model, plain, "lipschitz", worst);
  }
}

Real Phi80(Real theta, Real t) {
  return 2 * std::log1p(std::expm1(theta / 2) * std::expm1(t / 2) / (std::exp(theta / 2) + std::exp(t / 2)));
}

// A factor of three records, and one of two attached to it: the messages of the model page, written out.
TEST(WinnerProperty, Factors) {
  Dice dice(stat::SeedForThisTest());
  for (int trial = 0; trial < 100; ++trial) {
    const double wide = dice.Between(0.05, 1), narrow = dice.Between(0.05, 1);
    const double plain = std::exp(dice.Between(-5, 0));
    const Field field{4, {}, {{{0, 1, 2}, wide}, {{2, 3}, narrow}}, {}, {}, nullptr};
    const Real x = plain;
    const Real from_two = x + Phi80(narrow, x);       // record 2 seen from the wide factor
    const Real ends = x + Phi80(wide, x + from_two);  // records 0 and 1
    const Real middle = x + Phi80(wide, 2 * x) + Phi80(narrow, x);
    const Real tail = x + Phi80(narrow, x + Phi80(wide, 2 * x));
    ExpectWinner(field, plain, "field", std::max({ends, middle, tail}));
  }
}

// Values are compared with the linear programme and with enumerations elsewhere; here, who wins.
TEST(WinnerProperty, ModelsWithTables) {
  Dice dice(stat::SeedForThisTest());
  for (int trial = 0; trial < 40; ++trial) {
    const std::size_t values = 2 + static_cast<std::size_t>(dice.Below(2));
    const double plain = std::exp(dice.Between(-4, 0));
    Tree tree{{-1, 0, 0, 1}, {{RandomLaw(dice, values)}}};
    for (int k = 0; k < 3; ++k) tree.tables.push_back(RandomTable(dice, values, values));
    const auto of_tree = Transfer::Make(tree)->Loss(plain).value();
    EXPECT_TRUE(of_tree.bound == "tree" || (values == 3 && of_tree.bound == "window")) << of_tree.bound;
    const Chain chain{RandomTable(dice, values, values), RandomLaw(dice, values), 7};
    const std::string of_chain = Transfer::Make(chain)->Loss(plain)->bound;
    EXPECT_TRUE(of_chain == "tree" || (values == 3 && of_chain == "window")) << of_chain;
    const Joint joint{{2, 3, 2}, RandomLaw(dice, 12)};
    EXPECT_EQ(Transfer::Make(joint)->Loss(plain)->bound, "exact");
    EXPECT_LT(of_tree.dependent, 4 * plain);
  }
}

// The twin: a formula that is off by a thousandth is seen.
TEST(WinnerProperty, TheComparisonSeesAThousandth) {
  const Overlap model{5, 0.1};
  const Real reference = std::log(std::exp(0.5L) * 0.9L + 0.1L * std::exp(2.5L));
  const double loss = Transfer::Make(model)->Loss(0.5)->dependent;
  EXPECT_NEAR(loss, static_cast<double>(reference), 1e-9);
  EXPECT_GT(loss, reference * 0.999L * (1 + 1e-9L));
  EXPECT_LT(loss, reference * 1.001L * (1 - 1e-15L));
}

}  // namespace
}  // namespace kith
