#include "analysis/points/smooth.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace kith::points {
namespace {

using Numbers = std::vector<double>;

/// W + lambda D^T D for differences D of some order, as L D L^T with a narrow band.
class Band {
 public:
  Band(const Numbers& weights, std::size_t order, double lambda)
      : width_(order + 1), band_(weights.size() * width_, 0.0) {
    static constexpr std::array<double, 3> kSecond = {1, -2, 1};
    static constexpr std::array<double, 4> kThird = {-1, 3, -3, 1};
    const double* difference = order == 2 ? kSecond.data() : kThird.data();
    for (std::size_t i = 0; i < weights.size(); ++i) At(i, 0) = weights[i];
    for (std::size_t row = 0; row + order < weights.size(); ++row) {
      for (std::size_t p = 0; p <= order; ++p)
        for (std::size_t q = 0; q <= p; ++q) At(row + p, p - q) += lambda * difference[p] * difference[q];
    }
    for (std::size_t i = 0; i < weights.size(); ++i) Factor(i);
  }

  Numbers Solve(Numbers b) const {
    const std::size_t n = b.size();
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 1; k < width_ && k <= i; ++k) b[i] -= At(i, k) * b[i - k];
    for (std::size_t i = 0; i < n; ++i) b[i] /= At(i, 0);
    for (std::size_t i = n; i-- > 0;)
      for (std::size_t k = 1; k < width_ && i + k < n; ++k) b[i] -= At(i + k, k) * b[i + k];
    return b;
  }

 private:
  double& At(std::size_t i, std::size_t below) { return band_[i * width_ + below]; }
  double At(std::size_t i, std::size_t below) const { return band_[i * width_ + below]; }

  void Factor(std::size_t i) {
    for (std::size_t k = std::min(width_ - 1, i); k >= 1; --k) {
      const std::size_t j = i - k;
      double sum = At(i, k);
      for (std::size_t q = k + 1; q < width_ && q <= i; ++q) sum -= At(i, q) * At(j, q - k) * At(i - q, 0);
      At(i, k) = sum / At(j, 0);
    }
    for (std::size_t k = 1; k < width_ && k <= i; ++k) At(i, 0) -= At(i, k) * At(i, k) * At(i - k, 0);
  }

  std::size_t width_;
  Numbers band_;  // element (i, i - k) at i * width + k
};

}  // namespace

std::vector<double> Smooth(const std::vector<double>& noisy, double variance, double first, double last) {
  Numbers curve = {first};
  curve.insert(curve.end(), noisy.begin(), noisy.end());
  curve.push_back(last);
  const std::size_t n = curve.size();
  if (n < 6) return noisy;
  Numbers weights(n, 1.0), right = curve, signs(n);
  weights.front() = weights.back() = 1e6;  // known exactly
  for (std::size_t i = 0; i < n; ++i) right[i] *= weights[i];
  // The trace of the smoother, from one vector of signs; fixed, so that an answer can be reproduced.
  std::uint64_t state = 0x9E3779B97F4A7C15;
  for (double& sign : signs) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    sign = (state & 1) != 0 ? 1 : -1;
  }
  signs.front() = signs.back() = 0;
  double least = std::numeric_limits<double>::infinity();
  Numbers best = curve;
  for (const std::size_t order : {2U, 3U}) {
    for (int power = -4; power <= 40; power += 2) {
      const Band band(weights, order, std::ldexp(1.0, power));
      Numbers smooth = band.Solve(right);
      const Numbers spread = band.Solve(signs);
      double risk = 0;
      for (std::size_t i = 1; i + 1 < n; ++i) {
        risk += (smooth[i] - curve[i]) * (smooth[i] - curve[i]) + 2 * variance * signs[i] * spread[i];
      }
      if (!(risk < least)) continue;
      least = risk;
      best = std::move(smooth);
    }
  }
  return {best.begin() + 1, best.end() - 1};
}

}  // namespace kith::points
