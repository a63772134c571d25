#include "analysis/points/counts.h"

#include <algorithm>

#include "base/check.h"

namespace kith::points {
namespace {

// One coordinate, in whole weights: hats add (1, 2, 1), since a coarse point weighs twice as much along it.
template <class Get, class Put>
void CoarsenLine(Basis basis, std::size_t fine_side, const Get& fine, const Put& put) {
  if (basis == Basis::kCells) {
    for (std::size_t j = 0; j < fine_side / 2; ++j) put(j, fine(2 * j) + fine(2 * j + 1));
    return;
  }
  const std::size_t last = fine_side / 2;
  for (std::size_t j = 0; j <= last; ++j) {
    const Int128 before = j > 0 ? fine(2 * j - 1) : 0, after = j < last ? fine(2 * j + 1) : 0;
    put(j, 2 * fine(2 * j) + before + after);
  }
}

}  // namespace

Int128 WholePoint(const Ladder& ladder, int log2_cells) {
  if (ladder.basis() == Basis::kCells) return 1;
  return Int128{1} << (ladder.dimensions() * (kLog2Positions - log2_cells));
}

Counts::Counts(const Ladder& ladder, int log2_cells)
    : ladder_(ladder),
      log2_cells_(log2_cells),
      recent_(ladder.Size(log2_cells), 0),
      counts_(ladder.Size(log2_cells), 0) {
  KITH_CHECK(log2_cells >= 0 && log2_cells <= kLog2Positions);
}

void Counts::AddHats(std::span<const std::int32_t> x, std::span<const std::int32_t> y) {
  const int shift = kLog2Positions - log2_cells_;
  const std::int64_t width = std::int64_t{1} << shift;
  const std::int64_t last = (std::int64_t{1} << log2_cells_) - 1;
  const std::size_t side = ladder_.Side(log2_cells_);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::int64_t a = std::min<std::int64_t>(x[i] >> shift, last), u = x[i] - (a << shift);
    if (y.empty()) {
      recent_[static_cast<std::size_t>(a)] += width - u;
      recent_[static_cast<std::size_t>(a) + 1] += u;
      continue;
    }
    const std::int64_t b = std::min<std::int64_t>(y[i] >> shift, last), v = y[i] - (b << shift);
    std::int64_t* corner = &recent_[static_cast<std::size_t>(a) * side + static_cast<std::size_t>(b)];
    corner[0] += (width - u) * (width - v);
    corner[1] += (width - u) * v;
    corner[side] += u * (width - v);
    corner[side + 1] += u * v;
  }
}

void Counts::Add(std::span<const std::span<const std::int32_t>> positions) {
  KITH_CHECK(positions.size() == static_cast<std::size_t>(ladder_.dimensions()));
  // A chunk weighs at most 2^40 times its points.
  constexpr std::size_t kChunk = std::size_t{1} << 20;
  const auto all = positions[0];
  for (std::size_t from = 0; from < all.size(); from += kChunk) {
    const std::size_t count = std::min(kChunk, all.size() - from);
    const auto x = all.subspan(from, count);
    const auto y = positions.size() == 2 ? positions[1].subspan(from, count) : std::span<const std::int32_t>();
    if (ladder_.basis() == Basis::kHats) {
      AddHats(x, y);
    } else {
      const int shift = kLog2Positions - log2_cells_;
      const std::int32_t last = static_cast<std::int32_t>((std::int64_t{1} << log2_cells_) - 1);
      const std::size_t side = ladder_.Side(log2_cells_);
      for (std::size_t i = 0; i < x.size(); ++i) {
        const auto a = static_cast<std::size_t>(std::min(x[i] >> shift, last));
        ++recent_[y.empty() ? a : a * side + static_cast<std::size_t>(std::min(y[i] >> shift, last))];
      }
    }
    points_ += static_cast<std::int64_t>(count);
    since_flush_ += static_cast<std::int64_t>(count);
    if (since_flush_ >= (std::int64_t{1} << 21)) Flush();
  }
}

void Counts::Flush() {
  for (std::size_t k = 0; k < counts_.size(); ++k) {
    counts_[k] += recent_[k];
    recent_[k] = 0;
  }
  since_flush_ = 0;
}

std::vector<Int128> Counts::Take() {
  Flush();
  return std::move(counts_);
}

std::vector<Int128> CoarserCounts(const Ladder& ladder, const std::vector<Int128>& counts, int log2_cells) {
  const std::size_t side = ladder.Side(log2_cells), half = ladder.Side(log2_cells - 1);
  KITH_CHECK(counts.size() == ladder.Size(log2_cells));
  const std::size_t lines = ladder.dimensions() == 1 ? 1 : side;
  std::vector<Int128> rows(lines * half);
  for (std::size_t a = 0; a < lines; ++a) {
    CoarsenLine(
        ladder.basis(), side, [&](std::size_t k) { return counts[a * side + k]; },
        [&](std::size_t k, Int128 sum) { rows[a * half + k] = sum; });
  }
  if (ladder.dimensions() == 1) return rows;
  std::vector<Int128> coarse(half * half);
  for (std::size_t b = 0; b < half; ++b) {
    CoarsenLine(
        ladder.basis(), side, [&](std::size_t k) { return rows[k * half + b]; },
        [&](std::size_t k, Int128 sum) { coarse[k * half + b] = sum; });
  }
  return coarse;
}

}  // namespace kith::points
