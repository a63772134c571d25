// Regions of laws against the exact programme: many laws inside random regions, all records, none above the bound.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "tests/support/small_laws.h"
#include "tests/support/stat.h"
#include "transfer/chain/region_messages.h"
#include "transfer/chain/region_values.h"
#include "transfer/transfer.h"

namespace kith {
namespace {

using testing::Dice;
using testing::SmallLaw;

int Trials(int usual) {
  const char* more = std::getenv("KITH_REGION_TRIALS");
  return more != nullptr ? std::atoi(more) : usual;
}

/// A random interval around each probability of a random law.
TableRegion RandomRegion(Dice& dice, int rows, int values, double width) {
  TableRegion region;
  for (int a = 0; a < rows; ++a) {
    const Law law = testing::RandomLaw(dice, values);
    region.low.emplace_back();
    region.high.emplace_back();
    for (const double p : law) {
      region.low.back().push_back(std::max(0.0, p - width * dice.Uniform()));
      region.high.back().push_back(std::min(1.0, p + width * dice.Uniform()));
    }
  }
  return region;
}

/// A law of a row: often a corner, where the worst laws are.
Law LawIn(Dice& dice, const Law& low, const Law& high) {
  Law law = low;
  double left = 1;
  for (const double p : low) left -= p;
  const bool corner = dice.Chance(0.6);
  std::vector<std::size_t> order(low.size());
  for (std::size_t x = 0; x < order.size(); ++x) order[x] = x;
  for (std::size_t x = order.size(); x-- > 1;)
    std::swap(order[x], order[static_cast<std::size_t>(dice.Below(static_cast<int>(x) + 1))]);
  for (const std::size_t x : order) {
    const double room = std::min(left, high[x] - low[x]);
    const double take = corner ? room : room * dice.Uniform();
    law[x] += take;
    left -= take;
  }
  for (const std::size_t x : order) {  // what random parts left over
    const double take = std::min(left, high[x] - law[x]);
    law[x] += take;
    left -= take;
  }
  return law;
}

LawTable TableIn(Dice& dice, const TableRegion& region) {
  LawTable table;
  for (std::size_t a = 0; a < region.low.size(); ++a) table.push_back(LawIn(dice, region.low[a], region.high[a]));
  return table;
}

SmallLaw JointOf(const Law& start, const std::vector<LawTable>& steps) {
  const int values = static_cast<int>(start.size()), records = static_cast<int>(steps.size()) + 1;
  SmallLaw joint{std::vector<int>(static_cast<std::size_t>(records), values), {}};
  const auto states = static_cast<std::size_t>(std::pow(values, records) + 0.5);
  for (std::size_t state = 0; state < states; ++state) {
    double p = start[static_cast<std::size_t>(joint.Value(state, 0))];
    for (int i = 1; i < records; ++i) {
      p *= steps[static_cast<std::size_t>(i) - 1][static_cast<std::size_t>(joint.Value(state, i - 1))]
                [static_cast<std::size_t>(joint.Value(state, i))];
    }
    joint.law.push_back(p);
  }
  return joint;
}

std::vector<double> TreeLosses(const Transferred& loss) { return loss.per_record; }

struct Slack {
  std::array<int, 5> counts{};  // bound over the worst law found: below 1.01, 1.1, 1.5, 3, more
  void Add(double ratio) {
    constexpr std::array<double, 4> kEdges = {1.01, 1.1, 1.5, 3};
    std::size_t k = 0;
    while (k < kEdges.size() && ratio >= kEdges[k]) ++k;
    ++counts[k];
  }
  void Record(const std::string& name) const {
    std::string text;
    for (const int count : counts) text += std::to_string(count) + " ";
    ::testing::Test::RecordProperty(name, text);
  }
};

/// The largest loss about each record over random laws of a region, exactly.
template <class MakeLaw>
std::vector<double> WorstFound(int laws, int records, double plain, const MakeLaw& make) {
  std::vector<double> worst(static_cast<std::size_t>(records), 0);
  for (int k = 0; k < laws; ++k) {
    const SmallLaw law = make();
    for (int i = 0; i < records; ++i) {
      auto& largest = worst[static_cast<std::size_t>(i)];
      largest = std::max(
          largest, testing::EnumeratedLoss(law, i, std::vector<int>(static_cast<std::size_t>(records), 1), plain));
    }
  }
  return worst;
}

// The whole function, with whichever bound wins.
TEST(RegionProperty, NoLawInsideLosesMore) {
  Dice dice(stat::SeedForThisTest());
  Slack slack;
  for (int trial = 0; trial < Trials(1500); ++trial) {
    const double width = std::array{0.0, 0.02, 0.1, 0.4}[static_cast<std::size_t>(dice.Below(4))];
    const bool known = dice.Chance(0.6);
    ChainRegion chain{{}, std::nullopt, 3};
    for (int s = 0; s < 1 + dice.Below(2); ++s) chain.seasons.push_back(RandomRegion(dice, 2, 2, width));
    if (known) chain.start = RandomRegion(dice, 1, 2, width);
    const double plain = dice.Between(0.05, 1.5);
    const auto bound = Transfer::Make(chain);
    if (!bound.has_value()) continue;  // an interval that leaves no room
    const auto loss = bound->Loss(plain).value();
    const auto worst = WorstFound(12, 3, plain, [&] {
      const auto season = static_cast<std::size_t>(dice.Below(2));
      const auto step = [&](std::size_t k) {
        return TableIn(dice, chain.seasons[(season + k) % chain.seasons.size()]);
      };
      const Law start = known ? LawIn(dice, chain.start->low[0], chain.start->high[0]) : testing::RandomLaw(dice, 2);
      return JointOf(start, {step(0), step(1)});
    });
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_LE(worst[i], TreeLosses(loss)[i] * (1 + 1e-9) + 1e-12) << trial;
      if (worst[i] > 0) slack.Add(TreeLosses(loss)[i] / worst[i]);
    }
  }
  slack.Record("slack");
}

TEST(RegionProperty, NoLawOfThreeValuesLosesMore) {
  Dice dice(stat::SeedForThisTest());
  Slack slack;
  for (int trial = 0; trial < Trials(400); ++trial) {
    const double width = std::array{0.0, 0.05, 0.3}[static_cast<std::size_t>(dice.Below(3))];
    ChainRegion chain{{RandomRegion(dice, 3, 3, width)}, std::nullopt, 2};
    const double plain = dice.Between(0.05, 1.5);
    const auto bound = Transfer::Make(chain);
    if (!bound.has_value()) continue;
    const auto loss = bound->Loss(plain).value();
    const auto worst = WorstFound(
        8, 2, plain, [&] { return JointOf(testing::RandomLaw(dice, 3), {TableIn(dice, chain.seasons[0])}); });
    for (std::size_t i = 0; i < 2; ++i) {
      // The enumeration is off by up to 1e-7 where a value is very rare: there it exceeds even the group.
      EXPECT_LE(worst[i], loss.per_record[i] * (1 + 1e-7) + 1e-12) << trial;
      if (worst[i] > 0) slack.Add(loss.per_record[i] / worst[i]);
    }
  }
  slack.Record("slack");
}

// A root with two children, each through its own table.
TEST(RegionProperty, NoTreeInsideLosesMore) {
  Dice dice(stat::SeedForThisTest());
  for (int trial = 0; trial < Trials(800); ++trial) {
    const double width = dice.Chance(0.5) ? 0.05 : 0.3;
    const TreeRegion tree{
        {-1, 0, 0},
        {RandomRegion(dice, 1, 2, width), RandomRegion(dice, 2, 2, width), RandomRegion(dice, 2, 2, width)}};
    const double plain = dice.Between(0.05, 1.5);
    const auto bound = Transfer::Make(tree);
    if (!bound.has_value()) continue;
    const auto loss = bound->Loss(plain).value();
    const auto worst = WorstFound(8, 3, plain, [&] {
      const LawTable root = TableIn(dice, tree.tables[0]), one = TableIn(dice, tree.tables[1]),
                     two = TableIn(dice, tree.tables[2]);
      SmallLaw joint{{2, 2, 2}, {}};
      for (std::size_t s = 0; s < 8; ++s) {
        const auto v = [&](int j) { return static_cast<std::size_t>(joint.Value(s, j)); };
        joint.law.push_back(root[0][v(0)] * one[v(0)][v(1)] * two[v(0)][v(2)]);
      }
      return joint;
    });
    for (std::size_t i = 0; i < 3; ++i) EXPECT_LE(worst[i], loss.per_record[i] * (1 + 1e-9) + 1e-12) << trial;
  }
}

TEST(RegionProperty, WiderIntervalsLoseMoreAndPointsAreTheChain) {
  Dice dice(stat::SeedForThisTest());
  for (int trial = 0; trial < Trials(400); ++trial) {
    const LawTable table = {testing::RandomLaw(dice, 2), testing::RandomLaw(dice, 2)};
    const Law start = testing::RandomLaw(dice, 2);
    const double plain = dice.Between(0.01, 2);
    Tree tree;  // the same chain as a network, which is worked through record by record
    for (std::int64_t i = 0; i < 15; ++i) {
      tree.parents.push_back(i - 1);
      tree.tables.push_back(i == 0 ? LawTable{start} : table);
    }
    const auto exact = Transfer::Make(tree)->Loss(plain).value();
    const auto at = [&](double width) {
      const auto widened = [&](const LawTable& rows) {
        TableRegion region{rows, rows};
        for (std::size_t a = 0; a < rows.size(); ++a) {
          for (std::size_t x = 0; x < 2; ++x) {
            region.low[a][x] = std::max(0.0, rows[a][x] - width);
            region.high[a][x] = std::min(1.0, rows[a][x] + width);
          }
        }
        return region;
      };
      return Transfer::Make(ChainRegion{{widened(table)}, widened({start}), 15})->Loss(plain)->per_record;
    };
    std::vector<double> before = at(0);
    for (std::size_t i = 0; i < 15; ++i) EXPECT_NEAR(before[i], exact.per_record[i], 1e-8 * (1 + before[i])) << trial;
    for (const double width : {0.01, 0.1, 0.5}) {
      const std::vector<double> wider = at(width);
      for (std::size_t i = 0; i < 15; ++i) EXPECT_GE(wider[i], before[i] * (1 - 1e-10)) << trial;
      before = wider;
    }
  }
}

// Planted: the row that is read backwards taken at the ends only, as if its law had no worst point between them; and
// one end of an interval forgotten. The comparisons above see both.
TEST(RegionProperty, AForgottenEndIsSeen) {
  const TableRegion table{{{.7, .05}, {.3, .3}}, {{.95, .3}, {.7, .7}}};
  const StepRegion step = StepOf(table);
  StepRegion forgotten = step;
  forgotten.given_yes.most = forgotten.given_yes.least;
  const Excess own{ExcessOf(0.5), ExcessOf(0.5)};
  EXPECT_LT(LossOf(SeenAfter(own, forgotten).yes), LossOf(SeenAfter(own, step).yes) - 1e-3);
  // A law inside: P(yes | yes) = 0.7, P(yes | no) = 0.05, kernel e^0.5 for yes.
  const double inside = std::log((0.3 + 0.7 * std::exp(0.5)) / (0.95 + 0.05 * std::exp(0.5)));
  EXPECT_GE(LossOf(SeenAfter(own, step).yes), inside - 1e-12);
  EXPECT_LT(LossOf(SeenAfter(own, forgotten).yes), inside);
  const OddsInterval any{0, OddsInterval::kNone};
  const double at_ends = std::max(SeenBefore(own, step, {1e-9, 1e-9}).yes, SeenBefore(own, step, {1e9, 1e9}).yes);
  EXPECT_LT(at_ends, SeenBefore(own, step, any).yes / 2);
}

TEST(RegionProperty, LawsStayInTheirIntervals) {
  Dice dice(stat::SeedForThisTest());
  for (int trial = 0; trial < Trials(2000); ++trial) {
    const TableRegion table = RandomRegion(dice, 2, 2, 0.2), start = RandomRegion(dice, 1, 2, 0.2);
    if (!Transfer::Make(ChainRegion{{table}, start, 2}).has_value()) continue;
    OddsInterval interval = OddsOf(start);
    Law law = LawIn(dice, start.low[0], start.high[0]);
    for (int step = 0; step < 4; ++step) {
      EXPECT_LE(interval.low * law[0], law[1] * (1 + 1e-9) + 1e-15) << trial;
      if (std::isfinite(interval.high)) {
        EXPECT_GE(interval.high * law[0] + 1e-15, law[1] * (1 - 1e-9)) << trial;
      }
      const LawTable rows = TableIn(dice, table);
      law = {law[0] * rows[0][0] + law[1] * rows[1][0], law[0] * rows[0][1] + law[1] * rows[1][1]};
      interval = NextLaw(interval, StepOf(table));
    }
  }
}

// Planted: the law of the start kept for all records. A law that has moved on is outside.
TEST(RegionProperty, AnIntervalThatIsNotPropagatedIsSeen) {
  const TableRegion table{{{.75, .15}, {.25, .65}}, {{.85, .25}, {.35, .75}}}, start{{{.99, .005}}, {{.995, .01}}};
  const OddsInterval first = OddsOf(start), next = NextLaw(first, StepOf(table));
  const double yes = 0.995 * 0.2 + 0.005 * 0.7;
  EXPECT_GT(yes / (1 - yes), first.high);
  EXPECT_LT(yes / (1 - yes), next.high);
  EXPECT_GT(yes / (1 - yes), next.low);
}

// Planted: what the neighbour itself has seen is not passed on.
TEST(RegionProperty, AStepOfSeveralValuesThatForgetsWhatItPassesOnIsSeen) {
  const LawTable table = {{.8, .1, .1}, {.1, .8, .1}, {.1, .1, .8}};
  const TableRegion region{{{.7, .05, .05}, {.05, .7, .05}, {.05, .05, .7}},
                           {{.9, .25, .25}, {.25, .9, .25}, {.25, .25, .9}}};
  const SeveralStep step(region);
  const SmallLaw three = JointOf({.4, .3, .3}, {table});
  const double truth = testing::EnumeratedLoss(three, 0, {1, 1}, 0.8);
  const double bound = 0.8 + step.SeenAfter(Spread(3, 0.8)).Largest(),
               planted = 0.8 + step.SeenAfter(Spread(3, 0)).Largest();
  EXPECT_GE(bound, truth);
  EXPECT_LT(planted, truth);
}

/// Two members who are independent given a cause of two states; `strength` bounds what the cause does to their odds.
SmallLaw MixtureOverACause(Dice& dice, double strength) {
  const double cause = dice.Uniform();
  SmallLaw law{{2, 2}, {0, 0, 0, 0}};
  double odds[2][2];  // of member, in state
  for (auto& member : odds) {
    member[0] = std::exp(dice.Between(-3, 3));
    member[1] = member[0] * std::exp(strength * (dice.Chance(0.5) ? 1 : dice.Between(-1, 1)));
  }
  for (int state = 0; state < 2; ++state) {
    for (std::size_t x = 0; x < 4; ++x) {
      double p = state == 0 ? cause : 1 - cause;
      for (int i = 0; i < 2; ++i) {
        const double yes = odds[i][state] / (1 + odds[i][state]);
        p *= law.Value(x, i) == 1 ? yes : 1 - yes;
      }
      law.law[x] += p;
    }
  }
  return law;
}

TEST(RegionProperty, NoMixtureOverACauseLosesMore) {
  Dice dice(stat::SeedForThisTest());
  for (int trial = 0; trial < Trials(1500); ++trial) {
    const double theta = dice.Between(0, 4), plain = dice.Between(0.05, 2);
    const double bound = Transfer::Make(HiddenCause{2, theta})->Loss(plain)->dependent;
    EXPECT_LE(testing::EnumeratedLoss(MixtureOverACause(dice, theta), 0, {1, 1}, plain), bound + 1e-9) << trial;
  }
}

// Planted: the other member reached through one tie only, or not at all.
TEST(RegionProperty, ACauseThatIsForgottenIsSeen) {
  Dice dice(stat::SeedForThisTest());
  double most = 0;
  for (int trial = 0; trial < 500; ++trial)
    most = std::max(most, testing::EnumeratedLoss(MixtureOverACause(dice, 3), 0, {1, 1}, 0.5));
  EXPECT_GT(most, 0.5 + 0.05);
  EXPECT_LE(most, Transfer::Make(HiddenCause{2, 3})->Loss(0.5)->dependent);
  EXPECT_GT(most, Transfer::Make(HiddenCause{2, 1})->Loss(0.5)->dependent);
}

}  // namespace
}  // namespace kith
