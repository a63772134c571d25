// Dependent differential privacy, single formulas: vectors of `ndss.*`.
#include <gtest/gtest.h>

#include "published/published_test_tools.h"
#include "tests/support/vectors.h"

namespace kith::published {
namespace {

using kith::testing::Vector;
using kith::testing::Vectors;
using reference::OneVector;

const std::vector<std::pair<std::string, Coefficient>> kCoefficients = {
    {"rho14", Coefficient::kEq14}, {"rho18a", Coefficient::kEq18a}, {"rho18b", Coefficient::kEq18b}};

TEST(DdpFormulaVectors, LaplaceMechanism) {
  const Vector v = OneVector("ndss.lpm");
  const double b = LaplaceScale(v.inputs["deltaQ"], v.inputs["eps"]);
  EXPECT_NEAR(b, v.expected["b"], v.tolerance);
  EXPECT_NEAR(LaplaceDensity(v.inputs["x"], b), v.expected["pdf"], v.tolerance);
  EXPECT_NEAR(LaplaceBelow(v.inputs["x"], b), v.expected["cdf"], v.tolerance);
  EXPECT_NEAR(LaplaceQuantile(v.inputs["u"], b), v.expected["quantile_u"], v.tolerance);
  EXPECT_NEAR(LaplaceBeyond(v.inputs["alpha"], b), v.expected["tail"], v.tolerance);
}

TEST(DdpFormulaVectors, LaplaceLawFitsItsDensity) {
  for (const double b : {0.3, 1.7, 20.0}) {
    double below = 0;
    const double step = b / 1000;
    for (int k = -30000; k < 1100; ++k) below += LaplaceDensity((k + 0.5) * step, b) * step;
    EXPECT_NEAR(LaplaceBelow(1.1 * b, b), below, 1e-6);
    EXPECT_NEAR(LaplaceQuantile(LaplaceBelow(1.1 * b, b), b), 1.1 * b, 1e-9 * b);
    EXPECT_NEAR(LaplaceQuantile(LaplaceBelow(-0.4 * b, b), b), -0.4 * b, 1e-9 * b);
    EXPECT_NEAR(LaplaceBeyond(2 * b, b), 1 - LaplaceBelow(2 * b, b) + LaplaceBelow(-2 * b, b), 1e-12);
  }
}

TEST(DdpFormulaVectors, Accuracy) {
  const Vector v = OneVector("ndss.thm10");
  const double scale = v.inputs["DS"].get<double>() / v.inputs["eps"].get<double>();
  const double alpha = v.inputs["alpha"];
  const auto q = v.inputs["q"].get<std::size_t>();
  EXPECT_NEAR(alpha / scale, v.expected["x"], v.tolerance);
  EXPECT_NEAR(1 - LaplaceBeyond(alpha, scale), v.expected["scalar"], v.tolerance);
  EXPECT_NEAR(AllWithin(alpha, scale, q), v.expected["maxnorm_q4"], v.tolerance);
  EXPECT_NEAR(SumWithin(alpha, scale, q), v.expected["l1_q4"], v.tolerance);
  EXPECT_NEAR(LaplaceErrorAt(0.05, scale), v.expected["alpha_for_beta_05_scalar"], v.tolerance);
}

TEST(DdpFormulaVectors, AccuracyByRepeatedConvolution) {
  const double scale = 1.3;
  const double step = 0.002;
  std::vector<double> density = {};  // of the sum of |noises|, on cells
  const int cells = 4000;
  for (std::size_t count = 1; count <= 3; ++count) {
    std::vector<double> next(cells, 0.0);
    for (int k = 0; k < cells; ++k) {
      const double one = (std::exp(-k * step / scale) - std::exp(-(k + 1) * step / scale));
      if (count == 1) next[static_cast<std::size_t>(k)] = one;
      for (int j = 0; count > 1 && j + k < cells; j += 1)
        next[static_cast<std::size_t>(j + k)] += one * density[static_cast<std::size_t>(j)];
    }
    density = next;
    double within = 0;
    for (int k = 0; k < 1000; ++k) within += density[static_cast<std::size_t>(k)];
    // Every term is rounded down by up to one cell.
    EXPECT_NEAR(SumWithin(2.0, scale, count), within, 0.002 * static_cast<double>(count)) << count;
    EXPECT_NEAR(AllWithin(2.0, scale, count), std::pow(1 - LaplaceBeyond(2.0, scale), count), 1e-12);
  }
}

TEST(DdpFormulaVectors, Coefficients) {
  for (const Vector& v : Vectors("papers", "ndss.rho.")) {
    const Secret pair = reference::SecretFrom(v.inputs["conditionals"]);
    const auto domain = v.inputs["domain"].get<std::vector<double>>();
    const Box box{{domain.front()}, {domain.back()}};
    for (std::size_t k = 0; k < v.inputs["sigmas"].size(); ++k) {
      const double sigma = v.inputs["sigmas"][k];
      EXPECT_NEAR(DependenceCoefficient(Coefficient::kEq14, pair, box, sigma), v.expected["rho14"][k], v.tolerance)
          << v.id;
      EXPECT_NEAR(DependenceCoefficient(Coefficient::kEq18a, pair, box, sigma), v.expected["rho18a"][k], v.tolerance)
          << v.id;
      EXPECT_NEAR(DependenceCoefficient(Coefficient::kEq18b, pair, box, sigma), v.expected["rho18b"][k], v.tolerance)
          << v.id;
    }
  }
}

TEST(DdpFormulaVectors, DistanceLawOnALine) {
  const Vector v = OneVector("ndss.eq26.1d");
  const DistanceLaw law{v.inputs["a"], v.inputs["b"], v.inputs["c"]};
  const auto grid = v.inputs["grid"].get<std::vector<double>>();
  const Secret raw = DistanceWeights(law, {grid});
  const Secret rows = NormalisedRows(raw);
  const Box box = Around(rows.axes);
  for (std::size_t t = 0; t < grid.size(); ++t) {
    EXPECT_NEAR(reference::Total(raw.given[t]), v.expected["raw_row_sums"][t], v.tolerance);
    EXPECT_NEAR(rows.given[0][t], v.expected["row0"][t], v.tolerance);
    EXPECT_NEAR(rows.given[5][t], v.expected["row5"][t], v.tolerance);
  }
  for (std::size_t k = 0; k < v.inputs["sigmas"].size(); ++k) {
    const double sigma = v.inputs["sigmas"][k];
    for (const auto& [name, which] : kCoefficients) {
      EXPECT_NEAR(DependenceCoefficient(which, rows, box, sigma), v.expected[name][k], v.tolerance) << name;
    }
    EXPECT_NEAR(DependenceCoefficient(Coefficient::kEq18a, raw, box, sigma), v.expected["rho18a_unnormalised"][k],
                v.tolerance);
  }
}

TEST(DdpFormulaVectors, DistanceLawInThePlane) {
  const Vector v = OneVector("ndss.eq26.2d");
  const auto n = v.inputs["N"].get<std::size_t>();
  Axis centres;
  for (std::size_t i = 0; i < n; ++i) centres.push_back((static_cast<double>(i) + 0.5) / static_cast<double>(n));
  const Secret raw = DistanceWeights({v.inputs["a"], v.inputs["b"], v.inputs["c"]}, {centres, centres});
  const Secret rows = NormalisedRows(raw);
  std::vector<double> sums;
  for (const auto& row : raw.given) sums.push_back(reference::Total(row));
  EXPECT_NEAR(*std::min_element(sums.begin(), sums.end()), v.expected["raw_sum_min"], v.tolerance);
  EXPECT_NEAR(*std::max_element(sums.begin(), sums.end()), v.expected["raw_sum_max"], v.tolerance);
  const std::size_t centre = n / 2 * n + n / 2;
  EXPECT_NEAR(rows.given[0][0], v.expected["P_self_corner"], v.tolerance);
  EXPECT_NEAR(rows.given[centre][centre], v.expected["P_self_centre"], v.tolerance);
  EXPECT_NEAR(rows.given[0].back(), v.expected["P_corner_to_opposite"], v.tolerance);
  for (std::size_t k = 0; k < v.inputs["sigmas"].size(); ++k) {
    for (const auto& [name, which] : kCoefficients) {
      EXPECT_NEAR(DependenceCoefficient(which, rows, Around(rows.axes), v.inputs["sigmas"][k]), v.expected[name][k],
                  v.tolerance)
          << name;
    }
  }
}

TEST(DdpFormulaVectors, ExactDelta) {
  for (const Vector& v : Vectors("papers", "ndss.epsdelta.")) {
    const auto secrets = Secrets(reference::LawFrom(v.inputs["joint"]), Sum).value();
    for (const auto& [sigma, by_epsilon] : v.expected.items()) {
      for (const auto& [epsilon, delta] : by_epsilon.items()) {
        EXPECT_NEAR(ExactDelta(secrets, reference::NumberIn(sigma, "sigma"), reference::NumberIn(epsilon, "eps")),
                    delta, v.tolerance)
            << v.id;
      }
    }
  }
}

TEST(DdpFormulaVectors, DisjointPartsAddUp) {
  for (const Vector& v : Vectors("papers", "ndss.parallel.")) {
    const ListedLaw law = reference::LawFrom(v.inputs["joint"]);
    const double sigma = 1 / v.inputs["eps"].get<double>();
    EXPECT_NEAR(LaplaceLoss(SecretOf(law, Value(0), 0).value(), sigma), v.expected["single"], v.tolerance);
    const auto both = [](const std::vector<double>& x) { return x; };
    EXPECT_NEAR(LaplaceLoss(Secrets(law, both).value(), sigma), v.expected["joint_true"], v.tolerance) << v.id;
  }
}

TEST(DdpFormulaVectors, EntropyCanDropByMoreThanEpsilon) {
  const Vector v = OneVector("ndss.thm2_counter");
  const auto n = v.inputs["N"].get<std::size_t>();
  const double a = v.inputs["a"];
  const double epsilon = v.inputs["eps"];
  std::vector<double> prior(n + 1, (1 - a) / static_cast<double>(n));
  prior[0] = a;
  std::vector<double> likelihood(n + 1, 1.0);
  likelihood[0] = std::exp(epsilon);
  const auto posterior = Posterior(prior, likelihood);
  EXPECT_NEAR(posterior[0], v.expected["a_post"], v.tolerance);
  EXPECT_NEAR(Entropy(prior) - Entropy(posterior), v.expected["entropy_drop_nats"], v.tolerance);
  EXPECT_GT(Entropy(prior) - Entropy(posterior), epsilon);
}

}  // namespace
}  // namespace kith::published
