#include "base/symmetric_matrix.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace kith {
namespace {

using Pair = double __attribute__((vector_size(16)));

Pair PairAt(const double* numbers) {
  Pair pair;
  std::memcpy(&pair, numbers, sizeof pair);
  return pair;
}

// The products of four rows with two others, over the first `count` columns, which is even: numbers are read once for
// several sums, and two are added at a time.
void FourWithTwo(const double* rows, std::size_t stride, const double* one, const double* other, std::size_t count,
                 double (&sums)[4][2]) {
  Pair with_one[4] = {}, with_other[4] = {};
  for (std::size_t k = 0; k < count; k += 2) {
    const Pair a = PairAt(one + k), b = PairAt(other + k);
    const auto add = [&](std::size_t r) {
      const Pair c = PairAt(rows + r * stride + k);
      with_one[r] += a * c;
      with_other[r] += b * c;
    };
    add(0), add(1), add(2), add(3);  // a loop would keep the sums in memory
  }
  for (std::size_t r = 0; r < 4; ++r) {
    sums[r][0] = with_one[r][0] + with_one[r][1];
    sums[r][1] = with_other[r][0] + with_other[r][1];
  }
}

double Product(const double* a, const double* b, std::size_t count) {
  double sum = 0;
  for (std::size_t k = 0; k < count; ++k) sum += a[k] * b[k];
  return sum;
}

}  // namespace

Cholesky::Cholesky(const SymmetricMatrix& matrix) : size_(matrix.size()), numbers_(size_ * size_) {
  constexpr std::size_t kBlock = 8;  // rows at a time: a line of the cache holds as many numbers of each
  for (std::size_t first = 0; first < size_; first += kBlock) {
    const std::size_t last = std::min(size_, first + kBlock);
    for (std::size_t j = first; j < size_; ++j) {
      for (std::size_t i = first; i < std::min(last, j + 1); ++i) Row(j)[i] = matrix(i, j);
    }
  }
}

std::optional<Cholesky> Cholesky::Of(const SymmetricMatrix& matrix) {
  Cholesky made(matrix);
  if (!made.Factor()) return std::nullopt;
  return made;
}

// Columns j and j + 1 of four rows from i on, j + 1 < i; what is left of them was found before.
void Cholesky::FindTwoColumns(std::size_t i, std::size_t j) {
  double sums[kTogether][2];
  FourWithTwo(Row(i), size_, Row(j), Row(j + 1), j, sums);
  for (std::size_t r = 0; r < kTogether; ++r) {
    double* row = Row(i + r);
    row[j] = (row[j] - sums[r][0]) / Row(j)[j];
    row[j + 1] = (row[j + 1] - sums[r][1] - row[j] * Row(j + 1)[j]) / Row(j + 1)[j + 1];
  }
}

bool Cholesky::Factor() {
  constexpr std::size_t kBlock = 8 * kTogether;  // rows that stay in the cache while those above them pass by
  const std::size_t whole = size_ - size_ % kTogether;
  for (std::size_t first = 0; first < size_; first += kBlock) {
    const std::size_t last = std::min(size_, first + kBlock);
    for (std::size_t j = 0; j < first; j += 2) {
      for (std::size_t i = first; i < std::min(last, whole); i += kTogether) FindTwoColumns(i, j);
    }
    for (std::size_t i = first; i < last; ++i) {
      const std::size_t group = i - i % kTogether;
      if (i == group && i < whole) {
        for (std::size_t j = first; j < i; j += 2) FindTwoColumns(i, j);
      }
      double* row = Row(i);
      for (std::size_t j = i < whole ? group : 0; j < i; ++j) row[j] = (row[j] - Product(row, Row(j), j)) / Row(j)[j];
      const double square = row[i] - Product(row, row, i);
      if (!(square > 0) || !std::isfinite(square)) return false;
      row[i] = std::sqrt(square);
    }
  }
  return true;
}

std::vector<double> Cholesky::Solve(std::vector<double> right) const {
  for (std::size_t i = 0; i < size_; ++i) right[i] = (right[i] - Product(Row(i), right.data(), i)) / Row(i)[i];
  for (std::size_t i = size_; i-- > 0;) {
    right[i] /= Row(i)[i];
    for (std::size_t j = 0; j < i; ++j) right[j] -= Row(i)[j] * right[i];
  }
  return right;
}

// Householder: reflections, each of which leaves only one number beside the diagonal in its row.
Spectrum::Spectrum(SymmetricMatrix matrix) {
  const std::size_t n = matrix.size();
  std::vector<double> v(n), w(n), beside;
  for (std::size_t k = 0; k < n; ++k) {
    diagonal_.push_back(matrix(k, k));
    if (k + 1 == n) break;
    double rest = 0;
    for (std::size_t j = k + 2; j < n; ++j) rest += matrix(k, j) * matrix(k, j);
    const double next = matrix(k, k + 1), length = std::sqrt(next * next + rest);
    beside.push_back(rest == 0 ? std::abs(next) : length);
    if (rest == 0) continue;
    // The reflection is 1 - v v' / half, where half is |v|^2 / 2; the sign avoids a difference.
    for (std::size_t j = k + 1; j < n; ++j) v[j] = matrix(k, j);
    v[k + 1] += std::copysign(length, next);
    const double half = length * (length + std::abs(next));
    for (std::size_t i = k + 1; i < n; ++i) w[i] = 0;
    for (std::size_t i = k + 1; i < n; ++i) {
      double sum = matrix(i, i) * v[i];
      for (std::size_t j = i + 1; j < n; ++j) {
        sum += matrix(i, j) * v[j];
        w[j] += matrix(i, j) * v[i];
      }
      w[i] += sum;
    }
    double along = 0;
    for (std::size_t i = k + 1; i < n; ++i) along += (w[i] /= half) * v[i];
    for (std::size_t i = k + 1; i < n; ++i) w[i] -= along / (2 * half) * v[i];
    for (std::size_t i = k + 1; i < n; ++i) {
      for (std::size_t j = i; j < n; ++j) matrix(i, j) -= v[i] * w[j] + w[i] * v[j];
    }
  }
  for (std::size_t k = 0; k < n; ++k) {  // Gershgorin
    const double left = k == 0 ? 0 : beside[k - 1], right = k + 1 == n ? 0 : beside[k];
    const double reach = std::abs(diagonal_[k]) + left + right;
    if (!(reach <= bound_)) bound_ = reach;
  }
  for (const double x : beside) beside_squared_.push_back(x * x);
}

// By Sylvester's law: as many as there are negative numbers in the diagonal form of the matrix minus x.
std::size_t Spectrum::Below(double x) const {
  std::size_t count = 0;
  double pivot = 1;
  for (std::size_t k = 0; k < diagonal_.size(); ++k) {
    pivot = diagonal_[k] - x - (k == 0 ? 0 : beside_squared_[k - 1] / pivot);
    const double least = bound_ * std::numeric_limits<double>::epsilon() / 16;
    if (std::abs(pivot) < least) pivot = -least;  // an eigenvalue of a part: moving it by so little is below roundings
    if (pivot < 0) ++count;
  }
  return count;
}

double Spectrum::At(std::size_t k) const {
  if (!std::isfinite(bound_)) return std::numeric_limits<double>::quiet_NaN();
  double low = -bound_, high = bound_;
  const double enough = bound_ * std::numeric_limits<double>::epsilon() / 4;
  while (high - low > enough) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (Below(middle) > k ? high : low) = middle;
  }
  return low + (high - low) / 2;
}

}  // namespace kith
