// The exact loss of an answer, its calibration, its delta and its information, against outputs tried one by one; on the
// vectors' laws with other probabilities, and on random and nasty ones.
#include <gtest/gtest.h>

#include "published/published_test_tools.h"
#include "tests/support/stat.h"

namespace kith::published {
namespace {

using reference::Dice;

/// The laws of all vectors that state one, several times with other probabilities, and random ones.
std::vector<ListedLaw> Laws(Dice& dice) {
  std::vector<ListedLaw> laws;
  for (const char* prefix : {"ndss.", "idp.", "puf."}) {
    for (const auto& v : kith::testing::Vectors("papers", prefix)) {
      if (!v.inputs.contains("joint") || v.inputs["joint"][0]["x"].size() > 5) continue;
      laws.push_back(reference::Perturbed(reference::LawFrom(v.inputs["joint"]), dice));
    }
  }
  for (int k = 0; k < 20; ++k) laws.push_back(reference::ListOf(RandomJoint(dice, {2, 2, 2})));
  for (int k = 0; k < 10; ++k) laws.push_back(reference::ListOf(RandomJoint(dice, {3, 2, 3})));
  return laws;
}

/// A sum with odd weights, so that nothing is on a lattice.
reference::Scalar RandomQuery(Dice& dice, std::size_t records) {
  std::vector<double> weights;
  for (std::size_t i = 0; i < records; ++i) weights.push_back(dice.Chance(0.3) ? 1 : dice.Between(-2, 2));
  return [weights](const std::vector<double>& x) {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += weights[i] * x[i];
    return sum;
  };
}

template <class Check>
void ForRandomAnswers(const Check& check) {
  Dice dice(kith::stat::SeedForThisTest());
  for (const ListedLaw& law : Laws(dice)) {
    const auto query = RandomQuery(dice, law[0].values.size());
    check(law, query, Secrets(law, reference::AsQuery(query)).value(), std::exp(dice.Between(-1, 1.5)));
  }
}

TEST(LaplaceLossProperty, WorstOutputsAreAtSupportPoints_PUBLISHED1) {
  ForRandomAnswers([](const auto& law, const auto& query, const auto& secrets, double scale) {
    const auto about = reference::LossOf(law, query, scale);
    const double loss = LaplaceLoss(secrets, scale);
    EXPECT_GE(loss, about.least - 1e-9);
    EXPECT_LE(loss, about.most + 1e-9);
  });
}

TEST(LaplaceLossProperty, TheCheckAboveSeesAForgottenRecord) {
  int seen = 0;
  ForRandomAnswers([&](const auto& law, const auto& query, const auto& secrets, double scale) {
    // Half of the support forgotten: every other grid point has its mass moved to the one before.
    std::vector<Secret> wrong = secrets;
    for (Secret& secret : wrong) {
      for (auto& given : secret.given) {
        for (std::size_t k = 1; k < given.size(); k += 2) given[k - 1] += std::exchange(given[k], 0.0);
      }
    }
    const auto about = reference::LossOf(law, query, scale);
    const double loss = LaplaceLoss(wrong, scale);
    if (loss < about.least - 1e-9 || loss > about.most + 1e-9) ++seen;
  });
  EXPECT_GT(seen, 20);
}

TEST(LaplaceLossProperty, MoreNoiseNeverTellsMore) {
  ForRandomAnswers([](const auto&, const auto&, const auto& secrets, double) {
    double last = NoiselessLoss(secrets);
    for (double scale = 1e-4; scale < 1e4; scale *= 3) {
      const double loss = LaplaceLoss(secrets, scale);
      EXPECT_LE(loss, last + 1e-9);
      last = loss;
    }
  });
}

TEST(LaplaceLossProperty, LogarithmsTakeOverSmoothly) {
  // Just above and below the scale at which sums change over to logarithms.
  const std::vector<Atoms> laws = {{{{0}, 0.3}, {{1}, 0.7}}, {{{0}, 0.6}, {{0.4}, 0.1}, {{1}, 0.3}}};
  const Secret secret = OnGrid(0, {}, laws).value();
  EXPECT_NEAR(LaplaceLoss(secret, 1 / 500.0), LaplaceLoss(secret, 1 / 500.0001), 1e-4);
  EXPECT_NEAR(LaplaceLoss(secret, 1e-4), std::log(0.1) + 0.4 / 1e-4 - std::log(0.3), 1e-6);  // far below underflow
}

TEST(LaplaceLossProperty, CalibratedNoiseIsEnoughAndNoMore_PUBLISHED2) {
  ForRandomAnswers([](const auto& law, const auto& query, const auto& secrets, double epsilon) {
    const double scale = CalibratedScale(secrets, epsilon, 0);
    if (scale == 0) {
      EXPECT_LE(NoiselessLoss(secrets), epsilon);
      return;
    }
    EXPECT_LE(LaplaceLoss(secrets, scale), epsilon);
    EXPECT_LE(reference::LossOf(law, query, scale).least, epsilon + 1e-9);
    EXPECT_GE(reference::LossOf(law, query, scale * 0.98, 4000).most, epsilon);
    EXPECT_GE(CalibratedScale(secrets, epsilon, 1), std::max(scale, 1 / epsilon) * (1 - 1e-11));
    EXPECT_LE(CalibratedScale(secrets, epsilon, 1), std::max(scale, 1 / epsilon) * (1 + 1e-11));
  });
}

TEST(LaplaceLossProperty, TheCheckAboveSeesTwoPercentTooLittleNoise) {
  int seen = 0;
  ForRandomAnswers([&](const auto& law, const auto& query, const auto& secrets, double epsilon) {
    const double scale = 0.98 * CalibratedScale(secrets, epsilon, 0);
    if (scale > 0 && reference::LossOf(law, query, scale, 4000).least > epsilon + 1e-9) ++seen;
  });
  EXPECT_GT(seen, 20);
}

/// Total variation of the worst pair of laws.
double WithoutNoiseDelta(const std::vector<Secret>& secrets) {
  double worst = 0;
  for (const Secret& secret : secrets) {
    for (const auto& p : secret.given) {
      for (const auto& q : secret.given) {
        double sum = 0;
        for (std::size_t k = 0; k < p.size(); ++k) sum += std::max(0.0, p[k] - q[k]);
        worst = std::max(worst, sum);
      }
    }
  }
  return worst;
}

TEST(LaplaceLossProperty, DeltaIsTheIntegral_PUBLISHED3) {
  Dice dice(kith::stat::SeedForThisTest());
  for (int k = 0; k < 12; ++k) {
    const ListedLaw law = reference::ListOf(RandomJoint(dice, {2, 2, 2}));
    const auto query = RandomQuery(dice, 3);
    const auto secrets = Secrets(law, reference::AsQuery(query)).value();
    const double scale = std::exp(dice.Between(-1, 1));
    const double epsilon = dice.Between(0, 1.5);
    EXPECT_NEAR(ExactDelta(secrets, scale, epsilon), reference::DeltaOf(law, query, scale, epsilon), 2e-5);
    const double loss = LaplaceLoss(secrets, scale);
    EXPECT_NEAR(ExactDelta(secrets, scale, loss + 1e-9), 0, 1e-12);
    EXPECT_NEAR(ExactDelta(secrets, 1e-9, 0), WithoutNoiseDelta(secrets), 1e-6);
  }
}

TEST(LaplaceLossProperty, TheCheckAboveSeesAMissingTail) {
  // The outbreak's tail: leaving out one point of 1e-2 is seen by far more than the tolerance.
  const ListedLaw law = {{{0, 0}, .5}, {{1, 1}, .49}, {{1, 9}, .01}};
  const auto query = reference::Total;
  auto secrets = Secrets(law, Sum).value();
  const double truth = reference::DeltaOf(law, query, 1, 0.5);
  EXPECT_NEAR(ExactDelta(secrets, 1, 0.5), truth, 2e-5);
  for (Secret& secret : secrets) {
    for (auto& given : secret.given) given.back() = 0;
  }
  EXPECT_GT(std::abs(ExactDelta(secrets, 1, 0.5) - truth), 1e-3);
}

TEST(LaplaceLossProperty, InformationIsTheIntegralAndBelowItsBound) {
  Dice dice(kith::stat::SeedForThisTest());
  for (int k = 0; k < 12; ++k) {
    const ListedLaw law = reference::ListOf(RandomJoint(dice, {3, 2, 2}));
    const auto query = RandomQuery(dice, 3);
    const Secret secret = SecretOf(law, reference::AsQuery(query), 0).value();
    const double scale = std::exp(dice.Between(-1, 1));
    const double information = LaplaceInformation(secret, scale);
    EXPECT_NEAR(information, reference::InformationAbout(law, 0, query, scale), 1e-5);
    const double bound = InformationBound(LaplaceLoss(secret, scale));
    EXPECT_LE(information, bound + 1e-9);
    EXPECT_LE(LargestDivergence(secret, scale), bound + 1e-9);
    EXPECT_LE(information, NoiselessInformation(secret) + 1e-9);
  }
}

TEST(LaplaceLossProperty, InformationBoundIsSharp) {
  // Two values, two outputs, likelihood ratio e^epsilon both ways: the best prior comes close to the bound and never
  // above.
  for (const double epsilon : {0.2, 1.0, 3.0}) {
    double most = 0;
    for (double w = 0.001; w < 1; w += 0.001) {  // weight of the smaller density ratio
      const double low = 1 / (w + (1 - w) * std::exp(epsilon));
      const double divergence = w * low * std::log(low) + (1 - w) * low * std::exp(epsilon) * (std::log(low) + epsilon);
      most = std::max(most, divergence);
    }
    EXPECT_LE(most, InformationBound(epsilon) + 1e-12);
    EXPECT_GE(most, InformationBound(epsilon) * (1 - 1e-4));
  }
}

}  // namespace
}  // namespace kith::published
