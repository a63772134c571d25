// What a history gives away, under every reading; and which units are worst placed.
#include "audit/history/policy_leak.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "dependence/graph.h"
#include "dependence/graph_builder.h"
#include "transfer/pair/pair.h"

namespace kith::audit {
namespace {

const Reading& Named(const StratumLeak& leak, const std::string& name) {
  const auto found = std::find_if(leak.readings.begin(), leak.readings.end(),
                                  [&](const Reading& reading) { return reading.name == name; });
  EXPECT_NE(found, leak.readings.end()) << name;
  return *found;
}

Field Star5() { return {6, {{0, 1, .7}, {0, 2, .7}, {0, 3, .7}, {0, 4, .7}}, {}, {}, {}, {}}; }

TEST(PolicyLeak, StatesWhatTheTransferFunctionStates_AUDIT9) {
  const Group twins{2, {{"mz", 40.0}, {"dz", 2.5}}};
  const auto transfer = Transfer::Make(twins).value();
  const std::vector<Stratum> strata = {{"zyg=mz", 0, 0.1}, {"zyg=dz", 1, 0.3}, {"zyg=mz, sex=f", 0, 0.2}};
  const PolicyLeak leak = LeakOf(transfer, strata, 0.05).value();
  ASSERT_EQ(leak.strata.size(), 3U);
  for (std::size_t k = 0; k < 3; ++k) {
    const double largest = strata[k].of_class == 0 ? 0.2 : 0.3;  // a twin may be in the other stratum
    EXPECT_EQ(leak.strata[k].dependent_now, transfer.Loss(largest, strata[k].of_class)->dependent);
    EXPECT_EQ(leak.strata[k].dependent_after, transfer.Loss(largest + 0.05, strata[k].of_class)->dependent);
    EXPECT_EQ(Named(leak.strata[k], "plain").now, strata[k].plain);
    EXPECT_EQ(Named(leak.strata[k], "plain").after, strata[k].plain + 0.05);
    EXPECT_DOUBLE_EQ(Named(leak.strata[k], "group").now, 2 * largest);
    for (const Reading& reading : leak.strata[k].readings) {
      if (reading.name == "plain" || !reading.theorem) continue;
      EXPECT_GE(reading.now, leak.strata[k].dependent_now * (1 - 1e-12)) << reading.name;
    }
    EXPECT_GT(leak.strata[k].bits_now, 0);
    EXPECT_LT(leak.strata[k].bits_now, leak.strata[k].dependent_now / std::log(2));
  }
}

TEST(PolicyLeak, TheCheckAboveSeesAStratumThatForgetsItsRelatives) {
  // With the stratum's own plain loss instead of the class's largest, the statement would be smaller.
  const auto transfer = Transfer::Make(Group{2, {{"", 40.0}}}).value();
  const std::vector<Stratum> strata = {{"a", 0, 0.1}, {"b", 0, 0.2}};
  const PolicyLeak leak = LeakOf(transfer, strata, 0).value();
  EXPECT_GT(leak.strata[0].dependent_now, transfer.Loss(0.1)->dependent * 1.5);
}

TEST(PolicyLeak, ShapesOfASmallGraph) {
  const auto transfer = Transfer::Make(Star5()).value();
  const std::vector<Stratum> strata = {{"everyone", 0, 0.2}};
  const PolicyLeak leak = LeakOf(transfer, strata, 0.1).value();
  ASSERT_EQ(leak.places.size(), 3U);
  EXPECT_EQ(leak.places[0].shape, "4 neighbours, component of 5");
  EXPECT_EQ(leak.places[0].units, 1U);
  EXPECT_EQ(leak.places[0].now, leak.strata[0].dependent_now);
  EXPECT_EQ(leak.places[1].shape, "1 neighbour, component of 5");
  EXPECT_EQ(leak.places[1].units, 4U);
  EXPECT_EQ(leak.places[2].shape, "0 neighbours, component of 1");
  EXPECT_DOUBLE_EQ(leak.places[2].now, 0.2);
  EXPECT_DOUBLE_EQ(leak.places[2].after, 0.2 + 0.1);
  const Reading& star = Named(leak.strata[0], "star");
  EXPECT_FALSE(star.theorem);
  EXPECT_NEAR(star.now, 0.2 + 4 * Phi(.7, 0.2), 1e-12);
}

TEST(PolicyLeak, TheSameShapesInACompactGraph) {
  Field field = Star5();
  const auto small = LeakOf(Transfer::Make(field).value(), std::vector<Stratum>{{"everyone", 0, 0.2}}, 0.1).value();
  field.graph = std::make_shared<const Graph>(GraphFromEdges(6, field.edges, RepeatedPairs::kRefuse).value());
  field.edges.clear();
  const auto large = LeakOf(Transfer::Make(field).value(), std::vector<Stratum>{{"everyone", 0, 0.2}}, 0.1).value();
  ASSERT_EQ(large.places.size(), small.places.size());
  for (std::size_t k = 0; k < small.places.size(); ++k) {
    EXPECT_EQ(large.places[k].shape, small.places[k].shape);
    EXPECT_EQ(large.places[k].units, small.places[k].units);
    EXPECT_NEAR(large.places[k].now, small.places[k].now, 1e-6);
  }
  EXPECT_NEAR(Named(large.strata[0], "star").now, Named(small.strata[0], "star").now, 1e-12);
}

TEST(PolicyLeak, GroupsBySize) {
  const auto transfer = Transfer::Make(Group{4, {{"", 3.0}}}).value();
  const PolicyLeak leak = LeakOf(transfer, std::vector<Stratum>{{"everyone", 0, 0.2}}, 0.1).value();
  ASSERT_EQ(leak.places.size(), 4U);
  EXPECT_EQ(leak.places[0].shape, "in a group of 4");
  EXPECT_EQ(leak.places[3].shape, "alone in its group");
  EXPECT_DOUBLE_EQ(leak.places[3].now, 0.2);
  for (std::size_t k = 1; k < 4; ++k) EXPECT_LE(leak.places[k].now, leak.places[k - 1].now);
  EXPECT_FALSE(Named(leak.strata[0], "star").theorem);
  const auto pairs = LeakOf(Transfer::Make(Group{2, {{"", 3.0}}}).value(), std::vector<Stratum>{{"all", 0, 0.2}}, 0);
  EXPECT_TRUE(Named(pairs->strata[0], "star").theorem);
}

TEST(PolicyLeak, NothingSpentNothingLost) {
  for (const Model& model : {Model(Independent{}), Model(Group{3, {{"", {}}}}), Model(Star5()),
                             Model(Chain{{{.8, .2}, {.3, .7}}, {.6, .4}, 20}), Model(Overlap{5, .1})}) {
    const auto leak = LeakOf(Transfer::Make(model).value(), std::vector<Stratum>{{"everyone", 0, 0}}, 0);
    ASSERT_TRUE(leak.has_value());
    EXPECT_EQ(leak->strata[0].dependent_now, 0) << Kind(model);
    EXPECT_EQ(leak->strata[0].bits_now, 0) << Kind(model);
  }
}

TEST(PolicyLeak, SumsOverPairsAreNotCalledATheorem) {
  PairLaws pairs;
  pairs.table = {{.9, .1}, {.1, .9}};
  pairs.degree = 3;
  const auto transfer = Transfer::Make(pairs);
  ASSERT_TRUE(transfer.has_value()) << transfer.error().Text();
  const PolicyLeak leak = LeakOf(*transfer, std::vector<Stratum>{{"everyone", 0, 0.2}}, 0).value();
  EXPECT_FALSE(leak.unproven.empty());
  for (const Reading& reading : leak.strata[0].readings) EXPECT_EQ(reading.theorem, reading.name == "plain");
}

TEST(PolicyLeak, RefusesWhatMakesNoSense) {
  const auto transfer = Transfer::Make(Group{2, {{"", 40.0}}}).value();
  EXPECT_FALSE(LeakOf(transfer, std::vector<Stratum>{{"a", 1, 0.1}}, 0).has_value());
  EXPECT_FALSE(LeakOf(transfer, std::vector<Stratum>{{"a", 0, -0.1}}, 0).has_value());
  EXPECT_FALSE(LeakOf(transfer, std::vector<Stratum>{{"a", 0, NAN}}, 0).has_value());
  EXPECT_FALSE(LeakOf(transfer, std::vector<Stratum>{{"a", 0, 0.1}}, -1).has_value());
}

TEST(PolicyLeak, WidenedLossesAreReadAtMoreThanPlain) {
  const auto transfer = Transfer::Make(Group{2, {{"", 3.0}}}).value();
  const PolicyLeak wide = LeakOf(transfer, std::vector<Stratum>{{"all", 0, 0.2}}, 0.1, 1.5).value();
  const PolicyLeak same = LeakOf(transfer, std::vector<Stratum>{{"all", 0, 0.2 * 1.5}}, 0.1 * 1.5).value();
  EXPECT_EQ(wide.strata[0].dependent_now, same.strata[0].dependent_now);
  EXPECT_EQ(wide.strata[0].dependent_after, same.strata[0].dependent_after);
  EXPECT_EQ(wide.strata[0].readings[0].now, 0.2);
  EXPECT_EQ(wide.strata[0].readings[1].now, same.strata[0].readings[1].now);
  EXPECT_EQ(BitsOf(0), 0);
  EXPECT_EQ(BitsOf(INFINITY), INFINITY);
}

}  // namespace
}  // namespace kith::audit
