// Gaussian loss through dependence: the vectors, the ends, and what is refused. Exact programmes:
// gaussian_property_test.cc.
#include "transfer/gaussian/gaussian.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/vectors.h"
#include "transfer/check/field_small.h"
#include "transfer/check/field_witness.h"
#include "transfer/gaussian/probit.h"

namespace kith {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// `sides` links to each side of every node of a ring, at distances that make no triangle: messages are then all there
/// is.
Field Regular(std::int64_t nodes, std::vector<std::int64_t> distances, double theta) {
  Field field;
  field.nodes = nodes;
  for (std::int64_t i = 0; i < nodes; ++i) {
    for (const auto d : distances)
      field.edges.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>((i + d) % nodes), theta});
  }
  return field;
}

Model ModelOf(const std::string& name) {
  if (name.starts_with("pair")) return Group{2, {{"", 40.0}}};
  if (name.starts_with("association")) return Group{6, {{"", 4.0}}};
  if (name.starts_with("chain")) return Chain{{{.8, .2}, {.3, .7}}, {.6, .4}, 100};
  return Regular(2003, {1, 9, 81, 729, 200}, .1);
}

TEST(Probit, MeetsTheVectors) {
  for (const auto& v : testing::Vectors("leap", "gdp.phi")) {
    const auto& t = v.inputs.at("t");
    const double phi = ProbitPhi(v.inputs.at("theta"), t.is_string() ? kInfinity : t.get<double>());
    EXPECT_NEAR(phi, v.expected.get<double>(), v.tolerance) << v.id;
    EXPECT_GE(phi, v.expected.get<double>() * (1 - 1e-15)) << v.id;
  }
  for (const auto& v : testing::Vectors("leap", "gdp.delta"))
    EXPECT_NEAR(DeltaOfMu(v.inputs.at("mu"), v.inputs.at("eps")), v.expected.get<double>(), v.tolerance) << v.id;
  for (const auto& v : testing::Vectors("leap", "gdp.mu"))
    EXPECT_NEAR(LargestMu(v.inputs.at("eps"), v.inputs.at("delta")), v.expected.get<double>(), v.tolerance) << v.id;
  for (const auto& v : testing::Vectors("leap", "gdp.of_pure"))
    EXPECT_NEAR(MuOfPure(v.inputs.at("eps")), v.expected.get<double>(), v.tolerance) << v.id;
}

TEST(Probit, Ends) {
  EXPECT_EQ(ProbitPhi(0, 3), 0);
  EXPECT_EQ(ProbitPhi(3, 0), 0);
  EXPECT_EQ(ProbitPhi(kInfinity, 0.7), 0.7);
  EXPECT_LE(ProbitPhi(50, 0.7), 0.7);
  EXPECT_NEAR(ProbitPhi(50, 0.7), 0.7, 1e-9);
  EXPECT_NEAR(ProbitPhi(1, 1e-9), 1e-9 * std::tanh(0.25), 1e-24);
  EXPECT_EQ(DeltaOfMu(0, 1), 0);
  EXPECT_GT(DeltaOfMu(1e-3, 100), 0);
  EXPECT_LT(DeltaOfMu(1e-3, 100), 1e-300);
  EXPECT_EQ(LargestMu(1, 0), 0);
  EXPECT_NEAR(UpperQuantileUp(0.5L, 0.5L), 0, 1e-15);
  EXPECT_NEAR(UpperQuantileUp(0.025L, 0.975L), 1.959963984540054, 1e-14);
  EXPECT_NEAR(UpperQuantileUp(0.975L, 0.025L), -1.959963984540054, 1e-12);
  EXPECT_NEAR(UpperQuantileUp(1e-20L, 1), 9.262340089798408, 1e-13);
  EXPECT_NEAR(UpperQuantileUp(1, 1e-20L), -9.262340089798408, 1e-12);
}

TEST(GaussianMessages, MeetTheVectors) {
  const auto mu_of = [](const Model& model, double mu) {
    return *GaussianTransfer::Make(Transfer::Make(model).value())->Mu(mu).value();
  };
  for (const auto& v : testing::Vectors("leap", "gdp.assoc"))
    EXPECT_NEAR(mu_of(ModelOf("association"), v.inputs.at("mu")), v.expected.get<double>(), v.tolerance) << v.id;
  for (const auto& v : testing::Vectors("leap", "gdp.pair"))
    EXPECT_NEAR(mu_of(ModelOf("pair"), v.inputs.at("mu")), v.expected.get<double>(), v.tolerance) << v.id;
  const SmallField field(Regular(301, {1, 9, 41, 67, 100}, .1), ProbitPhi);
  for (const auto& v : testing::Vectors("leap", "gdp.regular")) {
    const std::vector<double> mu(301, v.inputs.at("mu").get<double>());
    EXPECT_NEAR(MessageLosses(field, mu)[7], v.expected.get<double>(), v.tolerance) << v.id;
  }
}

