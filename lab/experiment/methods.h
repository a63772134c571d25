// Whose noise a figure compares, for one graph of dependent records: the plain loss that each method spends for a
// promised loss. Besides those of the inference attack (attack/noise.h): Zhu's correlated sensitivity.
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "affinity/affinity.h"
#include "attack/attack.h"
#include "attack/noise.h"
#include "base/cancel.h"
#include "base/result.h"

namespace kith::experiment {

struct Method {
  std::string name;
  std::string calibration;  // its name in attack/noise.h; empty: zhu
  std::string meaning;
  bool kith = false;  // kith's own formula; the others are for comparison
};
/// plain, dpm, zhu, baseline, group, star, field.
const std::vector<Method>& Methods();
const Method& MethodCalled(const std::string& name);

/// Zhu's factor: the largest sum over records j of |Pearson correlation of the vectors of i and j|, correlations below
/// `threshold` left out. `rows`: vectors of the dimension, one after another. A vector without variation correlates
/// only with itself. Requires: dimension >= 2.
double CorrelatedFactor(const std::vector<double>& rows, std::size_t dimension, double threshold, unsigned threads);
inline constexpr double kZhuThreshold = 0.5;

/// A mean of shares with its interval, which stays within [0, 1].
attack::Estimate MeanShare(const std::vector<double>& shares);

/// The graph of similar records as neighbour lists, for methods that need it whole.
/// Fails: kCancelled; kInvalidArgument above 30 million edges.
Result<attack::Friends> NeighboursOf(const Affinity& affinity, unsigned threads, const CancelFlag& cancel);
inline constexpr std::uint64_t kMaxEdges = 30'000'000;

class Noise {
 public:
  /// Fails: as attack::Calibration::Make.
  static Result<Noise> Make(attack::Calibration calibration, double zhu_factor);

  /// Fails: as attack::Calibration::PlainLoss.
  Result<double> PlainLoss(const Method& method, double epsilon);
  /// What the method promises when it spends `plain`.
  Result<double> Promised(const Method& method, double plain);
  /// "noise x 345 (dpm), ..." for an epsilon.
  Result<std::string> Describe(double epsilon);

 private:
  Noise(attack::Calibration calibration, double zhu_factor)
      : calibration_(std::move(calibration)), zhu_factor_(zhu_factor) {}
  Result<double> OfField(double epsilon);
  attack::Calibration calibration_;
  double zhu_factor_;
  bool field_as_group_ = false;
  std::map<std::pair<std::string, double>, double> known_;  // a graph's field takes a second for each epsilon
};

}  // namespace kith::experiment
