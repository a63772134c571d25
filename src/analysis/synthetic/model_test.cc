// The graphical model against sums over all rows of a small domain.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "analysis/synthetic/compositions.h"
#include "analysis/synthetic/graph_model.h"
#include "analysis/synthetic/sample.h"
#include "analysis/synthetic/spending.h"
#include "tests/support/stat.h"

namespace kith::synthetic {
namespace {

const Sizes kSizes = {2, 3, 2, 4, 3};

std::vector<double> CountsOf(const std::vector<DrawnRow>& rows, const Sizes& sizes, const Scope& scope) {
  std::vector<double> counts(CellsOf(sizes, scope));
  for (const DrawnRow& row : rows) {
    std::size_t cell = 0;
    for (const std::size_t column : scope) cell = cell * sizes[column] + row[column];
    ++counts[cell];
  }
  return counts;
}

/// Rows in which each column follows from the one before, more or less; column 4 from columns 0 and 3.
std::vector<DrawnRow> SomeRows(std::size_t count, BitSource& bits) {
  std::vector<DrawnRow> rows;
  for (std::size_t k = 0; k < count; ++k) {
    DrawnRow row(kSizes.size());
    row[0] = static_cast<std::uint32_t>(Below(2, bits));
    for (std::size_t c = 1; c < 4; ++c) {
      const bool follows = Chance(3, 4, bits);
      row[c] = static_cast<std::uint32_t>(follows ? row[c - 1] % kSizes[c] : Below(kSizes[c], bits));
    }
    row[4] = static_cast<std::uint32_t>((row[0] + row[3]) % 3);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<Measurement> Exactly(const std::vector<DrawnRow>& rows, const std::vector<Scope>& scopes) {
  std::vector<Measurement> measured;
  for (const Scope& scope : scopes) measured.push_back({scope, CountsOf(rows, kSizes, scope), 1});
  return measured;
}

double Farthest(const std::vector<double>& a, const std::vector<double>& b, double scale = 1) {
  double most = a.size() == b.size() ? 0 : 1e9;
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) most = std::max(most, std::fabs(a[k] - b[k] / scale));
  return most;
}

TEST(JunctionTree, HoldsEveryScopeAndNodesWithAColumnAreConnected) {
  const std::vector<Scope> scopes = {{0, 1}, {1, 2}, {2, 3}, {0, 3}, {3, 4}};
  const JunctionTree tree = JunctionTree::Of(kSizes, scopes, {3, 4});
  for (const Scope& scope : scopes) EXPECT_TRUE(tree.NodeOf(scope).has_value());
  EXPECT_TRUE(Contains(tree.nodes()[0].scope, {3, 4}));
  std::size_t cells = 0;
  for (std::size_t k = 0; k < tree.nodes().size(); ++k) {
    const TreeNode& node = tree.nodes()[k];
    cells += node.cells;
    EXPECT_EQ(node.parent.has_value(), k > 0);
    if (k == 0) continue;
    EXPECT_LT(*node.parent, k);
    // What the node shares with any earlier node is in its separator: so columns are in connected parts.
    for (std::size_t j = 0; j < k; ++j)
      EXPECT_TRUE(Contains(node.separator, Common(node.scope, tree.nodes()[j].scope))) << k << " and " << j;
  }
  EXPECT_EQ(JunctionTree::CellsFor(kSizes, scopes, 1000), cells);
  EXPECT_EQ(JunctionTree::CellsFor(kSizes, scopes, cells - 1), cells);  // one more than the limit
  EXPECT_FALSE(JunctionTree::Of(kSizes, {}).NodeOf({0, 1}).has_value());
}

TEST(GraphModel, FitsCountsWithoutNoiseAndItsPairsAreThoseOfItsLaw) {
  stat::SeededBits bits(stat::SeedForThisTest());
  const auto rows = SomeRows(2000, bits);
  const auto measured = Exactly(rows, {{0}, {1}, {2}, {3}, {4}, {0, 1}, {1, 2}, {2, 3}, {0, 3}, {3, 4}});
  const auto model = GraphModel::Fit(kSizes, measured, GraphModel::Uniform(kSizes), {}, 20'000, CancelFlag()).value();
  for (const Measurement& each : measured) EXPECT_LT(Farthest(model.Of(each.scope), each.counts, 2000), 2e-3);
  // The joint law: the product of nodes over separators.
  const Scope all = {0, 1, 2, 3, 4};
  std::vector<double> joint(CellsOf(kSizes, all), 1.0);
  for (std::size_t k = 0; k < model.tree().nodes().size(); ++k) {
    const TreeNode& node = model.tree().nodes()[k];
    const auto in = CellIn(kSizes, all, node.scope), in_separator = CellIn(kSizes, all, node.separator);
    const auto separator = k > 0 ? SumTo(model.Node(k), node.to_separator, node.separator_cells) : std::vector{1.0};
    for (std::size_t cell = 0; cell < joint.size(); ++cell)
      joint[cell] *= model.Node(k)[in[cell]] / (k > 0 ? separator[in_separator[cell]] : 1);
  }
  EXPECT_NEAR(std::accumulate(joint.begin(), joint.end(), 0.0), 1, 1e-9);
  for (std::size_t a = 0; a < kSizes.size(); ++a) {
    const auto pairs = model.PairsWith(a);
    for (std::size_t b = 0; b < kSizes.size(); ++b) {
      if (a == b) continue;
      const Scope pair = {std::min(a, b), std::max(a, b)};
      EXPECT_LT(Farthest(pairs[b], SumTo(joint, CellIn(kSizes, all, pair), CellsOf(kSizes, pair))), 1e-9);
    }
  }
}

TEST(GraphModel, TheCheckOfPairsWouldSeeIndependentColumns) {
  stat::SeededBits bits(stat::SeedForThisTest());
  const auto rows = SomeRows(2000, bits);
  const auto apart = GraphModel::Fit(kSizes, Exactly(rows, {{0}, {1}, {2}, {3}, {4}}), GraphModel::Uniform(kSizes), {},
                                     2000, CancelFlag())
                         .value();
  EXPECT_GT(Farthest(apart.PairsWith(0)[1], CountsOf(rows, kSizes, {0, 1}), 2000), 0.05);
}

TEST(Sample, RowsMeetTheNodesUpToWholeNumbers) {
  stat::SeededBits bits(stat::SeedForThisTest());
  const auto rows = SomeRows(2000, bits);
  const auto measured = Exactly(rows, {{0, 1}, {1, 2}, {2, 3}, {0, 4}});
  const auto model = GraphModel::Fit(kSizes, measured, GraphModel::Uniform(kSizes), {}, 5000, CancelFlag()).value();
  std::vector<DrawnRow> drawn(3000, DrawnRow(kSizes.size()));
  Fill(model, {}, drawn, bits);
  // Each of at most 12 groups of rows is cut at whole numbers: a cell is off by at most 1 for each group it is made of.
  for (const Measurement& each : measured)
    EXPECT_LT(Farthest(CountsOf(drawn, kSizes, each.scope), model.Of(each.scope), 1.0 / 3000), 14);
}

TEST(Sample, SharesAreNextToTheirWeightsAndAddUp) {
  stat::SeededBits bits(stat::SeedForThisTest());
  for (const std::size_t total : {0u, 1u, 7u, 1000u}) {
    const std::vector<double> weights = {0.5, 0, 2.25, 1e-9, 4};
    const auto shares = Shares(weights, total, bits);
    EXPECT_EQ(std::accumulate(shares.begin(), shares.end(), std::size_t{0}), total);
    for (std::size_t k = 0; k < weights.size(); ++k)
      EXPECT_LT(std::fabs(static_cast<double>(shares[k]) - static_cast<double>(total) * weights[k] / 6.75), 1.001);
  }
  EXPECT_EQ(Shares(std::vector<double>{0, 0}, 2, bits), (std::vector<std::size_t>{1, 1}));
}

TEST(Compositions, AreAllThoseOfOneToTheLargestSize) {
  EXPECT_EQ(AllCompositions(2, 4).size(), 14u);  // C(6, 2) - 1
  EXPECT_EQ(AllCompositions(3, 3).size(), 19u);
  for (const Composition& each : AllCompositions(3, 3)) {
    const auto members = std::accumulate(each.begin(), each.end(), 0u);
    EXPECT_TRUE(members >= 1 && members <= 3);
  }
}

TEST(Compositions, AreDrawnAsWeighedAndMembersAsOften) {
  stat::SeededBits bits(stat::SeedForThisTest());
  const auto all = AllCompositions(2, 3);
  std::vector<double> weights(all.size(), 1.0);
  const std::vector<double> types = {0.7, 0.3};
  const auto tilted = Tilted(all, weights, types);
  double members[2] = {};
  for (std::size_t c = 0; c < all.size(); ++c)
    for (std::size_t t = 0; t < 2; ++t) members[t] += tilted[c] * all[c][t];
  EXPECT_NEAR(members[0] / (members[0] + members[1]), 0.7, 1e-6);
  const auto drawn = DrawGroups(all, tilted, 10'000, bits);
  const auto counts = CountGroups(all, drawn);
  const auto groups = static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
  for (std::size_t c = 0; c < all.size(); ++c)
    EXPECT_NEAR(static_cast<double>(counts[c]), groups * tilted[c] / static_cast<double>(all.size()), 1.001);
}

TEST(Compositions, NothingIsBelowZeroAndTheSumStays) {
  const std::vector<double> noisy = {10, -4, 3, 0.5};
  const auto good = WithoutNegative(noisy);
  EXPECT_NEAR(std::accumulate(good.begin(), good.end(), 0.0), 9.5, 1e-9);
  EXPECT_EQ(good, (std::vector<double>{8.25, 0, 1.25, 0}));
  EXPECT_NEAR(WithoutNegative(std::vector<double>{-5, -7})[0], 1, 1e-9);
}

/// What rounds lose if they are made larger after those whose bit is set; `raised` says by whom.
template <class Raise>
std::pair<std::int64_t, std::int64_t> Spent(std::int64_t rounds, unsigned pattern, const Raise& raise) {
  Spending spending(PlainUnits::Of(1000), PlainUnits::Of(7001), rounds);
  std::int64_t choices = 0, pairs = 0;
  for (unsigned k = 0; spending.More(); ++k) {
    const Spending::Round round = spending.Next(false);
    choices += round.choice.count();
    pairs += round.pair.count();
    raise(spending, ((pattern >> k) & 1u) != 0, choices, pairs);
  }
  return {choices, pairs};
}

TEST(Spending, WheneverRoundsGrowAllTogetherLoseTheSharesAndNoMore_SYNTH1) {
  for (const std::int64_t rounds : {1, 2, 5, 9}) {
    for (unsigned pattern = 0; pattern < 512; ++pattern) {
      const auto spent = Spent(rounds, pattern, [](Spending& spending, bool raise, std::int64_t, std::int64_t) {
        if (raise) spending.Raise();
      });
      EXPECT_EQ(spent, (std::pair<std::int64_t, std::int64_t>(1000, 7001)));
    }
  }
}

TEST(Spending, TheCheckAboveSeesRoundsThatGrowAfterTheyWerePaid) {
  const auto spent = Spent(9, 511, [](Spending& spending, bool raise, std::int64_t& choices, std::int64_t& pairs) {
    if (raise) choices *= 2, pairs *= 2;
    (void)spending;
  });
  EXPECT_GT(spent.first, 1000);
  EXPECT_GT(spent.second, 7001);
}

}  // namespace
}  // namespace kith::synthetic
