#include "workload/prefix_tree.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"

namespace kith::workload {
namespace {

/// r (s - r) / s for r = up_to mod s: by how much an indicator of the first cells loses of its squared length when it
/// is replaced by its means over blocks.
double Lost(std::size_t up_to, std::size_t size) {
  const auto s = static_cast<double>(size), r = static_cast<double>(up_to % size);
  return r * (s - r) / s;
}

/// The mean of Lost over up_to = 1, ..., cells.
double MeanLost(std::size_t cells, std::size_t size) {
  const auto s = static_cast<double>(size), whole = static_cast<double>(cells / size),
             rest = static_cast<double>(cells % size);
  const double behind = (s * rest * (rest + 1) / 2 - rest * (rest + 1) * (2 * rest + 1) / 6) / s;
  return (whole * (s * s - 1) / 6 + behind) / static_cast<double>(cells);
}

/// Size / variance, added up from the finest level on: the precision of what is constant on blocks of a level.
std::vector<double> PrecisionsOf(const std::vector<PrefixTree::Level>& levels, std::span<const double> variances) {
  KITH_CHECK(variances.size() == levels.size());
  std::vector<double> precisions;
  double sum = 0;
  for (std::size_t k = 0; k < levels.size(); ++k)
    precisions.push_back(sum += static_cast<double>(levels[k].size) / variances[k]);
  return precisions;
}

std::vector<double> UnitVariances(const std::vector<PrefixTree::Level>& levels) {
  std::vector<double> variances;
  for (const auto& level : levels) {
    const double scale = static_cast<double>(level.l1) / level.share;
    variances.push_back(2 * scale * scale);
  }
  return variances;
}

/// The mean over all cumulative sums of the squared lengths of their parts, by level.
std::vector<double> MeanLengths(std::size_t cells, const std::vector<PrefixTree::Level>& levels) {
  std::vector<double> lengths;
  for (std::size_t k = 0; k < levels.size(); ++k) {
    const double above = k + 1 < levels.size() ? MeanLost(cells, levels[k + 1].size)
                                               : (static_cast<double>(cells) + 1) / 2;  // the mean of up_to
    lengths.push_back(above - MeanLost(cells, levels[k].size));
  }
  return lengths;
}

// At the best shares all slopes are equal: shares grow where theirs is larger.
double Improve(const std::vector<double>& lengths, std::vector<PrefixTree::Level>& levels) {
  constexpr int kRounds = 300;
  std::vector<PrefixTree::Level> best = levels;
  double least = HUGE_VAL;
  std::vector<double> slope(levels.size());
  for (int round = 0; round < kRounds; ++round) {
    const auto variances = UnitVariances(levels);
    const auto precisions = PrecisionsOf(levels, variances);
    double now = 0, tail = 0, mean = 0, all = 0;
    for (std::size_t k = levels.size(); k-- > 0;) {
      now += lengths[k] / precisions[k];
      tail += lengths[k] / (precisions[k] * precisions[k]);
      slope[k] = tail * 2 * static_cast<double>(levels[k].size) / variances[k] / levels[k].share;
      mean += levels[k].share * slope[k];
    }
    if (now < least) {
      const bool done = least - now < 1e-9 * least;
      least = now;
      best = levels;
      if (done) break;
    }
    for (std::size_t k = 0; k < levels.size(); ++k) all += levels[k].share *= std::sqrt(slope[k] / mean);
    for (auto& level : levels) level.share /= all;
  }
  levels = std::move(best);
  return least;
}

}  // namespace

PrefixTree PrefixTree::Of(std::size_t cells, const std::vector<std::size_t>& sizes, std::vector<double> shares,
                          const MovedRows& moved) {
  KITH_CHECK(cells >= 1 && !sizes.empty() && sizes.front() == 1 && shares.size() == sizes.size() && moved.l1 >= 1);
  PrefixTree tree;
  tree.cells_ = cells;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    KITH_CHECK(k == 0 || sizes[k] % sizes[k - 1] == 0);
    const std::size_t blocks = (cells + sizes[k] - 1) / sizes[k];
    // One block of all cells: what is gained and what is lost are in the same one.
    tree.levels_.push_back({sizes[k], blocks, blocks == 1 ? moved.One() : moved.l1, shares[k]});
  }
  return tree;
}

PrefixTree PrefixTree::Cells(std::size_t cells, const MovedRows& moved) { return Of(cells, {1}, {1}, moved); }

PrefixTree PrefixTree::Best(std::size_t cells, const MovedRows& moved) {
  constexpr std::size_t kWidest = 128;
  constexpr double kSmallest = 1e-3;  // of a share: a level with less is left out
  PrefixTree best = Cells(cells, moved);
  double least = best.MeanVariance();
  const auto consider = [&](std::vector<std::size_t> sizes) {
    for (;;) {
      PrefixTree tree =
          Of(cells, sizes, std::vector<double>(sizes.size(), 1.0 / static_cast<double>(sizes.size())), moved);
      const double found = Improve(MeanLengths(cells, tree.levels_), tree.levels_);
      std::size_t kept = 1;
      for (std::size_t k = 1; k < sizes.size(); ++k) {
        if (tree.levels_[k].share >= kSmallest) sizes[kept++] = sizes[k];
      }
      if (kept < sizes.size()) {
        sizes.resize(kept);
        continue;
      }
      if (found < least) {
        least = found;
        best = tree;
      }
      return;
    }
  };
  for (std::size_t wide = 2; wide <= std::min(kWidest, cells); ++wide) {
    std::vector<std::size_t> sizes = {1};
    for (std::size_t size = wide; size < cells; size *= wide) {
      sizes.push_back(size);
      consider(sizes);
      std::vector<std::size_t> with_all = sizes;
      with_all.push_back((cells + size - 1) / size * size);
      consider(std::move(with_all));
    }
  }
  if (cells > 1) consider({1, cells});
  return best;
}

