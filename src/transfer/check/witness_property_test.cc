// Witnesses with planted faults against what fields really lose: whatever the finder hands over, the checker never
// states less. With each, what would be stated if the numbers were believed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "dependence/graph_builder.h"
#include "tests/support/small_laws.h"
#include "transfer/check/block_walk.h"
#include "transfer/check/field_witness.h"
#include "transfer/check/graph_witness.h"
#include "transfer/field/field_finder.h"
#include "transfer/field/field_large.h"
#include "transfer/gaussian/probit.h"
#include "transfer/kernel_lp.h"
#include "transfer/pair/pair.h"
#include "transfer/transfer.h"

namespace kith {
namespace {

using testing::Dice;
using Values = std::vector<double>;

struct Case {
  std::uint32_t records = 0;
  std::vector<Edge> edges;
  Values plain;
  Values exact;  // what one law of the field loses
};

Case RandomCase(Dice& dice) {
  Case c;
  c.records = static_cast<std::uint32_t>(3 + dice.Below(3));
  for (std::uint32_t a = 0; a < c.records; ++a) {
    c.plain.push_back(dice.Between(0.05, 1));
    for (std::uint32_t b = a + 1; b < c.records; ++b) {
      if (dice.Chance(0.6)) c.edges.push_back({a, b, dice.Between(0.2, 2)});
    }
  }
  Joint joint;
  joint.values.assign(c.records, 2);
  double sum = 0;
  for (std::uint32_t state = 0; state < 1U << c.records; ++state) {
    const auto value = [&](std::uint32_t j) { return (state >> (c.records - 1 - j) & 1U) != 0 ? 0.5 : -0.5; };
    double exponent = 0;
    for (const Edge& e : c.edges) exponent += e.theta * value(e.a) * value(e.b);
    joint.law.push_back(std::exp(exponent));
    sum += joint.law.back();
  }
  for (double& p : joint.law) p /= sum;
  c.exact = Transfer::Make(joint).value().LossPerRecord(c.plain).value().per_record;
  return c;
}

Field FieldOf(const Case& c) { return {c.records, c.edges, {}, {}, {}, nullptr}; }

/// A witness as a faulty finder would hand it over.
using Plant = std::function<void(Dice&, const Case&, const SmallField&, const FieldFinder&, FieldWitness&)>;

const std::vector<std::pair<const char*, Plant>>& Faults() {
  static const std::vector<std::pair<const char*, Plant>> faults = {
      {"a neighbour that is missed",
       [](Dice& dice, const Case& c, const SmallField&, const FieldFinder&, FieldWitness& witness) {
         Case without = c;
         if (without.edges.empty()) return;
         without.edges[static_cast<std::size_t>(dice.Below(static_cast<int>(c.edges.size())))].theta = 1e-9;
         const SmallField other(FieldOf(without));
         const FieldFinder finder(other, true, 0);
         const FieldWitness found = finder.Find(c.plain);
         witness.messages = found.messages;
         if (found.inside.size() == witness.inside.size()) witness.inside = found.inside;
       }},
      {"a message that is lowered",
       [](Dice& dice, const Case&, const SmallField&, const FieldFinder&, FieldWitness& witness) {
         if (witness.messages.empty()) return;
         witness.messages[static_cast<std::size_t>(dice.Below(static_cast<int>(witness.messages.size())))] *= 0.7;
       }},
      {"all messages lowered",
       [](Dice&, const Case&, const SmallField&, const FieldFinder&, FieldWitness& witness) {
         for (double& m : witness.messages) m *= 0.8;
         for (double& x : witness.inside) x *= 0.8;
       }},
      {"own losses forgotten",
       [](Dice&, const Case& c, const SmallField& field, const FieldFinder&, FieldWitness& witness) {
         for (std::uint32_t m = 0; m < witness.messages.size(); ++m) {
           witness.messages[m] -= c.plain[field.member(m).node];
         }
       }},
      {"a sign",
       [](Dice&, const Case&, const SmallField&, const FieldFinder&, FieldWitness& witness) {
         for (double& m : witness.messages) m = -m;
       }},
      {"no numbers",
       [](Dice&, const Case&, const SmallField&, const FieldFinder&, FieldWitness& witness) {
         for (double& m : witness.messages) m = std::nan("");
         for (double& x : witness.inside) x = std::nan("");
       }},
      {"blocks that tell nothing",
       [](Dice&, const Case&, const SmallField&, const FieldFinder&, FieldWitness& witness) {
         for (double& x : witness.inside) x = 0;
       }},
      {"too few numbers",
       [](Dice&, const Case&, const SmallField&, const FieldFinder&, FieldWitness& witness) {
         if (!witness.messages.empty()) witness.messages.pop_back();
       }},
  };
  return faults;
}

/// What the numbers say if nobody checks them.
Values Believed(const SmallField& field, const BlockParts& blocks, const Values& plain, const FieldWitness& witness) {
  Values losses = plain;
  if (witness.messages.size() != field.members()) return losses;
  for (std::uint32_t node = 0; node < field.nodes(); ++node) {
    for (const auto m : blocks.SinglesOf(node)) {
      const auto& tie = field.tie(field.member(m).tie);
      const double other = witness.messages[tie.first + (m == tie.first ? 1 : 0)];
      losses[node] += other >= 0 ? Phi(tie.theta, other) : other;
    }
    for (const auto p : blocks.PartsOf(node)) losses[node] += witness.inside[p];
  }
  return losses;
}

bool Below(const Values& bounds, const Values& exact) {
  for (std::size_t i = 0; i < exact.size(); ++i) {
    if (!(bounds[i] >= exact[i] * (1 - 1e-9) - 1e-12)) return true;  // the programme's value is itself rounded up
  }
  return false;
}

TEST(WitnessProperty, NoFaultOfTheFinderLowersABound_WITNESS1) {
  for (const auto& [name, plant] : Faults()) {
    Dice dice(77);
    for (int round = 0; round < 150; ++round) {
      const Case c = RandomCase(dice);
      const SmallField field(FieldOf(c));
      const FieldFinder finder(field, dice.Chance(0.6), 0);
      FieldWitness witness = finder.Find(c.plain);
      plant(dice, c, field, finder, witness);
      EXPECT_FALSE(Below(ProvedLosses(field, finder.blocks(), c.plain, witness), c.exact)) << name;
    }
  }
}

TEST(WitnessProperty, BelievingTheFinderWouldLowerThem) {
  for (const auto& [name, plant] : Faults()) {
    Dice dice(77);
    int below = 0;
    for (int round = 0; round < 150; ++round) {
      const Case c = RandomCase(dice);
      const SmallField field(FieldOf(c));
      const FieldFinder finder(field, dice.Chance(0.6), 0);
      FieldWitness witness = finder.Find(c.plain);
      plant(dice, c, field, finder, witness);
      below += Below(Believed(field, finder.blocks(), c.plain, witness), c.exact) ? 1 : 0;
    }
    EXPECT_GT(below, 20) << name;
  }
}

TEST(WitnessProperty, WhatIsFoundHoldsAsItIsAndNotWhenALittleLower_WITNESS1) {
  Dice dice(78);
  for (const PassOn pass : {PassOn{Phi}, PassOn{ProbitPhi}}) {
    for (int round = 0; round < 200; ++round) {
      const Case c = RandomCase(dice);
      const SmallField field(FieldOf(c), pass);
      const FieldFinder finder(field, pass == Phi, 1000);
      const FieldWitness found = Proved(field, finder.blocks(), c.plain, finder.Find(c.plain));
      ASSERT_TRUE(CheckedLosses(field, finder.blocks(), c.plain, found).has_value());
      for (std::size_t m = 0; m < found.messages.size(); ++m) {
        FieldWitness lower = found;
        lower.messages[m] *= 1 - 1e-9;
        EXPECT_FALSE(CheckedLosses(field, finder.blocks(), c.plain, lower).has_value());
      }
      for (std::size_t p = 0; p < found.inside.size(); ++p) {
        FieldWitness lower = found;
        lower.inside[p] *= 1 - 1e-9;
        EXPECT_FALSE(CheckedLosses(field, finder.blocks(), c.plain, lower).has_value());
      }
    }
  }
}

TEST(Witness, BlocksThatAreNoneAreRefused) {
  const SmallField field(Field{4, {{0, 1, 1}, {1, 2, 1}, {0, 2, 1}, {2, 3, 30}}, {{{1, 2, 3}, 0.5}}, {}, {}, nullptr});
  std::vector<std::uint32_t> pairs, hard, large;
  for (std::uint32_t t = 0; t < field.ties(); ++t) {
    (field.tie(t).size > 2 ? large : field.tie(t).theta > 22 ? hard : pairs).push_back(t);
  }
  const auto made = [&](std::vector<ChosenBlock> chosen) { return BlockParts::Make(field, chosen).has_value(); };
  EXPECT_TRUE(made({{{0, 1, 2}, pairs}}));
  EXPECT_TRUE(made({}));
  EXPECT_FALSE(made({{{0, 1, 2}, pairs}, {{2, 1, 0}, {pairs[0]}}}));  // a tie in two blocks
  EXPECT_FALSE(made({{{0, 1}, pairs}}));                              // an end that is not in it
  EXPECT_FALSE(made({{{0, 1, 1, 2}, pairs}}));
  EXPECT_FALSE(made({{{2, 3}, hard}}));
  EXPECT_FALSE(made({{{1, 2, 3}, large}}));
  EXPECT_FALSE(made({{{0, 9}, {}}}));
  EXPECT_FALSE(made({{{0, 1, 2}, {99}}}));
}

// ---------------------------------------------------------------- Big graphs

struct OnGraph {
  std::shared_ptr<const Graph> graph;
  LargeField finder;
  NodeLosses losses;
  std::vector<double> sent, inside;

