// field on small graphs: published values, which bound won, hidden causes, prevalence, hard constraints, walks.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/vectors.h"
#include "transfer/association.h"
#include "transfer/check/field_small.h"
#include "transfer/check/field_witness.h"
#include "transfer/check/walk_losses.h"
#include "transfer/field/field_finder.h"
#include "transfer/pair/pair.h"
#include "transfer/transfer.h"

namespace kith {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Field Edges(std::int64_t nodes, std::vector<Edge> edges) { return {nodes, std::move(edges), {}, {}, {}, nullptr}; }

Field Named(const std::string& name, double theta) {
  if (name == "ring6") {
    return Edges(6, {{0, 1, theta}, {1, 2, theta}, {2, 3, theta}, {3, 4, theta}, {4, 5, theta}, {5, 0, theta}});
  }
  if (name == "K4")
    return Edges(4, {{0, 1, theta}, {0, 2, theta}, {0, 3, theta}, {1, 2, theta}, {1, 3, theta}, {2, 3, theta}});
  EXPECT_EQ(name, "path5");
  return Edges(5, {{0, 1, theta}, {1, 2, theta}, {2, 3, theta}, {3, 4, theta}});
}

Field Complete(std::uint32_t m, double theta) {
  Field field = Edges(m, {});
  for (std::uint32_t a = 0; a < m; ++a) {
    for (std::uint32_t b = a + 1; b < m; ++b) field.edges.push_back({a, b, theta});
  }
  return field;
}

std::vector<double> MessageLosses(const Field& model, double plain) {
  const SmallField field(model);
  const auto losses = field.Plain(PlainLosses::All(plain));
  return MessageLosses(field, losses);
}

TEST(Field, MessagesMeetTheVectors) {
  for (const std::string graph : {"ring6", "K4", "path5"}) {
    for (const auto& v : testing::Vectors("transfer", "transfer.field." + graph)) {
      const Field model = Named(v.inputs.at("graph"), std::log(v.inputs.at("odds_ratio").get<double>()));
      const auto expected = v.expected.get<std::vector<double>>();
      const auto losses = MessageLosses(model, v.inputs.at("plain"));
      const auto all = Transfer::Make(model)->Loss(v.inputs.at("plain")).value();
      ASSERT_EQ(losses.size(), expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_NEAR(losses[i], expected[i], v.tolerance) << v.id;
        EXPECT_LE(all.per_record[i], losses[i] + 1e-15);
      }
      EXPECT_EQ(all.bound, "field") << v.id;
      if (graph != "path5") continue;
      EXPECT_NEAR(all.per_record[2], expected[2], v.tolerance);  // on a forest walks add nothing
    }
  }
}

TEST(Field, CompleteGroupsMeetTheVectors) {
  for (const auto& v : testing::Vectors("transfer", "transfer.field.complete")) {
    const double theta = std::log(v.inputs.at("odds_ratio").get<double>());
    const std::int64_t m = v.inputs.at("m");
    const double plain = v.inputs.at("plain");
    EXPECT_NEAR(CompleteGroupLoss(m, theta, plain), v.expected.get<double>(), v.tolerance) << v.id;
    // Walks of full length are the same recursion; the group cap may be smaller.
    const auto loss = Transfer::Make(Complete(static_cast<std::uint32_t>(m), theta))->Loss(plain).value();
    const double group = plain * static_cast<double>(m);
    if (v.expected.get<double>() < 0.5 * group) {
      EXPECT_NEAR(loss.dependent, v.expected.get<double>(), 1e-12) << v.id;
      EXPECT_EQ(loss.bound, "field") << v.id;
    } else {
      EXPECT_LE(loss.dependent, std::min(group, v.expected.get<double>() + 1e-12)) << v.id;
    }
  }
}

TEST(Field, FactorsMeetTheVector) {
  for (const auto& v : testing::Vectors("transfer", "transfer.field.factors")) {
    Field model{4, {}, {}, {}, {}, nullptr};
    for (const auto& f : v.inputs.at("factors")) model.factors.push_back({f.at("records"), f.at("theta")});
    const auto loss = Transfer::Make(model)->Loss(v.inputs.at("plain")).value();
    const auto expected = v.expected.get<std::vector<double>>();
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(loss.per_record[i], expected[i], v.tolerance);
    EXPECT_EQ(loss.bound, "field");
  }
}

TEST(Field, EveryWayToStateAPairIsTheSame) {
  const auto edge = Transfer::Make(Edges(2, {{0, 1, 0.9}}))->Loss(0.5)->dependent;
  EXPECT_EQ(Transfer::Make(Edges(2, {{0, 1, 0.4}, {1, 0, 0.5}}))->Loss(0.5)->dependent, edge);
  EXPECT_EQ(Transfer::Make(Field{2, {{0, 1, 0.4}}, {{{1, 0}, 0.5}}, {}, {}, nullptr})->Loss(0.5)->dependent, edge);
  EXPECT_NEAR(edge, 0.5 + Phi(0.9, 0.5), 1e-15);
}

// docs/theory/transfer.md#walks: 6 x 6 grid, odds ratio 4, plain 0.1: 1.075 by messages, 0.809 by walks of depth 8.
TEST(Field, WalksAreTighterOnTheGrid) {
  Field grid = Edges(36, {});
  for (std::uint32_t y = 0; y < 6; ++y) {
    for (std::uint32_t x = 0; x < 6; ++x) {
      if (x < 5) grid.edges.push_back({6 * y + x, 6 * y + x + 1, std::log(4)});
      if (y < 5) grid.edges.push_back({6 * y + x, 6 * y + x + 6, std::log(4)});
    }
  }
  const auto messages = MessageLosses(grid, 0.1);
  EXPECT_NEAR(*std::max_element(messages.begin(), messages.end()), 1.075, 1e-3);
  const auto loss = Transfer::Make(grid)->Loss(0.1).value();
  EXPECT_LE(loss.dependent, 0.83);
  EXPECT_GE(loss.dependent, 0.7);
  EXPECT_EQ(loss.bound, "field");
  const SmallField field(grid);
  const auto plain = field.Plain(PlainLosses::All(0.1));
  const FieldFinder finder(field, false, 3'000'000);
  const auto deep = ProvedLosses(field, finder.blocks(), plain, finder.Find(plain));
  EXPECT_LE(*std::max_element(deep.begin(), deep.end()), 0.809 + 1e-3);
}

TEST(Field, StrongDependenceFallsBackToTheCaps) {
  const auto strong = Transfer::Make(Complete(8, 6))->Loss(0.001).value();
  EXPECT_EQ(strong.bound, "block");
  EXPECT_LT(strong.dependent, 0.008);
  const auto hard = Transfer::Make(Edges(3, {{0, 1, kInfinity}, {1, 2, kInfinity}}))->Loss(0.25).value();
  EXPECT_EQ(hard.dependent, 0.75);
  EXPECT_EQ(Transfer::Make(Edges(3, {{0, 1, kInfinity}}))->Loss(0.25)->per_record,
            (std::vector<double>{0.5, 0.5, 0.25}));
}

TEST(Field, HiddenCausesAreTighterThanLinkingEverybody) {
  // Five people share an exposure: each is tied to it with odds ratio 3. Linked in pairs, the same dependence needs
  // ratio up to 5/3 or so for each pair; here only the tie to the hidden node counts.
  Field hidden{6, {}, {}, {5}, {}, nullptr};
  for (std::uint32_t i = 0; i < 5; ++i) hidden.edges.push_back({i, 5, std::log(3)});
  const auto loss = Transfer::Make(hidden)->Loss(0.5).value();
  const double through = 4 * Phi(std::log(3), 0.5);
  EXPECT_NEAR(loss.dependent, 0.5 + Phi(std::log(3), through), 1e-14);
  EXPECT_EQ(loss.per_record[5], 0);
  EXPECT_EQ(loss.bound, "field");
  std::vector<double> plain(6, 0.5);
  EXPECT_EQ(Transfer::Make(hidden)->LossPerRecord(plain)->dependent,
            loss.dependent);  // a hidden node has no plain loss
}

TEST(Field, PrevalenceLowersTheLossAndTheAdversary) {
  Field model = Named("path5", std::log(2));
  const auto without = Transfer::Make(model)->Loss(0.5).value();
  model.prevalence = Prevalence{0, 0.05};
  const auto with = Transfer::Make(model)->Loss(0.5).value();
  EXPECT_LT(with.dependent, 0.5 + (without.dependent - 0.5) / 3);
  EXPECT_NE(with.adversary, without.adversary);
  EXPECT_EQ(with.bound, "field");
}

// Two records with one rare hidden cause. Given only the other record, yes has a probability from 0.012 to 0.233;
// given the cause, up to 0.6. Only the second range may be declared, and the model's sentence says so.
TEST(Field, PrevalenceMustHoldWhateverTheHiddenCausesAre) {
  constexpr double kRare = 0.01, kWith = 0.6, kWithout = 0.01;
  const auto law = [&](double with, double without) { return kRare * with + (1 - kRare) * without; };
  const double yes_yes = law(kWith * kWith, kWithout * kWithout);
  const double yes_no = law(kWith * (1 - kWith), kWithout * (1 - kWithout));
  const Joint world{{2, 2}, {1 - yes_yes - 2 * yes_no, yes_no, yes_no, yes_yes}};
  const double theta = std::log(kWith / (1 - kWith) / (kWithout / (1 - kWithout))) + 1e-9;
  Field field = Edges(3, {{0, 2, theta}, {1, 2, theta}});
  field.hidden = {2};
  const double truth = Transfer::Make(world)->Loss(1)->dependent;
  EXPECT_NEAR(truth, 1.3152, 1e-4);
  field.prevalence = Prevalence{0.012, 0.233};
  EXPECT_LT(Transfer::Make(field)->Loss(1)->dependent, truth);
  field.prevalence = Prevalence{kWithout, kWith};
  const auto loss = Transfer::Make(field)->Loss(1);
  EXPECT_GE(loss->dependent, truth);
  EXPECT_NE(loss->assumption.find("and the hidden causes are"), std::string::npos);
}

TEST(Field, LongListsBecomeACompactGraph) {
  Field ring = Edges(21'000, {});
  for (std::uint32_t i = 0; i < 21'000; ++i) ring.edges.push_back({i, (i + 1) % 21'000, std::log(2)});
  const auto transfer = Transfer::Make(ring).value();
  const auto loss = transfer.Loss(0.5).value();
  EXPECT_EQ(loss.bound, "field");
  EXPECT_NEAR(loss.dependent, 0.705289434461138, 1e-5);  // as a short ring
  const double plain = transfer.PlainBudget(1).value();
  EXPECT_LE(transfer.Loss(plain)->dependent, 1);
  EXPECT_GE(transfer.Loss(plain)->dependent, 0.999);
}

// docs/theory/transfer.md#field: an endless chain with odds ratio 2 costs a factor 1.41 in noise at epsilon = 1; a pair
// 1.17.
TEST(Field, NoiseFactorsOfTheModel) {
  EXPECT_NEAR(1 / Transfer::Make(Edges(2, {{0, 1, std::log(2)}}))->PlainBudget(1).value(), 1.17, 5e-3);
  Field path = Edges(400, {});
  for (std::uint32_t i = 0; i + 1 < 400; ++i) path.edges.push_back({i, i + 1, std::log(2)});
  EXPECT_NEAR(1 / Transfer::Make(path)->PlainBudget(1).value(), 1.41, 5e-3);
}

}  // namespace
}  // namespace kith
