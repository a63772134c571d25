// Mechanisms with a fault that people really make. None of them is private at the loss it claims; the black-box tester
// must find each. Not part of kith.
#pragma once
#include <array>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "mechanism/discrete_laplace.h"
#include "probe/probe.h"

namespace kith::faults {

/// An outcome whose text shows every digit of its numbers.
inline probe::Outcome Numbers(std::vector<double> numbers) {
  probe::Outcome outcome;
  for (const double number : numbers) {
    char text[40];
    std::snprintf(text, sizeof text, "%.17g ", number);
    outcome.text += text;
  }
  outcome.numbers = std::move(numbers);
  return outcome;
}

inline DiscreteLaplace Noise(std::int64_t sensitivity) {
  return DiscreteLaplace::Make(Sensitivity::Make(sensitivity).value(), PlainUnits::Of(PlainUnits::kOne)).value();
}

/// Laplace noise as many programs draw it: the logarithm of a uniform double, added to the answer (Mironov 2012).
class NaiveLaplace {
 public:
  NaiveLaplace(double scale, std::uint64_t seed) : scale_(scale), engine_(seed) {}
  double operator()(double value) {
    const double u = std::uniform_real_distribution<>(-0.5, 0.5)(engine_);
    return value - scale_ * (u < 0 ? -1 : 1) * std::log(1 - 2 * std::abs(u));
  }

 private:
  double scale_;
  std::mt19937_64 engine_;
};

using Point = std::array<double, 2>;

/// k-means with two centres as in the published experiments: Lloyd's steps to the end, then Laplace noise on the final
/// centres, for an assumed sensitivity of 1/size of the cluster in each coordinate. Not private: one record can move
/// the centres much farther, because it can change where the steps end.
class PublishedKmeans {
 public:
  PublishedKmeans(std::vector<Point> points, std::vector<Point> start) : centres_(std::move(start)) {
    for (int step = 0; step < 100; ++step) {
      std::vector<Point> sums(centres_.size(), Point{0, 0});
      sizes_.assign(centres_.size(), 0);
      for (const Point& p : points) {
        std::size_t best = 0;
        for (std::size_t c = 1; c < centres_.size(); ++c) {
          if (Distance(p, centres_[c]) < Distance(p, centres_[best])) best = c;
        }
        for (const std::size_t k : {0u, 1u}) sums[best][k] += p[k];
        ++sizes_[best];
      }
      for (std::size_t c = 0; c < centres_.size(); ++c) {
        for (const std::size_t k : {0u, 1u}) {
          if (sizes_[c] > 0) centres_[c][k] = sums[c][k] / sizes_[c];
        }
      }
    }
  }

  /// Four coordinates; the claim is a loss of epsilon for all of them.
  std::vector<double> Release(double epsilon, std::mt19937_64& engine) const {
    std::vector<double> out;
    for (std::size_t c = 0; c < centres_.size(); ++c) {
      for (const double coordinate : centres_[c]) {
        const double scale = 2 / (std::max(1.0, sizes_[c]) * epsilon);  // both coordinates of one record
        const double size = std::exponential_distribution<>(1 / scale)(engine);
        out.push_back(coordinate + (engine() % 2 == 0 ? size : -size));
      }
    }
    return out;
  }

 private:
  static double Distance(const Point& a, const Point& b) {
    return (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]);
  }
  std::vector<Point> centres_;
  std::vector<double> sizes_;
};

}  // namespace kith::faults
