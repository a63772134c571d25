// Wasserstein distances, networks, leakage, overlap, Renyi divergences and Gaussian models against simple enumeration.
#include <gtest/gtest.h>

#include <numeric>

#include "published/published_test_tools.h"
#include "tests/support/stat.h"

namespace kith::published {
namespace {

using reference::Dice;

Atoms RandomAtoms(Dice& dice, std::size_t dimension) {
  const auto law = kith::testing::RandomLaw(dice, 2 + dice.Below(6));
  Atoms atoms;
  for (const double p : law) {
    Atom atom{{}, p};
    for (std::size_t k = 0; k < dimension; ++k)
      atom.at.push_back(dice.Chance(0.5) ? dice.Below(4) : dice.Between(0, 4));
    if (p > 0) atoms.push_back(std::move(atom));
  }
  return atoms;
}

TEST(PufferfishProperty, WassersteinByStrassen_PUBLISHED5) {
  Dice dice(kith::stat::SeedForThisTest());
  for (int k = 0; k < 150; ++k) {
    const std::vector<Atoms> line = {RandomAtoms(dice, 1), RandomAtoms(dice, 1)};
    const Secret laws = OnGrid(0, {}, line).value();
    const double truth = reference::Infinity(line[0], line[1]);
    EXPECT_NEAR(WassersteinInfinity(laws.axes[0], laws.given[0], laws.given[1]), truth, 1e-12);
    EXPECT_NEAR(WassersteinInfinity(line[0], line[1]), truth, 1e-12) << "as a flow";
    EXPECT_LE(WassersteinOne(laws.axes[0], laws.given[0], laws.given[1]), truth + 1e-12);
    const Atoms p = RandomAtoms(dice, 2);
    const Atoms q = RandomAtoms(dice, 2);
    EXPECT_NEAR(WassersteinInfinity(p, q), reference::Infinity(p, q), 1e-12) << "in the plane";
    // And the mechanism: noise of scale W / epsilon hides the move.
    EXPECT_LE(LaplaceLoss(laws, std::max(truth, 1e-3) / 0.7), 0.7 + 1e-9);
  }
}

TEST(PufferfishProperty, TheCheckAboveSeesTheAverageDistance) {
  Dice dice(kith::stat::SeedForThisTest());
  int distances = 0;
  int losses = 0;
  for (int k = 0; k < 150; ++k) {
    const std::vector<Atoms> line = {RandomAtoms(dice, 1), RandomAtoms(dice, 1)};
    const Secret laws = OnGrid(0, {}, line).value();
    const double average = WassersteinOne(laws.axes[0], laws.given[0], laws.given[1]);
    if (std::abs(average - reference::Infinity(line[0], line[1])) > 1e-12) ++distances;
    if (LaplaceLoss(laws, average / 0.7) > 0.7 + 1e-9) ++losses;
  }
  EXPECT_GT(distances, 100);
  EXPECT_GT(losses, 50);
}

TEST(PufferfishProperty, RareTailsAreNotRoundedAway) {
  // A move of 10 that happens with probability 1e-14: the sums near 1 cannot see it, those from the other end can.
  const Axis axis = {0, 1, 10};
  const std::vector<double> p = {0.5, 0.5, 0};
  const std::vector<double> q = {0.5, 0.5 - 1e-14, 1e-14};
  EXPECT_EQ(WassersteinInfinity(axis, p, q), 9);
  EXPECT_EQ(WassersteinInfinity(axis, q, p), 9);
}

Tree RandomForest(Dice& dice) {
  Tree tree;
  std::vector<int> values;
  const int records = 2 + dice.Below(6);
  for (int j = 0; j < records; ++j) {
    const int parent = j == 0 || dice.Chance(0.15) ? -1 : dice.Below(j);
    values.push_back(2 + dice.Below(2));
    tree.parents.push_back(parent);
    LawTable table;
    for (int a = 0; a < (parent < 0 ? 1 : values[static_cast<std::size_t>(parent)]); ++a) {
      table.push_back(kith::testing::RandomLaw(dice, values.back()));
    }
    tree.tables.push_back(std::move(table));
  }
  return tree;
}

TEST(PufferfishProperty, SumsOverForestsByEnumeration) {
  Dice dice(kith::stat::SeedForThisTest());
  for (int k = 0; k < 60; ++k) {
    const Tree tree = RandomForest(dice);
    const Network network = NetworkOf(tree);
    Contributions adds;
    for (const Law& law : network.marginals) {
      adds.emplace_back();
      for (std::size_t v = 0; v < law.size(); ++v) adds.back().push_back(static_cast<std::size_t>(dice.Below(4)));
    }
    const ListedLaw law = reference::Paths(tree);
    const Query sum = [&](const std::vector<double>& x) {
      std::size_t total = 0;
      for (std::size_t i = 0; i < x.size(); ++i) total += adds[i][static_cast<std::size_t>(x[i])];
      return std::vector<double>{static_cast<double>(total)};
    };
    const auto found = SumSecrets(network, adds);
    const auto truth = Secrets(law, sum).value();
    ASSERT_EQ(found.size(), truth.size());
    for (std::size_t s = 0; s < found.size(); ++s) {
      ASSERT_EQ(found[s].record, truth[s].record);
      ASSERT_EQ(found[s].given.size(), truth[s].given.size());
      for (std::size_t t = 0; t < found[s].given.size(); ++t) {
        EXPECT_NEAR(found[s].prior[t], truth[s].prior[t], 1e-12);
        double mass = 0;
        for (std::size_t at = 0; at < truth[s].axes[0].size(); ++at) {
          const auto point = static_cast<std::size_t>(truth[s].axes[0][at]);
          EXPECT_NEAR(found[s].given[t][point], truth[s].given[t][at], 1e-12);
          mass += found[s].given[t][point];
        }
        EXPECT_NEAR(mass, 1, 1e-12);
      }
      const auto pairs = PairTables(network, found[s].record);
      for (std::size_t j = 0; j < pairs.size(); ++j) {
        const auto given = reference::Given(law, found[s].record, [j](const std::vector<double>& x) { return x[j]; });
        for (const auto& [value, points] : given) {
          std::vector<double> of_j(network.marginals[j].size(), 0.0);
          for (const auto& [v, p] : points) of_j[static_cast<std::size_t>(v)] += p;
          for (std::size_t v = 0; v < of_j.size(); ++v) {
            EXPECT_NEAR(pairs[j][static_cast<std::size_t>(value)][v], of_j[v], 1e-12);
          }
        }
      }
    }
  }
}

/// What somebody who knows some records sees, output by output.
reference::About LeakageAbout(const ListedLaw& law, double scale, const Leakage& who) {
  std::map<std::vector<double>, ListedLaw> worlds;
  for (const Database& d : law) {
    std::vector<double> known;
    for (const std::size_t j : who.known) known.push_back(d.values[j]);
    worlds[known].push_back(d);
  }
  reference::About worst;
  for (const auto& [known, world] : worlds) {
    if (world.size() < 2) continue;
    const auto loss = reference::LossAbout(world, who.record, reference::Total, scale, 500);
    worst = {std::max(worst.least, loss.least), std::max(worst.most, loss.most)};
  }
  return worst;
}

TEST(PufferfishProperty, LeakageByEnumeration_PUBLISHED7) {
  Dice dice(kith::stat::SeedForThisTest());
  for (int k = 0; k < 15; ++k) {
    const ListedLaw law = reference::ListOf(RandomJoint(dice, {2, 3, 2}));
    const double scale = std::exp(dice.Between(-1, 1));
    const auto all = AllLeakages(law, Sum, scale).value();
    ASSERT_EQ(all.size(), 3U * 4U);
    for (const Leakage& leakage : all) {
      const auto about = LeakageAbout(law, scale, leakage);
      EXPECT_GE(leakage.loss, about.least - 1e-9);
      EXPECT_LE(leakage.loss, about.most + 1e-9);
    }
  }
}

TEST(PufferfishProperty, TheCheckAboveSeesForgottenKnowledge) {
  Dice dice(kith::stat::SeedForThisTest());
  int seen = 0;
  for (int k = 0; k < 15; ++k) {
    const ListedLaw law = reference::ListOf(RandomJoint(dice, {2, 3, 2}));
    const auto all = AllLeakages(law, Sum, 1).value();
    for (const Leakage& leakage : all) {
      if (leakage.known.empty()) continue;
      const auto about = LeakageAbout(law, 1, leakage);
      const double nothing_known = LeakageKnowing(law, Sum, 1, leakage.record, {}).value();
      if (nothing_known < about.least - 1e-9 || nothing_known > about.most + 1e-9) ++seen;
    }
  }
  EXPECT_GT(seen, 50);
}

TEST(PufferfishProperty, TooManySetsAreRefused) {
  const auto all = AllLeakages({{std::vector<double>(13, 0.0), 1}}, Sum, 1);
  ASSERT_FALSE(all);
  EXPECT_EQ(all.error().code, Code::kInvalidArgument);
}

TEST(PufferfishProperty, OverlapIsNeverBelowTheLoss_PUBLISHED6) {
  Dice dice(kith::stat::SeedForThisTest());
  for (int k = 0; k < 60; ++k) {
    const ListedLaw law = reference::ListOf(RandomJoint(dice, {2, 2, 2}));
    const double eta = LargestVariation(law);
    const double target = std::exp(dice.Between(-1, 1.5));
    const double plain = OverlapPlainBudget(target, 3, eta);
    EXPECT_GE(plain, target / 3 * (1 - 1e-12));
    EXPECT_NEAR(SharpOverlapLoss(3 * plain, 3, eta), target, 1e-9);
    EXPECT_LE(reference::LossOf(law, reference::Total, 1 / plain).least, target + 1e-9);
  }
}

TEST(PufferfishProperty, TheCheckAboveSeesHalfTheVariation) {
  Dice dice(kith::stat::SeedForThisTest());
  int seen = 0;
  for (int k = 0; k < 60; ++k) {
    const double flip = dice.Between(0, 0.4);
    const ListedLaw law = {{{0, 0}, (1 - flip) / 2}, {{0, 1}, flip / 2}, {{1, 0}, flip / 2}, {{1, 1}, (1 - flip) / 2}};
    const double plain = OverlapPlainBudget(0.5, 2, LargestVariation(law) / 2);
    if (reference::LossOf(law, reference::Total, 1 / plain).least > 0.5 + 1e-9) ++seen;
  }
  EXPECT_GT(seen, 30);
}

TEST(PufferfishProperty, RenyiByTheTrapezoidRule) {
  Dice dice(kith::stat::SeedForThisTest());
  for (int k = 0; k < 10; ++k) {
    const std::vector<Atoms> line = {RandomAtoms(dice, 1), RandomAtoms(dice, 1)};
    const Secret laws = OnGrid(0, {}, line).value();
    const double noise = dice.Between(0.5, 3);
    for (const double alpha : {1.5, 2.0, 5.0}) {
      const auto density = [&](const Atoms& law, double y) {
        double sum = 0;
        for (const Atom& atom : law)
          sum += atom.p * std::exp(-(y - atom.at[0]) * (y - atom.at[0]) / (2 * noise * noise));
        return sum / (noise * std::sqrt(2 * std::acos(-1.0)));
      };
      double integral = 0;
      const double step = noise / 20;
      for (double y = -60; y < 64; y += step) {
        const double q = density(line[1], y);
        if (q > 1e-250) integral += q * std::pow(density(line[0], y) / q, alpha) * step;
      }
      const double truth = std::log(integral) / (alpha - 1);
      EXPECT_NEAR(GaussianRenyi(alpha, laws.axes[0], laws.given[0], laws.given[1], noise), truth, 1e-7);
      const double shift = reference::Infinity(line[0], line[1]);
      EXPECT_LE(truth, GaussianRenyiBound(alpha, shift, noise) + 1e-7);
    }
  }
}

TEST(PufferfishProperty, LaplaceRenyiOfAShift) {
  for (const double alpha : {1.3, 2.0, 6.0}) {
    for (const double shift : {0.0, 0.4, 3.0}) {
      double integral = 0;
      for (int k = -60000; k < 60000; ++k) {
        const double y = (k + 0.5) * 1e-3;
        integral += 0.5e-3 * std::exp(-alpha * std::abs(y) + (alpha - 1) * std::abs(y - shift));
      }
      EXPECT_NEAR(LaplaceRenyiBound(alpha, shift, 1), std::log(integral) / (alpha - 1), 1e-5);
    }
  }
  EXPECT_NEAR(RenyiToEpsilon(3, 0.5, 1e-6), 0.5 + std::log(1e6) / 2, 1e-12);
}

/// By Gauss-Jordan elimination.
Matrix Inverse(Matrix m) {
  const std::size_t n = m.size();
  for (std::size_t i = 0; i < n; ++i) {
    m[i].resize(2 * n, 0.0);
    m[i][n + i] = 1;
  }
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const double f = m[i][k] / m[k][k];
      for (std::size_t j = 0; j < 2 * n; ++j) m[i][j] -= f * m[k][j];
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    const double diagonal = m[i][i];
    for (std::size_t j = 0; j < n; ++j) m[i][j] = m[i][n + j] / diagonal;
    m[i].resize(n);
  }
  return m;
}

TEST(PufferfishProperty, GaussianAnswersAreShifts) {
  // Given X_0 = 1 the mean of the others is where the joint density is largest: found by raising it, one record at a
  // time.
  Dice dice(kith::stat::SeedForThisTest());
  for (int k = 0; k < 10; ++k) {
    const std::size_t n = 4;
    Matrix root(n, std::vector<double>(n));
    for (auto& row : root) {
      for (double& x : row) x = dice.Between(-1, 1);
    }
    Matrix covariance(n, std::vector<double>(n, 0.0));
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j)
        covariance[i][j] = std::inner_product(root[i].begin(), root[i].end(), root[j].begin(), i == j ? 0.5 : 0.0);
    }
    const Matrix precision = Inverse(covariance);
    std::vector<double> x = {1, 0, 0, 0};
    for (int round = 0; round < 2000; ++round) {
      for (std::size_t i = 1; i < n; ++i) {
        const double pull = std::inner_product(x.begin(), x.end(), precision[i].begin(), 0.0) - precision[i][i] * x[i];
        x[i] = -pull / precision[i][i];
      }
    }
    const std::vector<double> weights = {1, -0.5, 2, 0.3};
    const double slope = std::inner_product(weights.begin(), weights.end(), x.begin(), 0.0);
    const GaussianShift found = GaussianShiftOf(covariance, weights, 3);
    EXPECT_NEAR(found.slopes[0], slope, 1e-9);
    EXPECT_NEAR(found.shifts[0], 3 * std::abs(slope), 1e-9);
  }
}

}  // namespace
}  // namespace kith::published