std::vector<Int128> PrefixTree::Measure(std::size_t level, std::span<const std::int64_t> counts) const {
  KITH_CHECK(level < levels_.size() && counts.size() == cells_);
  std::vector<Int128> blocks(levels_[level].blocks, 0);
  for (std::size_t cell = 0; cell < cells_; ++cell) blocks[cell / levels_[level].size] += counts[cell];
  return blocks;
}

// Upwards, the best estimate of each block by what is in it; downwards, what a block was changed by is spread evenly.
// Beyond the last cell there are cells that nobody is in.
std::vector<double> PrefixTree::Sums(const std::vector<std::vector<double>>& noisy,
                                     std::span<const double> variances) const {
  KITH_CHECK(noisy.size() == levels_.size());
  const auto precisions = PrecisionsOf(levels_, variances);
  const std::size_t width = levels_.back().size * levels_.back().blocks;
  std::vector<std::vector<double>> best, of_parts;
  for (std::size_t k = 0; k < levels_.size(); ++k) {
    const std::size_t blocks = width / levels_[k].size;
    auto& now = best.emplace_back(noisy[k]);
    now.resize(blocks, 0.0);  // of cells that nobody is in: as if they had been counted
    auto& parts = of_parts.emplace_back(blocks, 0.0);
    if (k == 0) continue;
    const std::size_t ratio = levels_[k].size / levels_[k - 1].size;
    const double weight = static_cast<double>(levels_[k].size) / variances[k] / precisions[k];
    for (std::size_t b = 0; b < blocks; ++b) {
      for (std::size_t part = 0; part < ratio; ++part) parts[b] += best[k - 1][b * ratio + part];
      now[b] = weight * now[b] + (1 - weight) * parts[b];
    }
  }
  for (std::size_t k = levels_.size() - 1; k > 0; --k) {
    const std::size_t ratio = levels_[k].size / levels_[k - 1].size;
    for (std::size_t b = 0; b < best[k - 1].size(); ++b)
      best[k - 1][b] += (best[k][b / ratio] - of_parts[k][b / ratio]) / static_cast<double>(ratio);
  }
  std::vector<double> sums;
  double sum = 0;
  for (std::size_t cell = 0; cell < cells_; ++cell) sums.push_back(sum += best[0][cell]);
  return sums;
}

std::vector<double> PrefixTree::Variances(std::span<const double> variances) const {
  const auto precisions = PrecisionsOf(levels_, variances);
  std::vector<double> all;
  for (std::size_t up_to = 1; up_to <= cells_; ++up_to) {
    double variance = 0, lost = 0;
    for (std::size_t k = 0; k < levels_.size(); ++k) {
      const double above = k + 1 < levels_.size() ? Lost(up_to, levels_[k + 1].size) : static_cast<double>(up_to);
      variance += (above - lost) / precisions[k];
      lost = above;
    }
    all.push_back(variance);
  }
  return all;
}

double PrefixTree::LargestRangeVariance(std::span<const double> variances) const {
  const auto precisions = PrecisionsOf(levels_, variances);
  double largest = 0;
  for (std::size_t from = 0; from < cells_; ++from) {
    for (std::size_t to = from + 1; to <= cells_; ++to) {
      const auto size = static_cast<double>(to - from);
      double variance = 0, lost = 0;
      for (std::size_t k = 0; k < levels_.size(); ++k) {
        double above = size;
        if (k + 1 < levels_.size()) {
          const std::size_t s = levels_[k + 1].size;
          above = from / s == (to - 1) / s ? size * (1 - size / static_cast<double>(s)) : Lost(from, s) + Lost(to, s);
        }
        variance += (above - lost) / precisions[k];
        lost = above;
      }
      largest = std::max(largest, variance);
    }
  }
  return largest;
}

std::vector<double> PrefixTree::LargestWeights(std::span<const double> variances) const {
  const auto precisions = PrecisionsOf(levels_, variances);
  std::vector<double> weights;
  for (std::size_t k = 0; k < levels_.size(); ++k)
    weights.push_back(static_cast<double>(levels_[k].size) / variances[k] / precisions[k]);
  return weights;
}

double PrefixTree::MeanVariance() const {
  const auto precisions = PrecisionsOf(levels_, UnitVariances(levels_));
  const auto lengths = MeanLengths(cells_, levels_);
  double variance = 0;
  for (std::size_t k = 0; k < levels_.size(); ++k) variance += lengths[k] / precisions[k];
  return variance;
}

}  // namespace kith::workload
