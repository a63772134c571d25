// What the tester looks at: numbers derived from an outcome. Which of them reveal the most is learnt on the first half
// of the runs; any function of the outcome is allowed, so a bad choice weakens the proof but never makes it wrong.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "probe/probe.h"

namespace kith::probe {

struct Feature {
  std::string family;
  std::string name;
  std::function<double(const Outcome&)> value;  // not a number: the outcome lacks it
};

/// Single answers and their lowest binary digit; sums, differences and residuals of pairs; pairs and all answers
/// together, weighed by how much likelier each place was on the left; how many numbers there are.
std::vector<Feature> Features(std::span<const Outcome> left, std::span<const Outcome> right);

/// The k for which the value is an odd multiple of 2^k; not a number for zero and values that are not finite. Noise
/// added in floating point leaves digits that depend on the exact answer (Mironov 2012).
double LowestDigit(double value);

}  // namespace kith::probe