TEST(OffsetTransfer, MeetsTheVectors) {
  for (const auto& v : testing::Vectors("leap", "offset.lambda")) {
    const double loss = OffsetLoss(GaussianProfile(v.inputs.at("mu")), v.inputs.at("c")).value();
    EXPECT_NEAR(loss, v.expected.get<double>(), v.tolerance) << v.id;
  }
  for (const auto& v : testing::Vectors("leap", "offset.budget")) {
    const auto transfer = Transfer::Make(ModelOf(v.inputs.at("model"))).value();
    const auto budget = GaussianTransfer::Make(transfer)->Budget(v.inputs.at("eps"), v.inputs.at("delta")).value();
    EXPECT_NEAR(budget.plain_epsilon, v.expected["eps0"].get<double>(), v.tolerance) << v.id;
    EXPECT_NEAR(budget.plain_delta / v.expected["delta0"].get<double>(), 1, v.tolerance) << v.id;
    EXPECT_NEAR(budget.offset, v.expected["mu"].get<double>(), v.tolerance) << v.id;
    EXPECT_NEAR(std::sqrt(1000) / budget.offset, v.expected["sigma1000"].get<double>(), 0.01) << v.id;
    EXPECT_GE(budget.mu, budget.offset) << v.id;
  }
}

TEST(GaussianTransfer, TheWayBackFitsTheWayThere) {
  for (const char* name : {"pair", "association", "chain"}) {
    const auto gaussian = GaussianTransfer::Make(Transfer::Make(ModelOf(name)).value()).value();
    for (const double epsilon : {0.1, 1.0, 4.0}) {
      const auto budget = gaussian.Budget(epsilon, 1e-6).value();
      const auto loss = gaussian.Delta(budget.mu, epsilon).value();
      EXPECT_LE(loss.delta, 1e-6 * (1 + 1e-9)) << name << " " << epsilon;
      EXPECT_GE(loss.delta, 1e-6 * (1 - 1e-6)) << name << " " << epsilon;
    }
  }
}

TEST(GaussianTransfer, IndependentRecordsLoseWhatWasSpent) {
  const auto gaussian = GaussianTransfer::Make(Transfer::Make(Independent{}).value()).value();
  EXPECT_EQ(*gaussian.Mu(0.3).value(), 0.3);
  const auto budget = gaussian.Budget(1, 1e-6).value();
  EXPECT_NEAR(budget.mu, LargestMu(1, 1e-6), 1e-12);
}

TEST(GaussianTransfer, KnownTotalsAddOneRecord) {
  const KnownTotals known{"the exact number of units with sick = true, over all units", 1, false, false};
  const auto gaussian = GaussianTransfer::Make(Transfer::Make(Independent{}, known).value()).value();
  EXPECT_EQ(*gaussian.Mu(0.25).value(), 0.5);
}

TEST(OffsetTransfer, UnequalProfilesAreNoWorseThanTheLargestForAll) {
  const auto pair = Transfer::Make(Group{2, {{"", 4.0}}}).value();
  const GaussianProfile small(0.1), large(0.5);
  const PrivacyProfile* const both[] = {&small, &large};
  const PrivacyProfile* const worst[] = {&large};
  const double unequal = OffsetDelta(pair, both, 1).value();
  EXPECT_LT(unequal, OffsetDelta(pair, worst, 1).value());
  EXPECT_GT(unequal, DeltaOfMu(0.5, 1));
  const PrivacyProfile* const same[] = {&large, &large};
  EXPECT_NEAR(OffsetDelta(pair, same, 1).value() / OffsetDelta(pair, worst, 1).value(), 1, 1e-6);
}

TEST(GaussianTransfer, Refuses) {
  const auto metric = Transfer::Make(Lipschitz{{{0}}, {}}).value();
  EXPECT_FALSE(GaussianTransfer::Make(metric).has_value());
  const GaussianProfile profile(0.1);
  const PrivacyProfile* const one[] = {&profile};
  EXPECT_FALSE(OffsetDelta(metric, one, 1).has_value());
  const auto pair = Transfer::Make(ModelOf("pair")).value();
  EXPECT_FALSE(OffsetDelta(pair, one, 0).has_value());
  EXPECT_FALSE(OffsetDelta(pair, {}, 1).has_value());
  const auto gaussian = GaussianTransfer::Make(pair).value();
  EXPECT_FALSE(gaussian.Budget(1, 0).has_value());
  EXPECT_FALSE(gaussian.Budget(1, 1).has_value());
  EXPECT_FALSE(gaussian.Budget(kInfinity, 1e-6).has_value());
  EXPECT_FALSE(gaussian.Delta(-1, 1).has_value());
}

}  // namespace
}  // namespace kith
