// What adds up and what does not: repeated answers, model error, correlation, information without noise; random laws
// against direct computation.
#include <gtest/gtest.h>

#include "published/published_test_tools.h"
#include "tests/support/stat.h"

namespace kith::published {
namespace {

using reference::Dice;

TEST(CompositionProperty, TwoAnswersAreOneWithHalfTheNoise) {
  Dice dice(kith::stat::SeedForThisTest());
  for (int k = 0; k < 15; ++k) {
    const ListedLaw law = reference::ListOf(RandomJoint(dice, {2, 2, 2}));
    const double scale = std::exp(dice.Between(-0.5, 1));
    const Query twice = [](const std::vector<double>& x) {
      return std::vector<double>{reference::Total(x), reference::Total(x)};
    };
    const auto both = SecretOf(law, twice, 0).value();
    const double loss = LaplaceLoss(both, scale);
    EXPECT_NEAR(loss, LaplaceLoss(SecretOf(law, Sum, 0).value(), scale / 2), 1e-9);
    // Pairs of outputs one by one.
    const auto given = reference::Given(law, 0, reference::Total);
    double most = 0;
    const int steps = 60;
    for (int a = 0; a <= steps; ++a) {
      for (int b = 0; b <= steps; ++b) {
        double low = INFINITY;
        double high = 0;
        for (const auto& [value, answers] : given) {
          double density = 0;
          for (const auto& [q, p] : answers) {
            density += p * std::exp(-(std::abs(3.0 * a / steps - q) + std::abs(3.0 * b / steps - q)) / scale);
          }
          low = std::min(low, density);
          high = std::max(high, density);
        }
        most = std::max(most, std::log(high / low));
      }
    }
    EXPECT_NEAR(loss, most, 1e-9);  // the support 0 .. 3 is among the outputs tried
  }
}

TEST(CompositionProperty, ModelErrorCostsAtMostTwice) {
  Dice dice(kith::stat::SeedForThisTest());
  const double error = 0.2;
  double nearest = 0;
  for (int k = 0; k < 200; ++k) {
    const std::vector<Atoms> declared = {{{{0}, .5}, {{1}, .3}, {{2}, .2}}, {{{0}, .2}, {{1}, .3}, {{2}, .5}}};
    std::vector<Atoms> truth = declared;
    for (Atoms& law : truth) {  // every probability off by a factor e^-error .. e^error, still a law
      double sum = 0;
      for (Atom& atom : law) sum += atom.p *= std::exp(dice.Between(-error / 2, error / 2));
      for (Atom& atom : law) atom.p /= sum;
    }
    const double loss = LaplaceLoss(OnGrid(0, {}, declared).value(), 0.5);
    const double true_loss = LaplaceLoss(OnGrid(0, {}, truth).value(), 0.5);
    EXPECT_LE(true_loss, WithModelError(loss, error) + 1e-12);
    nearest = std::max(nearest, true_loss - loss);
  }
  EXPECT_GT(nearest, error / 2);  // and the error does cost
}

TEST(CompositionProperty, CorrelationsFromMoments) {
  Dice dice(kith::stat::SeedForThisTest());
  for (int k = 0; k < 30; ++k) {
    const ListedLaw law = reference::ListOf(RandomJoint(dice, {3, 2, 3}));
    const Matrix degrees = PearsonDegrees(law);
    const std::vector<double> moves = {2, 1, 0.5};
    const double threshold = 0.3;
    double worst = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < 3; ++j) {
        double x = 0, y = 0, xx = 0, yy = 0, xy = 0;
        for (const Database& d : law) {
          x += d.p * d.values[i];
          y += d.p * d.values[j];
          xx += d.p * d.values[i] * d.values[i];
          yy += d.p * d.values[j] * d.values[j];
          xy += d.p * d.values[i] * d.values[j];
        }
        if (xx - x * x < 1e-9 || yy - y * y < 1e-9) continue;
        const double correlation = (xy - x * y) / std::sqrt((xx - x * x) * (yy - y * y));
        EXPECT_NEAR(degrees[i][j], correlation, 1e-6);
      }
      for (std::size_t j = 0; j < 3; ++j)
        sum += std::abs(degrees[i][j]) < threshold ? 0 : std::abs(degrees[i][j]) * moves[j];
      worst = std::max(worst, sum);
    }
    EXPECT_NEAR(CorrelatedSensitivityOf(degrees, moves, threshold).worst, worst, 1e-12);
  }
}

TEST(CompositionProperty, InformationFromThreeEntropies) {
  Dice dice(kith::stat::SeedForThisTest());
  for (int k = 0; k < 30; ++k) {
    const ListedLaw law = reference::ListOf(RandomJoint(dice, {2, 2, 3}));
    std::map<double, double> x;
    std::map<double, double> y;
    std::map<std::pair<double, double>, double> xy;
    for (const Database& d : law) {
      x[d.values[0]] += d.p;
      y[reference::Total(d.values)] += d.p;
      xy[{d.values[0], reference::Total(d.values)}] += d.p;
    }
    const auto entropy = [](const auto& masses) {
      double sum = 0;
      for (const auto& [at, p] : masses) sum -= p * std::log(p);
      return sum;
    };
    EXPECT_NEAR(NoiselessInformation(SecretOf(law, Sum, 0).value()), entropy(x) + entropy(y) - entropy(xy), 1e-9);
  }
}

TEST(CompositionProperty, EntropyDropOfTwoBlocks) {
  Dice dice(kith::stat::SeedForThisTest());
  for (int k = 0; k < 10; ++k) {
    const double a = dice.Between(0.2, 0.8);
    const double epsilon = dice.Between(0.05, 2);
    const std::size_t n = 1000;
    std::vector<double> prior(n + 1, (1 - a) / static_cast<double>(n));
    prior[0] = a;
    std::vector<double> likelihood(n + 1, 1.0);
    likelihood[0] = std::exp(epsilon);
    // h(a) + (1 - a) log n, before and after.
    const double after = a * std::exp(epsilon) / (a * std::exp(epsilon) + 1 - a);
    const auto of = [&](double p) { return -p * std::log(p) - (1 - p) * std::log((1 - p) / static_cast<double>(n)); };
    EXPECT_NEAR(Entropy(prior) - Entropy(Posterior(prior, likelihood)), of(a) - of(after), 1e-9);
  }
}

}  // namespace
}  // namespace kith::published
