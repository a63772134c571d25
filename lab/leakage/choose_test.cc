// The choice of epsilon against vectors, what binds, and its errors.
#include "leakage/choose.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/vectors.h"

namespace kith::one_sided {
namespace {

using json = kith::testing::Json;

// Two attributes with a joint law as in the vectors; each depends on the other.
std::vector<Served> PairOf(const json& joint, const std::vector<double>& values) {
  double p[2][2] = {};
  for (const auto& row : joint) p[row["x"][0].get<int>()][row["x"][1].get<int>()] = row["p"].get<double>();
  const double open[2] = {p[1][0] + p[1][1], p[0][1] + p[1][1]};
  Served first{values[0], open[0], {}, {{1 - open[1], p[1][0] / (1 - open[1]), p[1][1] / open[1], {}}}};
  Served second{values[1], open[1], {}, {{1 - open[0], p[0][1] / (1 - open[0]), p[1][1] / open[0], {}}}};
  return {first, second};
}

TEST(OneSidedChoice, ConvexVector) {
  for (const auto& v : testing::Vectors("papers", "osdp.opt_convex")) {
    const auto choice =
        Choose(PairOf(v.inputs["joint"], v.inputs["v"].get<std::vector<double>>()), v.inputs["T"], Closure::kSuppress)
            .value();
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_NEAR(choice.attributes[i].rate, v.expected["r"][i].get<double>(), v.tolerance);
      EXPECT_NEAR(choice.attributes[i].epsilon, v.expected["eps"][i].get<double>(), v.tolerance);
      EXPECT_NEAR(choice.attributes[i].leakage, v.expected["I"][i].get<double>(), v.tolerance);
      EXPECT_EQ(choice.attributes[i].binds, Binds::kInformation);
    }
    EXPECT_NEAR(choice.objective, v.expected["objective"].get<double>(), v.tolerance);
    EXPECT_NEAR(choice.price, v.expected["lam"].get<double>(), 1e-5);
    EXPECT_LE(choice.leakage, v.inputs["T"].get<double>());
  }
}

TEST(OneSidedChoice, PublishedObjectiveRunsToItsBox) {
  for (const auto& v : testing::Vectors("papers", "osdp.opt_literal")) {
    const auto attributes = PairOf(v.inputs["joint"], {1, 1});
    for (const auto& [name, expected] : v.expected.items()) {
      double total = 0, largest = 0;
      ASSERT_EQ(std::sscanf(name.c_str(), "T=%lf,emax=%lf", &total, &largest), 2);
      const auto choice = ChooseSumOfEpsilon(attributes, total, largest, Closure::kSuppress).value();
      EXPECT_NEAR(choice.objective, expected["obj"].get<double>(), v.tolerance) << name;
      EXPECT_LE(choice.leakage, total);
      // Who could have more has used up the total, not just what a grid of leakage comes to.
      const bool more = std::any_of(choice.attributes.begin(), choice.attributes.end(),
                                    [](const auto& one) { return one.binds == Binds::kInformation; });
      if (more) {
        EXPECT_GE(choice.leakage, total * (1 - 1e-9)) << name;
      }
    }
  }
}

// A table in which a suppressed record says little about the dependent: d1 = .5, d2 = .25.
Served WithCap(double kappa) { return {1, 0.625, {}, {{0.5, 0.5, 0.75, kappa}}}; }

TEST(OneSidedChoice, SaysWhatBinds) {
  const auto binds = [](const Served& served, double total) {
    const auto choice = Choose({served}, total, Closure::kSuppress).value();
    return choice.attributes[0].binds;
  };
  EXPECT_EQ(binds(WithCap(0.1), 5), Binds::kCap);
  EXPECT_EQ(binds(WithCap(2), 5), Binds::kNothing);
  EXPECT_EQ(binds(WithCap(2), 0.01), Binds::kInformation);
  Served own = WithCap(2);
  own.kappa = 0.3;
  EXPECT_EQ(binds(own, 5), Binds::kOwnCap);
  EXPECT_NEAR(Choose({own}, 5, Closure::kSuppress).value().attributes[0].epsilon, 0.3, 1e-12);
  // Released records are never sensitive: here they say 1.9 times the odds.
  const Served talkative{1, 0.5, {}, {{0.5, 0.95, 0.05, 0.1}}};
  const auto closed = Choose({talkative}, 5, Closure::kSuppress).value();
  EXPECT_EQ(closed.attributes[0].binds, Binds::kClosed);
  EXPECT_EQ(closed.attributes[0].rate, 0);
  const auto refused = Choose({talkative}, 5, Closure::kRefuse);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().what.find("no epsilon changes that"), std::string::npos);
}

TEST(OneSidedChoice, WhatIsNeverSensitiveIsReleased) {
  const auto choice = Choose({{1, 1, {}, {}}, {1, 0.5, {}, {}}}, 1e-3, Closure::kSuppress).value();
  EXPECT_EQ(choice.attributes[0].rate, 1);
  EXPECT_EQ(choice.attributes[0].leakage, 0);
  EXPECT_LT(choice.attributes[1].rate, 0.01);
}

TEST(OneSidedChoice, BadInputIsRefused) {
  const Served good{1, 0.5, {}, {}};
  EXPECT_FALSE(Choose({good}, 0, Closure::kSuppress));
  EXPECT_FALSE(Choose({good}, std::nan(""), Closure::kSuppress));
  EXPECT_FALSE(Choose({good}, -1, Closure::kSuppress));
  EXPECT_FALSE(Choose({{1, 1.5, {}, {}}}, 1, Closure::kSuppress));
  EXPECT_FALSE(Choose({{-1, 0.5, {}, {}}}, 1, Closure::kSuppress));
  EXPECT_FALSE(Choose({{1, 0.5, -0.1, {}}}, 1, Closure::kSuppress));
  EXPECT_FALSE(Choose({{1, 0.5, {}, {{0.5, 0.5, 0.75, {}}}}}, 1, Closure::kSuppress));  // averages 0.625
  EXPECT_FALSE(Choose({{1, 0.5, {}, {{0.5, 0.5, 0.5, -1.0}}}}, 1, Closure::kSuppress));
  EXPECT_FALSE(ChooseSumOfEpsilon({good}, 1, 0, Closure::kSuppress));
  EXPECT_FALSE(ChooseSumOfEpsilon(std::vector<Served>(201, good), 1, 3, Closure::kSuppress));
}

}  // namespace
}  // namespace kith::one_sided
