// Non-negative ties: the field-free loss against the worst kernel of random laws of the class, with fields of any sign
// and known records, and the laws that attain it.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "tests/support/small_laws.h"
#include "tests/support/stat.h"
#include "transfer/kernel_lp.h"
#include "transfer/transfer.h"

namespace kith {
namespace {

using testing::Dice;
using testing::SmallLaw;

Field NonNegative(int nodes, std::vector<Edge> edges) {
  Field field;
  field.nodes = nodes;
  field.edges = std::move(edges);
  field.attribute = "it";
  field.ties = Ties::kNonNegative;
  field.field_free = true;
  return field;
}

/// p proportional to exp(sum of t_ij x_i x_j + sum of a_j x_j); bit j of a state is record j, the last varies fastest.
SmallLaw LawOf(int nodes, const std::vector<Edge>& ties, const std::vector<double>& alone) {
  SmallLaw law{std::vector<int>(static_cast<std::size_t>(nodes), 2), {}};
  double sum = 0;
  for (std::size_t x = 0; x < std::size_t{1} << nodes; ++x) {
    double log_weight = 0;
    for (int j = 0; j < nodes; ++j) log_weight += law.Value(x, j) * alone[static_cast<std::size_t>(j)];
    for (const Edge& e : ties)
      log_weight += law.Value(x, static_cast<int>(e.a)) * law.Value(x, static_cast<int>(e.b)) * e.theta;
    law.law.push_back(std::exp(log_weight));
    sum += law.law.back();
  }
  for (double& p : law.law) p /= sum;
  return law;
}

std::vector<Edge> RandomTies(Dice& dice, int nodes, double most) {
  std::vector<Edge> edges;
  const double density = dice.Between(0.3, 1);
  for (std::uint32_t a = 0; a < static_cast<std::uint32_t>(nodes); ++a) {
    for (std::uint32_t b = a + 1; b < static_cast<std::uint32_t>(nodes); ++b) {
      if (dice.Chance(density)) edges.push_back({a, b, dice.Between(0, most)});
    }
  }
  return edges;
}

/// The loss about one record when the others' losses are `plain`, by the linear programme.
double ProgrammeLoss(const SmallLaw& law, int about, const std::vector<double>& plain) {
  const int others = law.records() - 1;
  const std::size_t states = std::size_t{1} << others;
  std::vector<double> p[2] = {std::vector<double>(states), std::vector<double>(states)};
  std::vector<double> of_others;
  for (int j = 0; j < law.records(); ++j) {
    if (j != about) of_others.push_back(plain[static_cast<std::size_t>(j)]);
  }
  for (std::size_t x = 0; x < law.law.size(); ++x) {
    std::size_t rest = 0;
    for (int j = 0, k = 0; j < law.records(); ++j) {
      if (j != about) rest |= static_cast<std::size_t>(law.Value(x, j)) << k++;
    }
    p[law.Value(x, about)][rest] += law.law[x];
  }
  for (auto& given : p) {
    double sum = 0;
    for (const double q : given) sum += q;
    for (double& q : given) q /= sum;
  }
  std::vector<KernelArc> arcs;
  for (std::uint32_t x = 0; x < states; ++x) {
    for (int k = 0; k < others; ++k) {
      const std::uint32_t y = x ^ (std::uint32_t{1} << k);
      arcs.push_back({x, y, std::exp(of_others[static_cast<std::size_t>(k)])});
    }
  }
  return plain[static_cast<std::size_t>(about)] +
         std::max(LargestLogRatio(p[1], p[0], arcs), LargestLogRatio(p[0], p[1], arcs));
}

/// By how much the true loss of some record exceeds `bounds`, at most.
double Excess(const SmallLaw& law, const std::vector<double>& bounds, const std::vector<double>& plain) {
  double excess = -INFINITY;
  for (int i = 0; i < law.records(); ++i)
    excess = std::max(excess, ProgrammeLoss(law, i, plain) - bounds[static_cast<std::size_t>(i)]);
  return excess;
}

std::vector<double> BoundsOf(const Field& model, const std::vector<double>& plain) {
  return Transfer::Make(model)->LossPerRecord(plain).value().per_record;
}

// Fields of any sign stand for prevalences, known records and evidence about single ones.
TEST(FieldFreeProperty, IsNeverBelowTheWorstKernelWhateverTheFields_NETWORK1) {
  Dice dice(stat::SeedForThisTest());
  double tightest = INFINITY;
  for (std::size_t trial = 0; trial < stat::Runs(150); ++trial) {
    const int nodes = 2 + dice.Below(4);
    const std::vector<Edge> declared = RandomTies(dice, nodes, dice.Between(0.1, 3));
    std::vector<Edge> real = declared;
    for (Edge& e : real) e.theta *= dice.Chance(0.7) ? 1 : dice.Uniform();
    std::vector<double> plain, alone;
    for (int j = 0; j < nodes; ++j) {
      plain.push_back(dice.Between(0.01, 1));
      alone.push_back(dice.Between(-4, 4));
    }
    const double excess = Excess(LawOf(nodes, real, alone), BoundsOf(NonNegative(nodes, declared), plain), plain);
    EXPECT_LE(excess, 1e-8) << nodes;
    tightest = std::min(tightest, -excess);
  }
  EXPECT_LT(tightest, 0.01);  // some random law comes close: the comparison has teeth
}

/// Where the bound is attained: fields that make record i and a tilt of all others symmetric.
SmallLaw WorstLaw(int nodes, const std::vector<Edge>& ties, const std::vector<double>& plain) {
  std::vector<double> alone;
  for (std::uint32_t j = 0; j < static_cast<std::uint32_t>(nodes); ++j) {
    double centre = plain[j] / 2;
    for (const Edge& e : ties) centre += e.a == j || e.b == j ? e.theta / 2 : 0;
    alone.push_back(-centre);
  }
  return LawOf(nodes, ties, alone);
}

TEST(FieldFreeProperty, SomeLawAttainsIt_NETWORK1) {
  Dice dice(stat::SeedForThisTest());
  for (int trial = 0; trial < 40; ++trial) {
    const int nodes = 2 + dice.Below(4);
    const std::vector<Edge> ties = RandomTies(dice, nodes, 2);
    const std::vector<double> plain(static_cast<std::size_t>(nodes), dice.Between(0.05, 1));
    const std::vector<double> bounds = BoundsOf(NonNegative(nodes, ties), plain);
    const SmallLaw law = WorstLaw(nodes, ties, plain);
    for (int i = 0; i < nodes; ++i)
      EXPECT_NEAR(ProgrammeLoss(law, i, plain), bounds[static_cast<std::size_t>(i)], 1e-8);
  }
}

// Four planted faults: strengths that are too small, a forgotten neighbour, a forgotten loss of somebody else, and ties
// that lower the odds, which "at most R" alone allows.
TEST(FieldFreeProperty, TheChecksAboveSeeFaults) {
  const std::vector<Edge> ties = {{0, 1, 1.2}, {1, 2, 0.9}, {2, 0, 1.0}, {2, 3, 1.5}};
  const std::vector<double> plain(4, 0.5);
  const SmallLaw law = WorstLaw(4, ties, plain);
  const auto excess = [&](std::vector<Edge> declared, const std::vector<double>& losses) {
    return Excess(law, BoundsOf(NonNegative(4, std::move(declared)), losses), plain);
  };
  EXPECT_LE(excess(ties, plain), 1e-8);
  std::vector<Edge> weaker = ties;
  for (Edge& e : weaker) e.theta *= 0.999;
  EXPECT_GT(excess(weaker, plain), 1e-5);
  EXPECT_GT(excess({{0, 1, 1.2}, {1, 2, 0.9}, {2, 0, 1.0}}, plain), 0.01);
  EXPECT_GT(excess(ties, {0.5, 0.5, 0.5, 0.49}), 1e-4);
  const SmallLaw opposed = LawOf(2, {{0, 1, -3}}, {1.5, 1.5});
  EXPECT_GT(Excess(opposed, BoundsOf(NonNegative(2, {{0, 1, 0.1}}), {0.5, 0.5}), {0.5, 0.5}), 0.1);
}

// Larger components, by adding up all states: 2 log Z+/Z- at fields plain/4 with couplings theta/4.
TEST(FieldFreeProperty, AddsUpAllStates_NETWORK1) {
  Dice dice(stat::SeedForThisTest());
  for (int trial = 0; trial < 12; ++trial) {
    const int nodes = 6 + dice.Below(7);
    const std::vector<Edge> ties = RandomTies(dice, nodes, 0.8);
    std::vector<double> plain;
    for (int j = 0; j < nodes; ++j) plain.push_back(dice.Between(0, 0.6));
    const std::vector<double> bounds = BoundsOf(NonNegative(nodes, ties), plain);
    for (int i = 0; i < nodes; ++i) {
      long double z[2] = {0, 0};
      for (std::uint32_t x = 0; x < std::uint32_t{1} << nodes; ++x) {
        const auto spin = [&](std::uint32_t j) { return (x >> j & 1) != 0 ? 1.0L : -1.0L; };
        long double energy = 0;
        for (std::uint32_t j = 0; j < static_cast<std::uint32_t>(nodes); ++j)
          energy += j == static_cast<std::uint32_t>(i) ? 0 : spin(j) * plain[j] / 4;
        for (const Edge& e : ties) energy += spin(e.a) * spin(e.b) * e.theta / 4;
        z[x >> i & 1] += std::exp(energy);
      }
      const auto exact = static_cast<double>(plain[static_cast<std::size_t>(i)] + 2 * std::log(z[1] / z[0]));
      EXPECT_GE(bounds[static_cast<std::size_t>(i)], exact * (1 - 1e-15));
      EXPECT_LE(bounds[static_cast<std::size_t>(i)], exact + 1e-11);
    }
  }
}

}  // namespace
}  // namespace kith
