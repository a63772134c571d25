// Messages on big graphs: published values, limits, high degrees, hard constraints, budgets and refusals.
#include "transfer/field/field_large.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "dependence/graph_builder.h"
#include "tests/support/small_laws.h"
#include "tests/support/vectors.h"
#include "transfer/field/field_large_kernel.h"

namespace kith {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
using Precision = FieldOptions::Precision;

/// phi as docs/theory/transfer.md#worst-case-over-all-laws states it.
double PlainPhi(double theta, double t) {
  return 2 * std::log((1 + std::exp((theta + t) / 2)) / (std::exp(theta / 2) + std::exp(t / 2)));
}

FieldOptions Fine(Precision precision = Precision::kDouble) {
  FieldOptions options;
  options.precision = precision;
  options.gain = precision == Precision::kSingle ? 1e-7 : 1e-14;
  options.per_record = true;
  options.cliques = false;  // only messages here; with cliques: field_blocks_property_test.cc
  return options;
}

LargeField FieldOn(std::int64_t records, const std::vector<Edge>& edges, FieldOptions options = Fine(),
                   std::vector<std::uint32_t> hidden = {}) {
  auto graph = GraphFromEdges(records, edges, RepeatedPairs::kAdd);
  EXPECT_TRUE(graph);
  return LargeField::Make(std::make_shared<const Graph>(std::move(*graph)), std::move(hidden), options).value();
}

FieldBound LossOn(std::int64_t records, const std::vector<Edge>& edges, double plain, FieldOptions options = Fine()) {
  return FieldOn(records, edges, options).Loss(PlainLosses::All(plain)).value();
}

std::vector<Edge> Complete(std::uint32_t size, double theta) {
  std::vector<Edge> edges;
  for (std::uint32_t a = 0; a < size; ++a) {
    for (std::uint32_t b = a + 1; b < size; ++b) edges.push_back({a, b, theta});
  }
  return edges;
}

std::vector<Edge> Path(std::uint32_t size, double theta) {
  std::vector<Edge> edges;
  for (std::uint32_t a = 0; a + 1 < size; ++a) edges.push_back({a, a + 1, theta});
  return edges;
}

std::vector<Edge> Named(const std::string& name, double theta) {
  if (name == "K4") return Complete(4, theta);
  std::vector<Edge> edges = Path(static_cast<std::uint32_t>(name.back() - '0'), theta);
  if (name == "ring6") edges.push_back({5, 0, theta});
  return edges;
}

TEST(FieldLarge, GivesThePublishedValues) {
  for (const std::string id : {"ring6", "K4", "path5"}) {
    for (const auto& vector : testing::Vectors("transfer", "transfer.field." + id)) {
      const auto expected = vector.expected.get<std::vector<double>>();
      const double theta = std::log(vector.inputs.at("odds_ratio").get<double>());
      const double plain = vector.inputs.at("plain").get<double>();
      const auto records = static_cast<std::int64_t>(expected.size());
      const FieldBound bound = LossOn(records, Named(id, theta), plain);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_NEAR(bound.per_record[i], expected[i], vector.tolerance) << id;
        EXPECT_GE(bound.per_record[i], expected[i] * (1 - 1e-14)) << id;
      }
      EXPECT_EQ(bound.bound, "field") << id;
      EXPECT_TRUE(bound.settled);
      const FieldBound single = LossOn(records, Named(id, theta), plain, Fine(Precision::kSingle));
      EXPECT_GE(single.dependent, bound.dependent * (1 - 1e-13)) << id;
      EXPECT_LE(single.dependent, bound.dependent * (1 + 1e-5)) << id;
    }
  }
}

// Two linked records are a forest, where messages are exact; on larger complete groups they are above the recursion
// that never returns to a record.
TEST(FieldLarge, CompleteGroups) {
  for (const auto& vector : testing::Vectors("transfer", "transfer.field.complete")) {
    const auto size = vector.inputs.at("m").get<std::uint32_t>();
    const double theta = std::log(vector.inputs.at("odds_ratio").get<double>());
    const FieldBound bound = LossOn(size, Complete(size, theta), vector.inputs.at("plain").get<double>());
    const auto expected = vector.expected.get<double>();
    EXPECT_GE(bound.messages, expected * (1 - 1e-14)) << vector.id;
    if (size == 2) {
      EXPECT_NEAR(bound.messages, expected, vector.tolerance) << vector.id;
    }
  }
}

