// The law of distances between linked people, (d + b)^-c, with a region that contains the true b and c.
// Claims: claims/estimate.md
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "estimate/estimate.h"

namespace kith::estimate {

class DistanceFit {
 public:
  struct Law {
    double b = 0, c = 0;
  };
  struct Region {
    double theta =
        0;  // the largest log odds ratio of any law in it; infinite: b may be too small, or c too large, to say
    Limits b, c;
  };

  /// What is wrong with a sample; empty if nothing is.
  static std::string Problem(const Places& sample);

  /// Requires: no problem.
  explicit DistanceFit(const Places& sample);

  /// What fits all pairs roughly best; no guarantee.
  Law Best() const { return best_[2]; }
  /// The log odds ratio between the nearest and the farthest places: the largest there is.
  double Theta(const Law& law) const;

  /// log of the mean of two likelihood ratios: of each half, what fits the other half best against this law.
  /// Ensures [ESTIMATE-7]: at the true law it exceeds log(1/alpha) with probability at most alpha.
  double Excess(const Law& law) const;

  /// All laws with Excess up to log(1/alpha), b being one of 81 values between a thousandth of the largest distance and
  /// ten times it.
  Region Within(double alpha) const;

 private:
  /// Pairs of one half, or of both.
  struct Half {
    std::vector<double> at;    // by distance
    std::vector<double> from;  // by place of the first
    double pairs = 0;
  };
  double LogLikelihood(const Half& half, const Law& law) const;
  Law Fitted(const Half& half) const;

  std::vector<double> distances_;
  std::vector<double> around_;  // by place and distance: how many places are that far away
  double largest_ = 0;          // distance
  std::array<Half, 3> halves_;  // the third is both
  std::array<Law, 3> best_;
  std::array<double, 2> judged_{};  // the log likelihood of each half under what fits the other
};

}  // namespace kith::estimate
