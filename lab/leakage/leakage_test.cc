// The leakage calculator against the published theorems' vectors, and its errors.
#include "leakage/leakage.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/vectors.h"

namespace kith::one_sided {
namespace {

using json = kith::testing::Json;

// Vectors list states as [x_1, x_2, ...] with 0 = sensitive.
SensitivityLaw LawOf(const json& joint) {
  std::vector<double> law(std::size_t{1} << joint[0]["x"].size(), 0.0);
  for (const auto& row : joint) {
    std::size_t state = 0;
    for (std::size_t a = 0; a < row["x"].size(); ++a) state |= row["x"][a].get<std::size_t>() << a;
    law[state] += row["p"].get<double>();
  }
  return SensitivityLaw::Make(std::move(law)).value();
}

TEST(OneSidedLeakage, TheoremsOneToFour) {
  for (const auto& v : testing::Vectors("papers", "osdp.thms")) {
    const SensitivityLaw law = LawOf(v.inputs["joint"]);
    const double eps1 = v.inputs["eps1"], eps2 = v.inputs["eps2"];
    const int n = v.inputs["n_repeat"];
    const auto pair = Dependence(law, 0, 1).value();
    const auto near = [&](const char* name, double value) {
      EXPECT_NEAR(value, v.expected[name].get<double>(), v.tolerance) << name;
    };
    near("delta1", pair.d1);
    near("delta2", pair.d2);
    near("f1", SuppressedFactor(pair, eps1));
    near("cor1_f1_n3", SuppressedFactor(pair, n * eps1));
    near("f2", ReleasedFactor(pair));
    near("limit_f1_inf", SuppressedFactor(pair, std::numeric_limits<double>::infinity()));
    const auto odds = [&](std::size_t target, const std::vector<Observation>& seen) {
      return OddsAfter(law, target, seen).value().posterior;
    };
    near("thm1_odds_X1_given_M1_0", odds(0, {{0, eps1, 1, false}}));
    near("thm1_n3", odds(0, {{0, eps1, n, false}}));
    near("thm2_odds", odds(1, {{0, eps1, 1, false}}));
    near("cor1_odds_n3", odds(1, {{0, eps1, n, false}}));
    near("thm3_odds", odds(1, {{0, eps1, 0, true}}));
    near("thm4_00", odds(1, {{0, eps1, 1, false}, {1, eps2, 1, false}}));
    near("thm4_10", odds(1, {{0, eps1, 0, true}, {1, eps2, 1, false}}));
    EXPECT_EQ(odds(1, {{1, eps2, 0, true}}), 0);
    EXPECT_NEAR(1 - (1 - law.Sensitive(0)) * -std::expm1(-eps1), v.expected["P_M1_0"].get<double>(), v.tolerance);
  }
}

TEST(OneSidedLeakage, AReleaseLeaksWhateverEpsilonIs) {
  for (const auto& v : testing::Vectors("papers", "osdp.f2_unbounded")) {
    const PairDependence pair{v.inputs["delta1"], v.inputs["delta2"]};
    EXPECT_NEAR(ReleasedFactor(pair), v.expected["f2"].get<double>(), v.tolerance);
    EXPECT_NEAR(SuppressedFactor(pair, 0.1), v.expected["f1_at_eps_0_1"].get<double>(), v.tolerance);
    EXPECT_EQ(ReleasedFactor({0.5, 1}), std::numeric_limits<double>::infinity());
  }
}

TEST(OneSidedLeakage, LargestEpsilonForACap) {
  for (const auto& v : testing::Vectors("papers", "osdp.max_eps")) {
    for (std::size_t k = 0; k < v.inputs["cases"].size(); ++k) {
      const auto& c = v.inputs["cases"][k];
      const auto& expected = v.expected["values"][k];
      const double got = LargestEpsilon({c[0], c[1]}, c[2]);
      if (expected.is_string()) {
        EXPECT_TRUE(std::isinf(got));
      } else {
        EXPECT_NEAR(got, expected.get<double>(), v.tolerance);
        EXPECT_NEAR(std::log(SuppressedFactor({c[0], c[1]}, got)), c[2].get<double>(), 1e-9);
      }
    }
  }
}

TEST(OneSidedLeakage, PairFactorsDoNotMultiplyInGeneral) {
  for (const auto& v : testing::Vectors("papers", "osdp.xor_collusion")) {
    const SensitivityLaw law = LawOf(v.inputs["joint"]);
    const double eps = v.inputs["eps"];
    EXPECT_NEAR(SuppressedFactor(Dependence(law, 0, 2).value(), eps), v.expected["pairwise_f1"].get<double>(), 1e-12);
    const auto away = OddsAfter(law, 2, {{0, eps, 1, false}, {1, eps, 1, false}}).value();
    EXPECT_NEAR(away.posterior, v.expected["odds_X3_given_M1_0_M2_0"].get<double>(), v.tolerance);
    EXPECT_NEAR(away.prior, v.expected["prior_odds"].get<double>(), v.tolerance);
    EXPECT_NEAR(away.pairwise, 1, 1e-12);
    EXPECT_FALSE(away.product_holds);
    EXPECT_TRUE(std::isinf(OddsAfter(law, 2, {{0, eps, 0, true}, {1, eps, 0, true}}).value().posterior));
  }
}

TEST(OneSidedLeakage, MutualInformation) {
  for (const auto& v : testing::Vectors("papers", "osdp.mi")) {
    const SensitivityLaw law = LawOf(v.inputs["joint"]);
    for (std::size_t k = 0; k < v.inputs["eps"].size(); ++k) {
      const double rate = -std::expm1(-v.inputs["eps"][k].get<double>());
      EXPECT_NEAR(Information(law, 0, 0, rate), v.expected["I_11"][k].get<double>(), v.tolerance);
      EXPECT_NEAR(Information(law, 0, 1, rate), v.expected["I_X2_M1"][k].get<double>(), v.tolerance);
      EXPECT_NEAR(Information(law, 0, 0, rate) + Information(law, 0, 1, rate), v.expected["I_1_total"][k].get<double>(),
                  v.tolerance);
      EXPECT_NEAR(Information(law, 1, 1, rate) + Information(law, 1, 0, rate), v.expected["I_2_total"][k].get<double>(),
                  v.tolerance);
      EXPECT_NEAR(JointInformation(law, 1, {rate, 0}), v.expected["I_X2_M1"][k].get<double>(), v.tolerance);
    }
    EXPECT_NEAR(Information(law, 0, 0, 1) + Information(law, 0, 1, 1), v.expected["I_inf"][0].get<double>(),
                v.tolerance);
  }
}

TEST(OneSidedLeakage, LawsThatMakeNoSenseAreRefused) {
  const double nan = std::nan("");
  EXPECT_FALSE(SensitivityLaw::Make({0.5, 0.25, 0.25}));
  EXPECT_FALSE(SensitivityLaw::Make({1}));
  EXPECT_FALSE(SensitivityLaw::Make({0.5, 0.4}));
  EXPECT_FALSE(SensitivityLaw::Make({1.5, -0.5}));
  EXPECT_FALSE(SensitivityLaw::Make({nan, 1}));
  EXPECT_FALSE(SensitivityLaw::Make(std::vector<double>(std::size_t{1} << 21, 0x1p-21)));
  EXPECT_FALSE(SensitivityLaw::FromCounts({0, 0}, 0));
  EXPECT_NEAR(SensitivityLaw::FromCounts({0, 8}, 1).value().Sensitive(0), 0.1, 1e-12);
}

TEST(OneSidedLeakage, ObservationsThatMakeNoSenseAreRefused) {
  const SensitivityLaw law = SensitivityLaw::Make({0.5, 0, 0, 0.5}).value();
  EXPECT_FALSE(OddsAfter(law, 2, {}));
  EXPECT_FALSE(OddsAfter(law, 0, {{2, 1, 1, false}}));
  EXPECT_FALSE(OddsAfter(law, 0, {{1, 1, 1, false}, {1, 1, 1, false}}));
  EXPECT_FALSE(OddsAfter(law, 0, {{1, std::nan(""), 1, false}}));
  EXPECT_FALSE(OddsAfter(SensitivityLaw::Make({1, 0, 0, 0}).value(), 0, {{1, 1, 1, false}}));
  const auto never = OddsAfter(SensitivityLaw::Make({0.5, 0.5, 0, 0}).value(), 0, {{1, 1, 0, true}});
  ASSERT_FALSE(never);
  EXPECT_NE(never.error().what.find("cannot be observed"), std::string::npos);
}

}  // namespace
}  // namespace kith::one_sided