TEST(FieldLarge, BlockAndGroupCaps) {
  for (const auto& vector : testing::Vectors("transfer", "transfer.group.odds.")) {
    const auto size = vector.inputs.at("size").get<std::uint32_t>();
    const double theta = std::log(vector.inputs.at("odds_ratio").get<double>());
    const FieldBound bound = LossOn(size, Complete(size, theta), vector.inputs.at("plain").get<double>());
    EXPECT_NEAR(bound.block, vector.expected.at("block").get<double>(), vector.tolerance) << vector.id;
    EXPECT_NEAR(bound.group, vector.expected.at("group").get<double>(), vector.tolerance) << vector.id;
    EXPECT_LE(bound.dependent, std::min({bound.messages, bound.block, bound.group})) << vector.id;
  }
}

// Where dependence is too strong for its degree the messages say nothing; the caps must take over and be named.
TEST(FieldLarge, NamesTheBoundThatWon) {
  EXPECT_EQ(LossOn(6, Complete(6, std::log(5)), 0.05).bound, "block");
  EXPECT_EQ(LossOn(6, Complete(6, 20), 0.05).bound, "group");
  EXPECT_EQ(LossOn(6, Path(6, 1), 0.05).bound, "field");
}

TEST(FieldLarge, NoDependenceAndNoLoss) {
  const FieldBound apart = LossOn(3, {{0, 1, 0}}, 0.5);
  EXPECT_EQ(apart.dependent, 0.5);
  EXPECT_EQ(apart.per_record, (std::vector<double>{0.5, 0.5, 0.5}));
  EXPECT_EQ(LossOn(4, Complete(4, 3), 0).dependent, 0);
}

// Plain losses whose exponential is no number: their messages are infinite, and what is left is the block or the group.
// Cut off, for a product that overflows could be scaled down for ever.
TEST(FieldLarge, LossesBeyondAllNumbersEnd) {
  for (const bool cliques : {false, true}) {
    for (const Precision precision : {Precision::kSingle, Precision::kDouble}) {
      FieldOptions options = Fine(precision);
      options.cliques = cliques;
      options.gain = 1e-6;
      for (const double plain : {553.0, 600.0, 1386.0, 1419.0, 1600.0, 1e6, 1e300}) {
        for (const auto& edges : {Path(30, 0.001), Path(30, 20), Complete(8, 0.7)}) {
          const auto bound = LossOn(30, edges, plain, options);
          EXPECT_LE(bound.passes, 50) << plain;
          // Somebody with a link, who knows the others: own loss, and at most the strengths of all links.
          EXPECT_GE(bound.dependent, plain);
          EXPECT_LE(bound.dependent, plain * (1 + 1e-12) + 8 * 20 * (1 + 1e-12)) << plain;
        }
      }
    }
  }
}

TEST(FieldLarge, HardConstraintsAddUp) {
  // 0=1=2 tied in a ring, 3 is linked to 2: the three lose together, and through 3.
  const std::vector<Edge> edges{{0, 1, kInfinity}, {1, 2, kInfinity}, {2, 0, kInfinity}, {2, 3, 1}};
  const FieldBound bound = LossOn(5, edges, 0.25);
  const double tied = 0.75 + PlainPhi(1, 0.25);
  for (const std::size_t record : {0u, 1u, 2u}) EXPECT_NEAR(bound.per_record[record], tied, 1e-12);
  EXPECT_GE(bound.per_record[0], tied * (1 - 1e-15));
  EXPECT_NEAR(bound.per_record[3], 0.25 + PlainPhi(1, 0.75), 1e-12);
  EXPECT_EQ(bound.per_record[4], 0.25);
  EXPECT_EQ(LossOn(3, {{0, 1, kInfinity}, {1, 2, kInfinity}}, 0.25).dependent, 0.75);
}

