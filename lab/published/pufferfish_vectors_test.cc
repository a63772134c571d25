// Pufferfish mechanisms and comparators: the vectors `puf.*`, `mqm.*` and `zhu.*`.
#include <gtest/gtest.h>

#include "published/published_test_tools.h"
#include "tests/support/vectors.h"

namespace kith::published {
namespace {

using kith::testing::Vector;
using kith::testing::Vectors;
using json = kith::testing::Json;
using reference::OneVector;

Chain ChainFrom(const json& theta, std::int64_t length) {
  Chain chain{theta["P"].get<LawTable>(), {}, length};
  chain.start = theta.contains("init") ? theta["init"].get<Law>() : Law(chain.transition.size(), 0.5);
  return chain;
}

/// The chain of several vectors.
Chain Settled(std::int64_t length) { return {{{.8, .2}, {.3, .7}}, {.6, .4}, length}; }

std::vector<Secret> CountSecrets(const Chain& chain) {
  const Network network = NetworkOf(chain);
  return SumSecrets(network, CountOf(network));
}

std::optional<std::int64_t> Side(const json& side) {
  return side.is_null() ? std::nullopt : std::optional<std::int64_t>(side.get<std::int64_t>());
}

TEST(PufferfishVectors, WassersteinOnALine) {
  for (const char* id : {"puf.winf1", "puf.winf2"}) {
    const Vector v = OneVector(id);
    const Secret laws = reference::SecretFrom(json::array({v.inputs["p"], v.inputs["q"]}));
    EXPECT_NEAR(WassersteinInfinity(laws.axes[0], laws.given[0], laws.given[1]), v.expected["winf"], v.tolerance) << id;
    EXPECT_NEAR(WassersteinInfinity(laws.axes[0], laws.given[1], laws.given[0]), v.expected["winf"], v.tolerance) << id;
    EXPECT_NEAR(WassersteinOne(laws.axes[0], laws.given[0], laws.given[1]), v.expected["w1"], v.tolerance) << id;
    const Atoms p = reference::AtomsFrom(v.inputs["p"]);
    const Atoms q = reference::AtomsFrom(v.inputs["q"]);
    EXPECT_NEAR(WassersteinInfinity(p, q), v.expected["winf"], v.tolerance) << id << " as a flow";
  }
}

TEST(PufferfishVectors, WassersteinInThePlane) {
  for (const char* id : {"puf.winf_2d", "puf.winf_2d_b"}) {
    const Vector v = OneVector(id);
    const Atoms p = reference::AtomsFrom(v.inputs["p"]);
    const Atoms q = reference::AtomsFrom(v.inputs["q"]);
    EXPECT_NEAR(WassersteinInfinity(p, q), v.expected["winf"], v.tolerance) << id;
    EXPECT_NEAR(WassersteinInfinity(q, p), v.expected["winf"], v.tolerance) << id;
  }
}

TEST(PufferfishVectors, WassersteinOfALongChain) {
  const Vector v = OneVector("puf.winf_lattice");
  EXPECT_NEAR(WassersteinSensitivity(CountSecrets(Settled(v.inputs["T"]))), v.expected["winf"], v.tolerance);
}

TEST(PufferfishVectors, ExactCurve) {
  const Vector v = OneVector("puf.exact_curve");
  const auto secrets = Secrets(reference::LawFrom(v.inputs["joint"]), Sum).value();
  for (const auto& [sigma, epsilon] : v.expected["eps_of_sigma"].items()) {
    EXPECT_NEAR(LaplaceLoss(secrets, std::stod(sigma)), epsilon, v.tolerance) << sigma;
  }
  for (const auto& [epsilon, sigma] : v.expected["sigma_of_eps"].items()) {
    EXPECT_NEAR(CalibratedScale(secrets, std::stod(epsilon), 0), sigma, v.tolerance) << epsilon;
  }
}

TEST(PufferfishVectors, PlainFloor) {
  const Vector v = OneVector("puf.dp_floor");
  const auto secrets = Secrets(reference::LawFrom(v.inputs["joint"]), Sum).value();
  for (std::size_t k = 0; k < v.inputs["eps"].size(); ++k) {
    const double epsilon = v.inputs["eps"][k];
    EXPECT_NEAR(CalibratedScale(secrets, epsilon, 0), v.expected["exact_sigma"][k], v.tolerance);
    EXPECT_NEAR(CalibratedScale(secrets, epsilon, 1), v.expected["dp_sigma"][k], v.tolerance);
  }
}

TEST(PufferfishVectors, CountOverAChain) {
  const Vector v = OneVector("puf.chain_sum");
  for (const auto& [key, expected] : v.expected.items()) {
    const Chain chain = ChainFrom(v.inputs, static_cast<std::int64_t>(reference::NumberIn(key, "T")));
    const double epsilon = reference::NumberIn(key, "eps");
    const auto secrets = CountSecrets(chain);
    EXPECT_NEAR(CalibratedScale(secrets, epsilon, 0), expected["exact_sigma"], v.tolerance) << key;
    EXPECT_NEAR(WassersteinSensitivity(secrets), expected["winf"], v.tolerance) << key;
    EXPECT_NEAR(WassersteinSensitivity(secrets) / epsilon, expected["wasserstein_sigma"], v.tolerance) << key;
    EXPECT_NEAR(1 / QuiltCurve::Exact(chain, {}).PlainBudget(epsilon), expected["mqm_exact_sigma"], v.tolerance) << key;
    EXPECT_NEAR(GroupScale(static_cast<double>(chain.length), epsilon), expected["group_sigma"], v.tolerance);
    if (!expected.contains("qcond_mid")) continue;
    const Secret& middle = secrets[static_cast<std::size_t>(chain.length / 2)];
    for (std::size_t x = 0; x < 2; ++x) {
      for (std::size_t s = 0; s <= static_cast<std::size_t>(chain.length); ++s) {
        EXPECT_NEAR(middle.given[x][s], expected["qcond_mid"][std::to_string(x)][s], v.tolerance);
      }
    }
  }
}

TEST(PufferfishVectors, MaxInfluence) {
  const Vector v = OneVector("mqm.maxinf");
  const Chain chain = ChainFrom(v.inputs, v.inputs["T"]);
  for (std::size_t k = 0; k < v.inputs["cases"].size(); ++k) {
    const json& c = v.inputs["cases"][k];  // records are numbered from 1 there
    EXPECT_NEAR(MaxInfluence(chain, c[0].get<std::int64_t>() - 1, Side(c[1]), Side(c[2]), false),
                v.expected["values"][k], v.tolerance)
        << c;
  }
}

TEST(PufferfishVectors, ExactQuilts) {
  const Vector v = OneVector("mqm.exact.paper");
  double over_all = 0;
  for (std::size_t k = 0; k < v.inputs["theta"].size(); ++k) {
    const Chain chain = ChainFrom(v.inputs["theta"][k], v.inputs["T"]);
    const json& expected = v.expected["published_rule"][k];
    const QuiltCurve::Worst worst = QuiltCurve::Exact(chain, {}).WorstAt(v.inputs["eps"]);
    EXPECT_NEAR(1 / worst.plain, expected["sigma"], v.tolerance);
    EXPECT_EQ(worst.record + 1, expected["node"]);
    EXPECT_EQ(worst.quilt.left, Side(expected["a"]));
    EXPECT_EQ(worst.quilt.right, Side(expected["b"]));
    EXPECT_NEAR(worst.quilt.influence, expected["influence"], v.tolerance);
    EXPECT_NEAR(1 / QuiltCurve::Exact(chain, {true, {}}).PlainBudget(v.inputs["eps"]), v.expected["tight"][k],
                v.tolerance);
    over_all = std::max(over_all, 1 / worst.plain);
  }
  EXPECT_NEAR(over_all, v.expected["sigma_Theta"], v.tolerance);
}

TEST(PufferfishVectors, ApproximateQuilts) {
  const Vector v = OneVector("mqm.approx");
  for (std::size_t k = 0; k < v.inputs["theta"].size(); ++k) {
    const Chain chain = ChainFrom(v.inputs["theta"][k], v.inputs["T"]);
    const json& expected = v.expected["theta" + std::to_string(k + 1)];
    const Law stationary = StationaryLaw(chain.transition).value();
    for (std::size_t x = 0; x < 2; ++x) EXPECT_NEAR(stationary[x], expected["stationary"][x], v.tolerance);
    const auto rate = [&](Forgetting how) { return ForgettingRate(chain.transition, how).value(); };
    EXPECT_NEAR(-2 * std::log(rate(Forgetting::kGap)), expected["g_general"], v.tolerance);
    EXPECT_NEAR(-2 * std::log(rate(Forgetting::kReversibleGap)), expected["g_reversible"], v.tolerance);
    EXPECT_NEAR(rate(Forgetting::kEigenvalue), expected["lambda2"], v.tolerance);
    EXPECT_NEAR(rate(Forgetting::kSingularValue), expected["lambda2"], v.tolerance);  // the same for two values
    const auto worst = [&](Forgetting how) {
      return QuiltCurve::Approximate(chain, how, {}).value().WorstAt(v.inputs["eps"]);
    };
    const QuiltCurve::Worst published = worst(Forgetting::kReversibleGap);
    EXPECT_NEAR(1 / published.plain, expected["sigma_reversible"], v.tolerance);
    EXPECT_EQ(published.quilt.left, Side(expected["a"]));
    EXPECT_EQ(published.quilt.right, Side(expected["b"]));
    EXPECT_EQ(published.record + 1, expected["node"]);
    EXPECT_NEAR(1 / worst(Forgetting::kGap).plain, expected["sigma_general"], v.tolerance);
    const QuiltCurve::Worst direct = worst(Forgetting::kEigenvalue);
    EXPECT_NEAR(1 / direct.plain, expected["sigma_with_lambda2_power"], v.tolerance);
    EXPECT_EQ(direct.quilt.left, Side(expected["a2"]));
    EXPECT_EQ(direct.quilt.right, Side(expected["b2"]));
  }
}

TEST(PufferfishVectors, InfluenceCurve) {
  const Vector v = OneVector("puf.influence_curve");
  const QuiltCurve curve = QuiltCurve::Exact(ChainFrom(v.inputs, v.inputs["T"]), {});
  for (std::size_t k = 0; k < v.inputs["eps0"].size(); ++k) {
    EXPECT_NEAR(curve.Loss(v.inputs["eps0"][k]), v.expected["eps"][k], v.tolerance);
  }
  EXPECT_NEAR(curve.PlainBudget(1), v.expected["eps0_for_eps1"], v.tolerance);
  EXPECT_NEAR(curve.Loss(curve.PlainBudget(1)), 1, 1e-12);
}

TEST(PufferfishVectors, ComposeInPlainLossTranslateOnce) {
  const Vector v = OneVector("puf.influence_compose");
  const QuiltCurve curve = QuiltCurve::Exact(Settled(v.inputs["T"]), {});
  for (const auto& [key, expected] : v.expected.items()) {
    const double releases = reference::NumberIn(key, "K");
    EXPECT_NEAR(1 / curve.PlainBudget(1 / releases), expected["sigma_linear_composition"], v.tolerance) << key;
    EXPECT_NEAR(releases / curve.PlainBudget(1), expected["sigma_translator"], v.tolerance) << key;
  }
}

TEST(PufferfishVectors, BayesianLeakage) {
  for (const Vector& v : Vectors("papers", "puf.bdp.")) {
    const ListedLaw law = reference::LawFrom(v.inputs["joint"]);
    std::size_t seen = 0;
    const std::vector<Leakage> all = AllLeakages(law, Sum, v.inputs["sigma"]).value();
    for (const Leakage& leakage : all) {
      const std::string key = "i=" + std::to_string(leakage.record) + ",K=";
      for (const auto& [name, loss] : v.expected.items()) {
        if (name.rfind(key, 0) != 0 ||
            json::Parse(name.substr(key.size())).get<decltype(leakage.known)>() != leakage.known)
          continue;
        ++seen;
        EXPECT_NEAR(leakage.loss, loss, v.tolerance) << v.id << name;
      }
    }
    EXPECT_EQ(seen, v.expected.size()) << v.id;
  }
}

TEST(PufferfishVectors, Renyi) {
  const Vector v = OneVector("puf.renyi");
  const Secret laws = reference::SecretFrom(json::array({v.inputs["p"], v.inputs["q"]}));
  const double noise = v.inputs["s"];
  const double shift = WassersteinInfinity(laws.axes[0], laws.given[0], laws.given[1]);
  for (std::size_t k = 0; k < v.inputs["alphas"].size(); ++k) {
    const double alpha = v.inputs["alphas"][k];
    EXPECT_NEAR(GaussianRenyiBound(alpha, shift, noise), v.expected["bound"][k], v.tolerance);
    EXPECT_NEAR(GaussianRenyi(alpha, laws.axes[0], laws.given[0], laws.given[1], noise), v.expected["exact_p_q"][k],
                v.tolerance);
    EXPECT_NEAR(GaussianRenyi(alpha, laws.axes[0], laws.given[1], laws.given[0], noise), v.expected["exact_q_p"][k],
                v.tolerance);
    EXPECT_NEAR(LaplaceRenyiBound(alpha, 2, 2), v.expected["laplace_shift2_b2"][k], v.tolerance);
  }
}

TEST(PufferfishVectors, GaussianModel) {
  const Vector v = OneVector("puf.gaussian");
  const GaussianShift shift =
      GaussianShiftOf(v.inputs["S"].get<Matrix>(), v.inputs["a"].get<std::vector<double>>(), v.inputs["M"]);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(shift.slopes[i], v.expected["beta"][i], v.tolerance);
    EXPECT_NEAR(shift.shifts[i], v.expected["W"][i], v.tolerance);
  }
  EXPECT_NEAR(shift.worst / v.inputs["eps"].get<double>(), v.expected["sigma"], v.tolerance);
}

TEST(PufferfishVectors, ModelError) {
  const Vector v = OneVector("puf.robust");
  EXPECT_NEAR(WithModelError(v.inputs["eps"], v.inputs["D"]), v.expected["eps_robust"], v.tolerance);
}

TEST(ZhuVectors, CorrelatedSensitivity) {
  const Vector v = OneVector("zhu.cs");
  const auto degrees = v.inputs["delta"].get<Matrix>();
  const auto sensitivities = v.inputs["RS"].get<std::vector<double>>();
  const CorrelatedSensitivity all = CorrelatedSensitivityOf(degrees, sensitivities, 0);
  const CorrelatedSensitivity strong = CorrelatedSensitivityOf(degrees, sensitivities, v.inputs["delta0"]);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(all.per_record[i], v.expected["CS_i"][i], v.tolerance);
    EXPECT_NEAR(strong.per_record[i], v.expected["CS_i_thresholded"][i], v.tolerance);
  }
  EXPECT_NEAR(all.worst, v.expected["CS"], v.tolerance);
  EXPECT_NEAR(all.worst / v.inputs["eps"].get<double>(), v.expected["scale"], v.tolerance);
}

TEST(ZhuVectors, CorrelationZeroYetDetermined) {
  const Vector v = OneVector("zhu.fail");
  const auto others = v.inputs["m"].get<std::size_t>();
  ListedLaw law;
  for (const double d0 : {-1.0, 0.0, 1.0}) {
    law.push_back({std::vector<double>(others + 1, d0 * d0), 1.0 / 3});
    law.back().values[0] = d0;
  }
  std::vector<double> ranges(others + 1, 1.0);
  ranges[0] = 2;
  const CorrelatedSensitivity cs = CorrelatedSensitivityOf(PearsonDegrees(law), ranges, 0);
  EXPECT_NEAR(cs.per_record[0], v.expected["CS_0"], v.tolerance);
  EXPECT_NEAR(WassersteinSensitivity(std::vector{SecretOf(law, Sum, 0).value()}), v.expected["Winf_D0"], v.tolerance);
}

}  // namespace
}  // namespace kith::published
