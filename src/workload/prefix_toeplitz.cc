#include "workload/prefix_toeplitz.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"

namespace kith::workload {
namespace {

/// 1, 1/2, 3/8, ...: the power series of (1 - x)^(-1/2), rounded to multiples of 2^-bits.
std::vector<std::int64_t> RootWeights(std::size_t cells, int bits) {
  std::vector<std::int64_t> weights;
  double weight = 1;
  for (std::size_t k = 0; k < cells; ++k) {
    if (k > 0) weight *= static_cast<double>(2 * k - 1) / static_cast<double>(2 * k);
    weights.push_back(std::llround(std::ldexp(weight, bits)));
  }
  return weights;
}

/// a[0] b[0] + a[1] b[-1] + ...: in four sums, which need not wait for each other.
double Against(const double* a, const double* b, std::size_t count) {
  double sums[4] = {0, 0, 0, 0};
  std::size_t k = 0;
  for (; k + 4 <= count; k += 4) {
    for (std::size_t part = 0; part < 4; ++part) sums[part] += a[k + part] * *(b - (k + part));
  }
  for (; k < count; ++k) sums[0] += a[k] * *(b - k);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// The power series of 1 / ((1 - x) w(x)) with w the weights: cumulative sums of the inverse.
std::vector<double> BackFrom(const std::vector<std::int64_t>& weights, std::size_t cells) {
  std::vector<double> w(weights.begin(), weights.end()), inverse(cells, 0.0);
  inverse[0] = 1 / w[0];
  for (std::size_t k = 1; k < cells; ++k) {
    inverse[k] = -Against(w.data() + 1, inverse.data() + k - 1, std::min(k, w.size() - 1)) / w[0];
  }
  for (std::size_t k = 1; k < cells; ++k) inverse[k] += inverse[k - 1];
  return inverse;
}

Error TooMuch() {
  return Unsupported("a unit has too many rows for cumulative sums with normal noise", {},
                     "declare a smaller max_rows, or fewer cells");
}

}  // namespace

PrefixToeplitz::PrefixToeplitz(std::size_t cells, int bits, std::vector<std::int64_t> weights,
                               const Sensitivities& change)
    : cells_(cells), bits_(bits), weights_(std::move(weights)), change_(change), back_(BackFrom(weights_, cells)) {}

// Of the rounded weights w, in whole numbers. A column of the matrix has w, shifted and cut: its length is at most that
// of w. What some cells gain and what others lose are moved to numbers that are not negative, so that the square of the
// length of their difference is at most the sum of both squares.
Result<PrefixToeplitz> PrefixToeplitz::Make(std::size_t cells, const MovedRows& moved, int bits,
                                            std::vector<std::int64_t> weights) {
  Int128 sum = 0, squares = 0;
  for (const std::int64_t weight : weights) {
    sum += weight;
    squares += Int128{weight} * weight;
  }
  const Int128 l1 = sum * moved.l1, l2_squared = squares * moved.Squares();
  if (moved.rows > Sensitivity::kMax || l1 > Sensitivity::kMax || l2_squared > (Int128{1} << 62)) return TooMuch();
  const auto groups = moved.l1 == 0 ? 0 : std::min(static_cast<std::int64_t>(l1), static_cast<std::int64_t>(cells));
  auto change = Sensitivities::Make(static_cast<std::int64_t>(l1), static_cast<std::int64_t>(l2_squared), groups);
  if (!change) return change.error();
  return PrefixToeplitz(cells, bits, std::move(weights), *change);
}

Result<PrefixToeplitz> PrefixToeplitz::Root(std::size_t cells, const MovedRows& moved, int bits) {
  KITH_CHECK(cells >= 1 && cells <= kMostCells);
  constexpr int kFewestBits = 8;
  for (int k = bits;; --k) {
    auto made = Make(cells, moved, k, RootWeights(cells, k));
    if (made || k <= std::min(bits, kFewestBits)) return made;
  }
}

Result<PrefixToeplitz> PrefixToeplitz::Cells(std::size_t cells, const MovedRows& moved) {
  KITH_CHECK(cells >= 1 && cells <= kMostCells);
  return Make(cells, moved, 0, {1});
}

// At most 2^16 products of 2^20 and 2^48: exact.
std::vector<Int128> PrefixToeplitz::Measure(std::span<const std::int64_t> counts) const {
  KITH_CHECK(counts.size() == cells_);
  std::vector<Int128> measured(cells_, 0);
  for (std::size_t at = 0; at < cells_; ++at) {
    const std::size_t most = std::min(at + 1, weights_.size());
    for (std::size_t j = 0; j < most; ++j) measured[at] += Int128{weights_[j]} * counts[at - j];
  }
  return measured;
}

std::vector<double> PrefixToeplitz::Sums(std::span<const Int128> noisy) const {
  KITH_CHECK(noisy.size() == cells_);
  std::vector<double> values;
  for (const Int128 value : noisy) values.push_back(static_cast<double>(value));
  std::vector<double> sums;
  for (std::size_t at = 0; at < cells_; ++at) sums.push_back(Against(back_.data(), values.data() + at, at + 1));
  return sums;
}

std::vector<double> PrefixToeplitz::Variances() const {
  std::vector<double> variances;
  double sum = 0;
  for (const double back : back_) variances.push_back(sum += back * back);
  return variances;
}

// Of the rows after the first `from` cells and up to `from` + `cells`: back[j] - back[j - cells] for all j. The more
// cells are before it, the more noise there is.
double PrefixToeplitz::LargestRangeVariance() const {
  double largest = 0, alone = 0;
  for (std::size_t size = 1; size <= cells_; ++size) {
    alone += back_[size - 1] * back_[size - 1];
    double before = 0;
    for (std::size_t j = size; j < cells_; ++j) {
      const double apart = back_[j] - back_[j - size];
      before += apart * apart;
    }
    largest = std::max(largest, alone + before);
  }
  return largest;
}

double PrefixToeplitz::LargestMove() const {
  double sum = 0;
  for (const double back : back_) sum += std::abs(back);
  return sum;
}

}  // namespace kith::workload