// A hub's product overflows every floating-point number; a leaf sees all the others through it.
TEST(FieldLarge, StarWithAMillionLeaves) {
  constexpr std::uint32_t kLeaves = 1'000'000;
  auto builder = GraphBuilder::Make(kLeaves + 1, 1.0, RepeatedPairs::kRefuse).value();
  std::vector<std::uint32_t> hub(kLeaves, kLeaves);
  std::vector<std::uint32_t> leaves(kLeaves);
  for (std::uint32_t i = 0; i < kLeaves; ++i) leaves[i] = i;
  ASSERT_TRUE(builder.Count({hub, leaves, {}}));
  ASSERT_TRUE(builder.Fill({hub, leaves, {}}));
  const auto graph = std::make_shared<const Graph>(builder.Finish(2).value());
  const double at_hub = 0.1 + kLeaves * PlainPhi(1, 0.1);
  for (const Precision precision : {Precision::kSingle, Precision::kDouble}) {
    const FieldBound bound = LargeField::Make(graph, {}, Fine(precision)).value().Loss(PlainLosses::All(0.1)).value();
    EXPECT_EQ(bound.node, kLeaves);
    EXPECT_EQ(bound.bound, "field");
    const double gap = precision == Precision::kSingle ? 1e-5 : 1e-9;
    EXPECT_GE(bound.dependent, at_hub * (1 - 1e-14));
    EXPECT_LE(bound.dependent, at_hub * (1 + gap));
    EXPECT_GE(bound.per_record[7], 1.1);
    EXPECT_LE(bound.per_record[7], 1.1 * (1 + gap));
  }
  // Small losses: the hub's product is finite, and dividing one leaf out of it must not eat its digits.
  const FieldBound little =
      LargeField::Make(graph, {}, Fine(Precision::kSingle)).value().Loss(PlainLosses::All(1e-7)).value();
  const double little_hub = 1e-7 + kLeaves * PlainPhi(1, 1e-7);
  EXPECT_GE(little.dependent, little_hub * (1 - 1e-9));  // PlainPhi itself loses digits here
  EXPECT_LE(little.dependent, little_hub * (1 + 1e-4));
}

TEST(FieldLarge, StrongestStrengthAtHighDegree) {
  std::vector<Edge> edges;
  for (std::uint32_t i = 1; i <= 5000; ++i) edges.push_back({0, i, kHardTheta});
  const FieldBound bound = LossOn(5001, edges, 30);
  EXPECT_GE(bound.messages, 30 + 5000 * PlainPhi(kHardTheta, 30) * (1 - 1e-14));
  EXPECT_LE(bound.messages, 30 + 5000 * PlainPhi(kHardTheta, 30) * (1 + 1e-4));
}

TEST(FieldLarge, OwnLossesAndHiddenCauses) {
  // A hidden cause 0 between 1 and 2: losses .3 and .5.
  const LargeField field = FieldOn(3, {{0, 1, 1}, {0, 2, 2}}, Fine(), {0});
  const std::vector<double> plain{0.9, 0.3, 0.5};  // the hidden one's is not counted
  const FieldBound bound = field.Loss(PlainLosses::Each(plain)).value();
  EXPECT_NEAR(bound.per_record[1], 0.3 + PlainPhi(1, PlainPhi(2, 0.5)), 1e-12);
  EXPECT_NEAR(bound.per_record[2], 0.5 + PlainPhi(2, PlainPhi(1, 0.3)), 1e-12);
  EXPECT_GE(bound.dependent, std::max(bound.per_record[1], bound.per_record[2]));
  EXPECT_LE(bound.dependent, std::max(bound.per_record[1], bound.per_record[2]) * (1 + 1e-12));
  EXPECT_NEAR(bound.group, 0.8, 1e-15);
}

/// Enough edges that nodes are renewed in stripes, by several threads.
std::vector<Edge> RandomEdges(std::uint64_t seed, int records, int count) {
  testing::Dice dice(seed);
  std::vector<Edge> edges;
  for (int i = 0; i < count; ++i) {
    // Squares make a few nodes popular.
    const double u = dice.Uniform();
    edges.push_back({static_cast<std::uint32_t>(u * u * records), static_cast<std::uint32_t>(dice.Below(records)),
                     dice.Chance(0.5) ? 0.05 : 0.1});
  }
  return edges;
}

