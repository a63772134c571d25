// The published mechanism on perturbed and random laws, against coefficients computed from their definitions; where it
// is a theorem, and where it is not.
#include <gtest/gtest.h>

#include "published/published_test_tools.h"
#include "tests/support/stat.h"

namespace kith::published {
namespace {

using reference::About;
using reference::Dice;

/// Eq. 14 times Delta D / scale: the log-ratio of D_j + noise, output by output.
About Log14(const ListedLaw& law, std::size_t i, std::size_t j, double scale) {
  return reference::LossAbout(
      law, i, [j](const std::vector<double>& x) { return x[j]; }, scale);
}

/// Eq. 18 times Delta D / scale, from the printed sum: `corner` is one end of the domain, or nothing for the farthest.
double Log18(const ListedLaw& law, std::size_t i, std::size_t j, const std::vector<double>& domain, double scale,
             std::optional<double> corner) {
  double worst = -INFINITY;
  const auto given = reference::Given(law, i, [j](const std::vector<double>& x) { return x[j]; });
  for (const auto& [value, points] : given) {
    double sum = 0;
    for (const auto& [d, p] : points) {
      double far = corner ? std::abs(d - *corner) : 0;
      for (const double other : domain) far = corner ? far : std::max(far, std::abs(d - other));
      sum += p * std::exp(far / scale);
    }
    worst = std::max(worst, std::log(sum));
  }
  return worst;
}

std::vector<double> Values(const ListedLaw& law, std::size_t j) {
  std::vector<double> values;
  for (const Database& d : law) values.push_back(d.values[j]);
  return values;
}

/// DS(scale) / scale for the worst record, from the definitions above, in query units.
About RatioAbout(const ListedLaw& law, Coefficient which, const std::vector<double>& moves, double scale) {
  About worst;
  for (std::size_t i = 0; i < moves.size(); ++i) {
    About sum{moves[i] / scale, moves[i] / scale};
    for (std::size_t j = 0; j < moves.size(); ++j) {
      const auto domain = Values(law, j);
      const double low = *std::min_element(domain.begin(), domain.end());
      const double high = *std::max_element(domain.begin(), domain.end());
      const auto own = Values(law, i);
      if (j == i || low == high || moves[j] == 0 ||
          *std::min_element(own.begin(), own.end()) == *std::max_element(own.begin(), own.end()))
        continue;
      const double at = scale * (high - low) / moves[j];
      About term;
      if (which == Coefficient::kEq14) term = Log14(law, i, j, at);
      if (which == Coefficient::kEq18a) term.least = term.most = Log18(law, i, j, domain, at, {});
      if (which == Coefficient::kEq18b) {
        term.least = term.most = std::max(Log18(law, i, j, domain, at, low), Log18(law, i, j, domain, at, high));
      }
      sum.least += term.least;
      sum.most += term.most;
    }
    worst = {std::max(worst.least, sum.least), std::max(worst.most, sum.most)};
  }
  return worst;
}

TEST(DdpProperty, FixedPointSolvesThePrintedEquation) {
  Dice dice(kith::stat::SeedForThisTest());
  std::vector<ListedLaw> laws;
  for (const auto& v : kith::testing::Vectors("papers", "ndss.dpm.")) {
    if (v.inputs.contains("joint") && v.inputs["joint"][0]["x"].size() < 4) {
      laws.push_back(reference::Perturbed(reference::LawFrom(v.inputs["joint"]), dice));
    }
  }
  for (int k = 0; k < 12; ++k) laws.push_back(reference::ListOf(RandomJoint(dice, {2, 3, 2})));
  for (const ListedLaw& law : laws) {
    std::vector<double> moves;
    for (std::size_t i = 0; i < law[0].values.size(); ++i) moves.push_back(dice.Between(0.2, 2));
    const double epsilon = std::exp(dice.Between(-1, 1));
    const Pairs pairs = PairsOf(law, moves, {}).value();
    double last = 0;
    for (const Coefficient which : {Coefficient::kEq14, Coefficient::kEq18b, Coefficient::kEq18a}) {
      const double scale = PublishedScale(pairs, which, Units::kQuery, epsilon);
      const About ratio = RatioAbout(law, which, moves, scale);
      EXPECT_LE(ratio.least, epsilon * (1 + 1e-9));
      EXPECT_GE(ratio.most, epsilon * (1 - 1e-9));
      EXPECT_GE(scale, last * (1 - 1e-12));  // Eq. 14, one corner, farthest point: never less
      last = scale;
    }
  }
}

TEST(DdpProperty, LiteralUnitsAreQueryUnitsForSumsOfUnitRange) {
  Dice dice(kith::stat::SeedForThisTest());
  for (int k = 0; k < 10; ++k) {
    const ListedLaw law = reference::ListOf(RandomJoint(dice, {2, 2, 2}));
    const Pairs pairs = PairsOf(law, {1, 1, 1}, {}).value();
    EXPECT_NEAR(PublishedScale(pairs, Coefficient::kEq14, Units::kLiteral, 1),
                PublishedScale(pairs, Coefficient::kEq14, Units::kQuery, 1), 1e-10);
  }
}

/// A hub and its spokes; only the hub has the others independent given it.
ListedLaw RandomStar(Dice& dice, std::size_t spokes) {
  Tree tree{{-1}, {{kith::testing::RandomLaw(dice, 2)}}};
  for (std::size_t j = 0; j < spokes; ++j) {
    tree.parents.push_back(0);
    tree.tables.push_back({kith::testing::RandomLaw(dice, 3), kith::testing::RandomLaw(dice, 3)});
  }
  return reference::Paths(tree);
}

double WeightedSum(const std::vector<double>& x) { return x[0] + 0.5 * (reference::Total(x) - x[0]); }

/// Pairs for a sum in which record 0 counts once and every other half.
Pairs StarPairs(const ListedLaw& law) {
  Pairs pairs = PairsOf(law, std::vector<double>(law[0].values.size(), 1.0), {}).value();
  for (std::size_t j = 0; j < pairs.domains.size(); ++j) {
    pairs.sensitivities[j] = (j == 0 ? 1 : 0.5) * pairs.domains[j].Diameter();
  }
  return pairs;
}

TEST(DdpProperty, PairsAreEnoughForTheHubOfAStar_PUBLISHED4) {
  Dice dice(kith::stat::SeedForThisTest());
  for (int k = 0; k < 25; ++k) {
    const ListedLaw law = RandomStar(dice, 1 + static_cast<std::size_t>(dice.Below(4)));
    const Pairs pairs = StarPairs(law);
    const double epsilon = std::exp(dice.Between(-1, 1));
    for (const Coefficient which : {Coefficient::kEq14, Coefficient::kEq18a, Coefficient::kEq18b}) {
      Pairs hub = pairs;  // only the hub is a secret
      for (std::size_t i = 1; i < hub.given.size(); ++i) {
        for (Secret& pair : hub.given[i]) pair.given.resize(1);
      }
      const double scale = PublishedScale(hub, which, Units::kQuery, epsilon);
      EXPECT_LE(reference::LossAbout(law, 0, WeightedSum, scale).least, epsilon + 1e-9);
    }
  }
}

TEST(DdpProperty, PairsAreNotEnoughForXor) {
  // The same check on a law outside the theorem: it must see the claim exceeded.
  const ListedLaw law = {{{0, 0, 0}, .25}, {{0, 1, 1}, .25}, {{1, 0, 1}, .25}, {{1, 1, 0}, .25}};
  const Pairs pairs = PairsOf(law, {1, 1, 1}, {}).value();
  const double scale = PublishedScale(pairs, Coefficient::kEq14, Units::kQuery, 1);
  EXPECT_NEAR(scale, 1, 1e-9);
  EXPECT_GT(reference::LossAbout(law, 0, reference::Total, scale).least, 1.43);
}

TEST(DdpProperty, DistanceLawByHand) {
  const DistanceLaw law{0.0019, 0.3, 1.4};
  const Secret rows = NormalisedRows(DistanceWeights(law, {{0, 0.5}, {0, 1, 3}}));
  const std::vector<std::pair<double, double>> points = {{0, 0}, {0, 1}, {0, 3}, {.5, 0}, {.5, 1}, {.5, 3}};
  for (std::size_t t = 0; t < points.size(); ++t) {
    double sum = 0;
    const auto weight = [&](std::size_t d) {
      return std::pow(std::abs(points[d].first - points[t].first) + std::abs(points[d].second - points[t].second) + 0.3,
                      -1.4);
    };
    for (std::size_t d = 0; d < points.size(); ++d) sum += weight(d);
    for (std::size_t d = 0; d < points.size(); ++d) EXPECT_NEAR(rows.given[t][d], weight(d) / sum, 1e-14);
  }
}

TEST(DdpProperty, CoefficientsInThePlaneByDenseOutputs) {
  Dice dice(kith::stat::SeedForThisTest());
  const Secret rows =
      NormalisedRows(DistanceWeights({1, dice.Between(.1, .4), dice.Between(.8, 2)}, {{0, .2, 1}, {0, .7, .8}}));
  for (const double scale : {0.3, 1.0}) {
    double most = 0;
    const int steps = 120;
    for (int a = 0; a <= steps; ++a) {
      for (int b = 0; b <= steps; ++b) {
        const double y0 = -0.1 + 1.2 * a / steps;
        const double y1 = -0.1 + 1.0 * b / steps;
        double low = INFINITY;
        double high = 0;
        for (const auto& law : rows.given) {
          double density = 0;
          for (std::size_t k = 0; k < law.size(); ++k) {
            density +=
                law[k] * std::exp(-(std::abs(y0 - rows.axes[0][k / 3]) + std::abs(y1 - rows.axes[1][k % 3])) / scale);
          }
          low = std::min(low, density);
          high = std::max(high, density);
        }
        most = std::max(most, std::log(high / low));
      }
    }
    const Box box = Around(rows.axes);
    const double loss = DependenceCoefficient(Coefficient::kEq14, rows, box, scale) * box.Diameter() / scale;
    EXPECT_GE(loss, most - 1e-9);
    EXPECT_LE(loss, most + 2 * (1.2 + 1.0) / steps / scale);
  }
}

}  // namespace
}  // namespace kith::published
