// Figures 8 (a) and 8 (b): how likely the error of noisy k-means centroids stays within alpha, and which epsilon that
// takes. Errors are counted in sensitivities of the question, because the publication gives no unit.
// Source: Liu, Chakraborty, Mittal 2016, Definition 5, Theorem 10, Lemmas 1 and 2, section VII-A;
// docs/theory/published.md#accuracy.
#pragma once
#include "experiment/figure.h"
#include "experiment/methods.h"

namespace kith::experiment {

struct AccuracyQuestion {
  std::size_t numbers = 96;  // of the answer: 8 centroids of 12 coordinates
  double alpha = 1000;       // in sensitivities
};

/// Simulated: the share of `repetitions` noisy answers within alpha. Two panels: the sum of all errors, as section VII
/// defines it, and the single number for which Theorem 10 is stated.
Result<Figure> Fig8a(Noise& noise, const AccuracyQuestion& question, const Settings& settings,
                     const CancelFlag& cancel);

/// Computed: the smallest epsilon that reaches 1 - beta, for both readings.
Result<Figure> Fig8b(Noise& noise, const AccuracyQuestion& question, const Settings& settings,
                     const CancelFlag& cancel);

}  // namespace kith::experiment
