// What a figure says in the end: what was published, what was found here, and why they agree or differ.
#pragma once
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "experiment/figure.h"

namespace kith::experiment {

inline void Conclude(Figure& figure, const std::string& published, const std::string& here, const std::string& why) {
  figure.published = published;
  figure.here = here;
  figure.why = why;
}

/// A number without repetitions.
inline Estimate Exactly(double value) { return {value, value, value}; }

/// The mean with its interval; what was the same each time has none, not even by rounding.
inline Estimate MeanWithInterval(const std::vector<double>& values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return *least == *most ? Exactly(*least) : attack::EstimateOf(values);
}

/// The one of several epsilons that a sentence is about.
inline double NearestTo(const std::vector<double>& values, double wanted) {
  double best = values.front();
  for (const double value : values) best = std::abs(value - wanted) < std::abs(best - wanted) ? value : best;
  return best;
}

}  // namespace kith::experiment
