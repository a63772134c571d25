// Cumulative sums: how far one unit can move what is measured, over all records of tiny tables; that the sums come out;
// and how much noise is in them, against the weights of every single noise.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "workload/prefix_toeplitz.h"
#include "workload/prefix_tree.h"

namespace kith::workload {
namespace {

using Counts = std::vector<std::int64_t>;

/// All records of at most this many rows in this many cells.
std::vector<Counts> Records(std::size_t cells, std::int64_t rows) {
  std::vector<Counts> all;
  Counts record(cells, 0);
  const std::function<void(std::size_t, std::int64_t)> next = [&](std::size_t cell, std::int64_t left) {
    if (cell == cells) return all.push_back(record);
    for (std::int64_t here = 0; here <= left; ++here) {
      record[cell] = here;
      next(cell + 1, left - here);
    }
    record[cell] = 0;
  };
  next(0, rows);
  return all;
}

struct Furthest {
  Int128 l1 = 0, l2_squared = 0;
};

/// The largest change of what is measured between any two tables that differ in one unit's record, of those that change
/// the counts by at most `l1` in all.
Furthest FurthestOf(std::size_t cells, const MovedRows& moved,
                    const std::function<std::vector<Int128>(const Counts&)>& measure) {
  const Counts others = {5, 0, 2, 1, 7, 3};
  const std::vector<Counts> records = Records(cells, moved.rows);
  std::vector<std::vector<Int128>> measured;
  for (Counts record : records) {
    for (std::size_t cell = 0; cell < cells; ++cell) record[cell] += others[cell];
    measured.push_back(measure(record));
  }
  Furthest most;
  for (std::size_t i = 0; i < records.size(); ++i) {
    for (std::size_t j = 0; j < records.size(); ++j) {
      std::int64_t l1 = 0;
      for (std::size_t cell = 0; cell < cells; ++cell) l1 += std::abs(records[i][cell] - records[j][cell]);
      if (l1 > moved.l1) continue;
      const auto &a = measured[i], &b = measured[j];
      Furthest now;
      for (std::size_t k = 0; k < a.size(); ++k) {
        const Int128 apart = a[k] > b[k] ? a[k] - b[k] : b[k] - a[k];
        now.l1 += apart;
        now.l2_squared += apart * apart;
      }
      most.l1 = std::max(most.l1, now.l1);
      most.l2_squared = std::max(most.l2_squared, now.l2_squared);
    }
  }
  return most;
}

Furthest OfToeplitz(const PrefixToeplitz& root, const MovedRows& moved) {
  return FurthestOf(root.cells(), moved, [&](const Counts& counts) { return root.Measure(counts); });
}

TEST(PrefixToeplitz, NoRecordMovesWhatIsMeasuredFurtherThanSaid_PREFIX1) {
  for (const std::size_t cells : {1, 2, 3, 5, 6}) {
    for (const MovedRows moved : {MovedRows{1, 1}, {1, 2}, {2, 1}, {2, 3}, {2, 4}, {3, 4}, {3, 6}}) {
      for (const int bits : {0, 1, 2, 3, 5, 20}) {
        const auto root = PrefixToeplitz::Root(cells, moved, bits).value();
        ASSERT_EQ(root.bits(), bits);
        const Furthest most = OfToeplitz(root, moved);
        EXPECT_LE(most.l1, root.change().l1().steps()) << cells << " " << moved.rows << " " << bits;
        EXPECT_LE(most.l2_squared, root.change().l2_squared()) << cells << " " << moved.rows << " " << bits;
      }
      const auto plain = PrefixToeplitz::Cells(cells, moved).value();
      EXPECT_LE(OfToeplitz(plain, moved).l2_squared, plain.change().l2_squared());
    }
  }
  // Never far below: all rows in the first cell, or none, reach half of it.
  const auto root = PrefixToeplitz::Root(6, {3, 6}).value();
  EXPECT_GE(2 * OfToeplitz(root, {3, 6}).l2_squared, root.change().l2_squared());
}

TEST(PrefixToeplitz, TheCheckAboveSeesALossThatWasForgotten) {
  // Rows that leave the first cell for the last one of many change nearly twice the square of those that only come.
  const auto cells = PrefixToeplitz::Cells(6, {2, 4}).value();
  const MovedRows forgotten{2, 2};  // gained, or lost, but not both
  EXPECT_GT(OfToeplitz(cells, {2, 4}).l2_squared, PrefixToeplitz::Cells(6, forgotten).value().change().l2_squared());
  const auto root = PrefixToeplitz::Root(6, {2, 4}).value();
  EXPECT_GT(OfToeplitz(root, {2, 4}).l2_squared, PrefixToeplitz::Root(6, forgotten).value().change().l2_squared());
}

TEST(PrefixToeplitz, TheCheckAboveSeesTheLengthOfWeightsThatWereNotRounded) {
  // 1, 1/2, 3/8 as multiples of 1/4 are 4, 2, 2: longer than the weights that they represent.
  const MovedRows moved{1, 1};  // one row that comes or goes
  const auto root = PrefixToeplitz::Root(3, moved, 2).value();
  const double not_rounded = 16 * (1 + 0.25 + 9.0 / 64);
  EXPECT_GT(static_cast<double>(OfToeplitz(root, moved).l2_squared), not_rounded);
}

TEST(PrefixToeplitz, SumsComeOutAndTheirNoiseIsThatOfEveryWeight) {
  constexpr std::size_t kCells = 40;
  Counts counts;
  for (std::size_t k = 0; k < kCells; ++k) counts.push_back(static_cast<std::int64_t>((k * k * 7919) % 1000));
  for (const int bits : {3, 8, 20}) {
    const auto root = PrefixToeplitz::Root(kCells, {1, 2}, bits).value();
    const auto sums = root.Sums(root.Measure(counts));
    double sum = 0;
    for (std::size_t k = 0; k < kCells; ++k) {
      sum += static_cast<double>(counts[k]);
      EXPECT_NEAR(sums[k], sum, 1e-6);
    }
    // The weight of every noise, by asking for it.
    std::vector<std::vector<double>> weights;
    for (std::size_t noise = 0; noise < kCells; ++noise) {
      std::vector<Int128> one(kCells, 0);
      one[noise] = 1;
      weights.push_back(root.Sums(one));
    }
    const auto variances = root.Variances();
    double largest = 0;
    for (std::size_t to = 0; to < kCells; ++to) {
      double variance = 0;
      for (const auto& of : weights) variance += of[to] * of[to];
      EXPECT_NEAR(variances[to], variance, 1e-9 * variance);
      largest = std::max(largest, variance);
      for (std::size_t from = 0; from < to; ++from) {
        double between = 0;
        for (const auto& of : weights) between += (of[to] - of[from]) * (of[to] - of[from]);
        largest = std::max(largest, between);
      }
    }
    EXPECT_NEAR(root.LargestRangeVariance(), largest, 1e-9 * largest);
  }
}

TEST(PrefixToeplitz, TakesFewerBitsWhereAUnitHasManyRowsAndRefusesTooMany) {
  EXPECT_EQ(PrefixToeplitz::Root(4096, {1, 2}).value().bits(), 20);
  const auto many = PrefixToeplitz::Root(4096, {1000, 2000}).value();
  EXPECT_LT(many.bits(), 20);
  EXPECT_GE(many.bits(), 8);
  EXPECT_FALSE(PrefixToeplitz::Root(4096, {1 << 20, 1 << 21}));
}

TEST(PrefixTree, NoRecordMovesALevelFurtherThanSaid_PREFIX2) {
  for (const MovedRows moved : {MovedRows{1, 1}, {1, 2}, {2, 3}, {2, 4}, {3, 6}}) {
    const auto tree = PrefixTree::Of(6, {1, 2, 4, 8}, {0.25, 0.25, 0.25, 0.25}, moved);
    for (std::size_t level = 0; level < 4; ++level) {
      const Furthest most = FurthestOf(6, moved, [&](const Counts& counts) { return tree.Measure(level, counts); });
      EXPECT_EQ(most.l1, tree.levels()[level].l1) << level;
    }
    EXPECT_EQ(tree.levels()[3].l1, moved.rows);
  }
}

TEST(PrefixTree, TheCheckAboveSeesALevelThatIsTakenForOneBlock) {
  const auto tree = PrefixTree::Of(6, {1, 4}, {0.5, 0.5}, {2, 4});
  const Furthest most = FurthestOf(6, {2, 4}, [&](const Counts& counts) { return tree.Measure(1, counts); });
  EXPECT_GT(most.l1, MovedRows({2, 4}).One());
}

TEST(PrefixTree, SumsComeOutAndTheirNoiseIsThatOfEveryWeight) {
  for (const std::vector<std::size_t>& sizes :
       {std::vector<std::size_t>{1}, {1, 30}, {1, 5, 15}, {1, 3, 6, 30}, {1, 7, 35}}) {
    constexpr std::size_t kCells = 30;
    const auto tree = PrefixTree::Of(kCells, sizes, std::vector<double>(sizes.size(), 0.2), {2, 3});
    std::vector<double> laws;
    for (std::size_t k = 0; k < sizes.size(); ++k) laws.push_back(3.0 + static_cast<double>(k * k));
    Counts counts;
    for (std::size_t k = 0; k < kCells; ++k) counts.push_back(static_cast<std::int64_t>((k * k * 7919) % 1000));
    std::vector<std::vector<double>> exact, zero;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      const auto measured = tree.Measure(k, counts);
      exact.emplace_back(measured.begin(), measured.end());
      zero.emplace_back(measured.size(), 0.0);
    }
    const auto sums = tree.Sums(exact, laws);
    double sum = 0;
    for (std::size_t k = 0; k < kCells; ++k) {
      sum += static_cast<double>(counts[k]);
      EXPECT_NEAR(sums[k], sum, 1e-6);
    }
    std::vector<std::vector<double>> weights;
    std::vector<double> law_of;
    const auto largest_weights = tree.LargestWeights(laws);
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      for (std::size_t block = 0; block < zero[k].size(); ++block) {
        auto one = zero;
        one[k][block] = 1;
        weights.push_back(tree.Sums(one, laws));
        law_of.push_back(laws[k]);
        for (const double weight : weights.back()) EXPECT_LE(std::abs(weight), largest_weights[k] + 1e-12);
      }
    }
    const bool padded = sizes.back() * ((kCells + sizes.back() - 1) / sizes.back()) != kCells;
    const auto variances = tree.Variances(laws);
    double largest = 0;
    for (std::size_t to = 0; to < kCells; ++to) {
      for (std::size_t from = 0; from <= to; ++from) {  // 0: from the beginning
        double variance = 0;
        for (std::size_t noise = 0; noise < weights.size(); ++noise) {
          const double weight = weights[noise][to] - (from == 0 ? 0 : weights[noise][from - 1]);
          variance += weight * weight * law_of[noise];
        }
        largest = std::max(largest, variance);
        if (from > 0) continue;
        // Of cells beyond the last one there is no noise.
        EXPECT_LE(variance, variances[to] * (1 + 1e-9));
        if (!padded) {
          EXPECT_NEAR(variance, variances[to], 1e-9 * variance);
        }
      }
    }
    EXPECT_LE(largest, tree.LargestRangeVariance(laws) * (1 + 1e-9));
    if (!padded) {
      EXPECT_NEAR(largest, tree.LargestRangeVariance(laws), 1e-9 * largest);
    }
  }
}

TEST(PrefixTree, MeanVarianceIsTheMean) {
  for (const std::size_t cells : {1, 2, 17, 200, 1000}) {
    const auto tree = PrefixTree::Best(cells, {1, 2});
    std::vector<double> laws;
    double shares = 0;
    for (const auto& level : tree.levels()) {
      laws.push_back(2 * std::pow(static_cast<double>(level.l1) / level.share, 2));
      shares += level.share;
      EXPECT_GE(level.share, 1e-3);
    }
    EXPECT_NEAR(shares, 1, 1e-9);
    const auto variances = tree.Variances(laws);
    const double mean = std::accumulate(variances.begin(), variances.end(), 0.0) / static_cast<double>(cells);
    EXPECT_NEAR(tree.MeanVariance(), mean, 1e-9 * mean);
    EXPECT_LE(tree.MeanVariance(), PrefixTree::Cells(cells, {1, 2}).MeanVariance());
  }
}

}  // namespace
}  // namespace kith::workload
