// Exact (Clopper-Pearson) bounds for a probability, and what two of them prove about a loss.
// Claims: claims/probe.md
#pragma once
#include <cstdint>

namespace kith::probe {

/// Hits in independent trials of one event that was fixed in advance.
struct Hits {
  std::uint64_t hits = 0, trials = 0;
};

/// Each is wrong with probability at most alpha, for every number of trials and every probability.
/// Requires: hits <= trials, trials >= 1, 0 < alpha < 1.
/// Ensures [PROBE-2]: the exact binomial tail at the bound is at most alpha.
/// Source: Clopper and Pearson 1934.
double LowerBound(Hits seen, double alpha);
double UpperBound(Hits seen, double alpha);

/// The least epsilon with P[event] <= exp(epsilon) P'[event] + delta that the counts leave possible; wrong with
/// probability at most alpha. May be negative, down to minus infinity: then they prove nothing.
double LossLowerBound(Hits seen, Hits other, double delta, double alpha);

}  // namespace kith::probe