TEST(FieldLarge, ThreadsDoNotChangeTheResult) {
  const std::vector<Edge> edges = RandomEdges(3, 30'000, 60'000);
  for (const Precision precision : {Precision::kSingle, Precision::kDouble}) {
    FieldOptions options = Fine(precision);
    options.gain = 1e-6;
    const FieldBound one = LossOn(30'000, edges, 0.2, options);
    options.threads = 3;
    const FieldBound three = LossOn(30'000, edges, 0.2, options);
    EXPECT_EQ(one.dependent, three.dependent);
    EXPECT_EQ(one.node, three.node);
    EXPECT_EQ(one.passes, three.passes);
    EXPECT_EQ(one.messages, three.messages);
    EXPECT_EQ(one.per_record, three.per_record);
  }
}

/// Runs with the vector instructions of one kind, and gives the others back.
class WithTarget {
 public:
  explicit WithTarget(std::int64_t target) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().DeInit();
  }
  ~WithTarget() {
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().DeInit();
  }
  WithTarget(const WithTarget&) = delete;
  WithTarget& operator=(const WithTarget&) = delete;
};

TEST(FieldLarge, EveryInstructionSetGivesTheSame) {
  const std::vector<Edge> edges = RandomEdges(8, 2'000, 20'000);
  for (const Precision precision : {Precision::kSingle, Precision::kDouble}) {
    FieldOptions options = Fine(precision);
    options.gain = 1e-6;
    const FieldBound best = LossOn(2'000, edges, 0.02, options);
    EXPECT_EQ(best.bound, "field");
    std::set<std::string> tried;
    for (std::int64_t target = 1; target <= HWY_SCALAR && target > 0; target <<= 1) {
      if ((hwy::SupportedTargets() & target) == 0) continue;
      const WithTarget only(target);
      tried.insert(field_large::VectorTarget());
      const FieldBound same = LossOn(2'000, edges, 0.02, options);
      EXPECT_EQ(same.per_record, best.per_record) << field_large::VectorTarget();
      EXPECT_EQ(same.passes, best.passes);
    }
    EXPECT_GE(tried.size(), 2u);
  }
}

TEST(FieldLarge, PassesOnlyTighten) {
  const std::vector<Edge> edges = RandomEdges(4, 30'000, 60'000);
  double last = kInfinity;
  for (int passes = 1; passes < 12; ++passes) {
    FieldOptions options = Fine(Precision::kSingle);
    options.most_passes = passes;
    const FieldBound bound = LossOn(30'000, edges, 0.2, options);
    EXPECT_LE(bound.dependent, last * (1 + 1e-5));  // how much larger numbers are taken may differ
    last = bound.dependent;
  }
}

TEST(FieldLarge, TakesAtMost24BytesAnEdge) {
  constexpr int kRecords = 100'000;
  auto graph = GraphFromEdges(kRecords, RandomEdges(5, kRecords, 10 * kRecords), RepeatedPairs::kLargest).value();
  const auto shared = std::make_shared<const Graph>(std::move(graph));
  FieldOptions options;
  options.precision = Precision::kSingle;
  const LargeField field = LargeField::Make(shared, {}, options).value();
  EXPECT_FALSE(shared->strengths().empty());
  EXPECT_LE(static_cast<double>(field.Bytes()), 24.0 * static_cast<double>(shared->edges()));
}

TEST(FieldLarge, BudgetIsEvaluatedAndNearTheLargest) {
  const LargeField field = FieldOn(40, RandomEdges(6, 40, 60));
  for (const double dependent : {0.01, 0.5, 1.0, 3.0}) {
    const double plain = field.PlainBudget(dependent, 1e-9).value();
    EXPECT_GT(plain, 0);
    EXPECT_LE(field.Loss(PlainLosses::All(plain)).value().dependent, dependent);
    EXPECT_GT(field.Loss(PlainLosses::All(plain * (1 + 4e-9))).value().dependent, dependent);
  }
  EXPECT_EQ(FieldOn(3, {}).PlainBudget(1.0, 1e-9).value(), 1.0);
  // All tied: the group bound decides.
  EXPECT_NEAR(FieldOn(4, Path(4, kInfinity)).PlainBudget(1.0, 1e-9).value(), 0.25, 1e-9);
}

TEST(FieldLarge, RefusesBadInput) {
  const LargeField field = FieldOn(3, Path(3, 1));
  const auto code = [&](const PlainLosses& plain) { return field.Loss(plain).error().code; };
  EXPECT_EQ(code(PlainLosses::All(-1)), Code::kInvalidArgument);
  EXPECT_EQ(code(PlainLosses::All(std::nan(""))), Code::kInvalidArgument);
  EXPECT_EQ(code(PlainLosses::All(kInfinity)), Code::kInvalidArgument);
  const std::vector<double> two{1, 1};
  EXPECT_EQ(code(PlainLosses::Each(two)), Code::kInvalidArgument);
  EXPECT_FALSE(field.PlainBudget(0, 1e-9));
  EXPECT_FALSE(field.PlainBudget(-1, 1e-9));
  EXPECT_FALSE(field.PlainBudget(1, 0));
  const auto graph = std::make_shared<const Graph>(GraphFromEdges(3, {}, RepeatedPairs::kAdd).value());
  EXPECT_FALSE(LargeField::Make(nullptr, {}, {}));
  EXPECT_FALSE(LargeField::Make(graph, {3}, {}));
  FieldOptions none;
  none.threads = 0;
  EXPECT_FALSE(LargeField::Make(graph, {}, none));
}

TEST(FieldLarge, CanBeStopped) {
  CancelFlag cancel;
  cancel.Cancel();
  const LargeField field = FieldOn(30'000, RandomEdges(7, 30'000, 60'000), FieldOptions());
  EXPECT_EQ(field.Loss(PlainLosses::All(0.1), &cancel).error().code, Code::kCancelled);
}

}  // namespace
}  // namespace kith