  OnGraph(const Case& c, bool cliques, int passes)
      : graph(std::make_shared<const Graph>(GraphFromEdges(c.records, c.edges, RepeatedPairs::kAdd).value())),
        finder(LargeField::Make(graph, {}, Options(cliques, passes)).value()),
        losses(*graph, {}, PlainLosses::Each(c.plain)) {
    const auto found = finder.Find(losses).value();
    const auto& numbers = std::get<GraphNumbers<double>>(found.witness.numbers);
    sent.assign(numbers.sent.begin(), numbers.sent.end());
    inside.assign(numbers.inside.begin(), numbers.inside.end());
  }
  static FieldOptions Options(bool cliques, int passes) {
    FieldOptions options;
    options.cliques = cliques;
    options.gain = 1e-15;
    options.most_passes = passes;
    return options;
  }
  GraphBound Proved() const {
    return ProvedOnGraph(*graph, losses, finder.blocks(), {GraphNumbers<double>{sent, inside}, nullptr}, true);
  }
  /// What the numbers say if nobody checks them.
  Values Believed() const {
    Values believed;
    for (std::uint32_t node = 0; node < graph->nodes(); ++node) {
      double product = 1 + OwnExcess(losses.Of(node));
      for (std::uint64_t s = graph->offsets()[node]; s < graph->offsets()[node + 1]; ++s) {
        if (finder.blocks().Taken(s)) continue;
        const std::uint32_t other = graph->neighbours()[s];
        for (std::uint64_t r = graph->offsets()[other]; r < graph->offsets()[other + 1]; ++r) {
          if (graph->neighbours()[r] != node) continue;
          const double c = std::expm1(graph->Theta(s) / 2);
          product *= 1 + c * sent[r] / (2 + c + sent[r]);
        }
      }
      for (const auto place : finder.blocks().PlacesOf(node)) product *= 1 + inside[place];
      believed.push_back(2 * std::log(product));
    }
    return believed;
  }
};

const std::vector<std::pair<const char*, std::function<void(Dice&, const Case&, OnGraph&)>>>& FaultsOnGraphs() {
  static const std::vector<std::pair<const char*, std::function<void(Dice&, const Case&, OnGraph&)>>> faults = {
      {"a neighbour that is missed",
       [](Dice& dice, const Case& c, OnGraph& found) {
         Case without = c;
         if (without.edges.empty()) return;
         without.edges[static_cast<std::size_t>(dice.Below(static_cast<int>(c.edges.size())))].theta = 1e-9;
         const OnGraph other(without, !found.finder.blocks().empty(), 1000);
         found.sent = other.sent;
         if (other.inside.size() == found.inside.size()) found.inside = other.inside;
       }},
      {"all messages lowered",
       [](Dice&, const Case&, OnGraph& found) {
         for (double& x : found.sent) x *= 0.7;
         for (double& x : found.inside) x *= 0.7;
       }},
      {"a sign",
       [](Dice&, const Case&, OnGraph& found) {
         for (double& x : found.sent) x = -std::min(x, 0.5);
         for (double& x : found.inside) x = -std::min(x, 0.5);
       }},
      {"nothing sent",
       [](Dice&, const Case&, OnGraph& found) {
         std::fill(found.sent.begin(), found.sent.end(), 0);
         std::fill(found.inside.begin(), found.inside.end(), 0);
       }},
      {"no numbers",
       [](Dice&, const Case&, OnGraph& found) {
         std::fill(found.sent.begin(), found.sent.end(), std::nan(""));
         std::fill(found.inside.begin(), found.inside.end(), std::nan(""));
       }},
  };
  return faults;
}

TEST(WitnessProperty, NoFaultOfThePassesLowersABound_WITNESS2) {
  for (const auto& [name, plant] : FaultsOnGraphs()) {
    Dice dice(79);
    for (int round = 0; round < 100; ++round) {
      const Case c = RandomCase(dice);
      OnGraph found(c, dice.Chance(0.5), 1000);
      plant(dice, c, found);
      const GraphBound proved = found.Proved();
      EXPECT_FALSE(Below(proved.per_record, c.exact)) << name;
      EXPECT_GE(proved.dependent, *std::max_element(c.exact.begin(), c.exact.end()) * (1 - 1e-9)) << name;
    }
  }
}

TEST(WitnessProperty, BelievingThePassesWouldLowerThem) {
  for (const auto& [name, plant] : FaultsOnGraphs()) {
    Dice dice(79);
    int below = 0;
    for (int round = 0; round < 100; ++round) {
      const Case c = RandomCase(dice);
      OnGraph found(c, dice.Chance(0.5), 1000);
      plant(dice, c, found);
      below += Below(found.Believed(), c.exact) ? 1 : 0;
    }
    EXPECT_GT(below, 20) << name;
  }
}

TEST(WitnessProperty, WhatPassesFindHoldsAndALittleLowerProvesNoLess_WITNESS2) {
  Dice dice(80);
  for (int round = 0; round < 200; ++round) {
    const Case c = RandomCase(dice);
    const OnGraph found(c, dice.Chance(0.5), 1000);
    const double bound = found.Proved().messages;
    for (std::size_t k = 0; k < found.sent.size(); ++k) {
      if (found.finder.blocks().Taken(k) || found.sent[k] == 0) continue;
      OnGraph lower = found;
      lower.sent[k] *= 1 - 1e-6;
      const double without = lower.Proved().messages;
      EXPECT_GE(without, bound * (1 - 1e-12));  // it is raised, or all numbers are taken larger
      EXPECT_LT(without, bound * (1 + 1e-4));
    }
  }
}

/// What the widening of WITNESS-2 rests on: f(s t) <= s f(t) for s >= 1, for what passes a link and for all recursions
/// inside cliques and blocks. As losses; `f` takes and gives them.
int GrowFaster(const std::function<Values(Dice&, double, const Values&)>& f) {
  Dice dice(83);
  int faster = 0;
  for (int round = 0; round < 400; ++round) {
    const double theta = dice.Between(0.01, 5), by = 1 + dice.Between(0, 1);
    Values t, larger;
    for (int k = 0; k < 2 + round % 9; ++k) {
      t.push_back(std::pow(10, dice.Between(-3, 0.5)));
      larger.push_back(by * t.back());
    }
    Dice one(round), same(round);
    const Values low = f(one, theta, t), high = f(same, theta, larger);
    for (std::size_t k = 0; k < low.size(); ++k) faster += high[k] > by * low[k] * (1 + 1e-11) ? 1 : 0;
  }
  return faster;
}

Values AsExcesses(const Values& losses) {
  Values excesses;
  for (const double t : losses) excesses.push_back(std::expm1(t / 2));
  return excesses;
}
Values AsLosses(Values excesses) {
  for (double& x : excesses) x = 2 * std::log1p(x);
  return excesses;
}

TEST(WitnessProperty, WhatIsPassedOnGrowsNoFasterThanWhatComes_WITNESS2) {
  EXPECT_EQ(GrowFaster([](Dice&, double theta, const Values& t) { return Values{Phi(theta, t[0])}; }), 0);
  EXPECT_EQ(GrowFaster([](Dice&, double theta, const Values& t) { return Values{ProbitPhi(theta, t[0])}; }), 0);
  EXPECT_EQ(GrowFaster([](Dice&, double theta, const Values& t) {
              Values inside(t.size());
              CliqueLosses(std::expm1(theta / 2), AsExcesses(t), inside);
              return AsLosses(inside);
            }),
            0);
  EXPECT_EQ(
      GrowFaster([](Dice& dice, double theta, const Values& t) {
        const std::size_t n = std::min(t.size(), kMostInBlock);
        Values coupling(n * n, 0), inside(n);
        for (std::size_t j = 0; j < n; ++j) {
          for (std::size_t k = 0; k < j; ++k) {
            const double strength = dice.Chance(0.7) ? std::expm1(theta * dice.Uniform() / 2) : 0;
            coupling[j * n + k] = coupling[k * n + j] = strength;
          }
        }
        BlockWalk(n, coupling).Losses(AsExcesses({t.begin(), t.begin() + static_cast<std::ptrdiff_t>(n)}), inside);
        return AsLosses(inside);
      }),
      0);
}

TEST(WitnessProperty, TheCheckAboveSeesThatExcessesGrowFaster) {
  EXPECT_GT(GrowFaster([](Dice&, double, const Values& t) { return AsExcesses(t); }), 100);
}

// ---------------------------------------------------------------- Programmes

TEST(WitnessProperty, WeightsOfALyingSolverProveNoLess_WITNESS3) {
  Dice dice(81);
  int below = 0;
  for (int round = 0; round < 300; ++round) {
    const std::size_t n = 3 + static_cast<std::size_t>(dice.Below(4));
    Values p(n), q(n);
    for (auto* law : {&p, &q}) {
      double sum = 0;
      for (double& x : *law) sum += x = dice.Between(0.01, 1);
      for (double& x : *law) x /= sum;
    }
    std::vector<KernelArc> arcs;
    for (std::uint32_t x = 0; x < n; ++x) {
      for (std::uint32_t y = 0; y < n; ++y) {
        if (x != y) arcs.push_back({x, y, std::exp(dice.Between(0.1, 1.5))});
      }
    }
    KernelWeights weights;
    const double truth = LargestLogRatio(p, q, arcs, &weights);
    const auto changed = [&](const std::function<double(double)>& by) {
      KernelWeights other = weights;
      other.ratio = by(other.ratio);
      for (double& w : other.arcs) w = by(w);
      return other;
    };
    std::vector<KernelWeights> lies = {changed([](double w) { return w * 0.9; }),
                                       changed([](double) { return 0.0; }),
                                       changed([&](double w) { return w * dice.Uniform(); }),
                                       changed([](double w) { return -w; }),
                                       changed([](double) { return std::nan(""); }),
                                       changed([](double) { return std::numeric_limits<double>::infinity(); })};
    lies.push_back({0.5, {}});
    for (const KernelWeights& lie : lies) {
      EXPECT_GE(ProvedLogRatio(p, q, arcs, lie), truth * (1 - 1e-9));
      below += std::log(lie.ratio) < truth ? 1 : 0;
    }
    EXPECT_NEAR(ProvedLogRatio(p, q, arcs, weights), truth, 1e-12);
  }
  EXPECT_GT(below, 500);
}

TEST(WitnessProperty, BelievingWeightsWouldBeTooLittle) {
  const Values p = {0.6, 0.3, 0.1}, q = {0.2, 0.3, 0.5};
  std::vector<KernelArc> arcs;
  for (std::uint32_t x = 0; x < 3; ++x) {
    for (std::uint32_t y = 0; y < 3; ++y) {
      if (x != y) arcs.push_back({x, y, std::exp(1.0)});
    }
  }
  KernelWeights weights;
  const double truth = LargestLogRatio(p, q, arcs, &weights);
  weights.ratio *= 0.9;
  EXPECT_LT(std::log(weights.ratio), truth - 0.1);  // what a solver says that is believed
  EXPECT_GE(ProvedLogRatio(p, q, arcs, weights), truth);
}

}  // namespace
}  // namespace kith
