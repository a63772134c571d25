// Error bars of noisy numbers, for analyses.
#pragma once
#include <cstddef>

#include "analysis/analysis.h"

namespace kith {

/// The noise of a number: discrete Laplace noise of this scale on a lattice with this step, in the number's own units.
struct NoiseDistribution {
  double scale = 0;  // 0: no noise
  double step = 0;

  double Variance() const;
  /// The smallest multiple of the step that the noise exceeds with at most this probability, by its exact law.
  double Bar(double confidence) const;
  /// The bar that the answer to a question shows.
  double Bar95() const;
};

/// The law of one statistic of a round.
NoiseDistribution DistributionOf(const NoisyRound& round, std::size_t statistic);
/// Half the width of the interval that holds the truth with this confidence, in the statistic's own units; 0 where
/// there is no noise.
double ErrorBar(const NoisyRound& round, std::size_t statistic, double confidence);

/// A 95 % bar for a sum of several Laplace noises with this variance in all: exact for one of them, a little wide for
/// many, which are nearly normal. For noise without a lattice; on a lattice it can be short by a part of a step.
double BarOfVariance(double variance);
/// A 95 % bar for a sum of independent noises, each times a weight. `variance`: of the sum; `largest`: no product of a
/// weight and the step of its noise is larger. The bar of one continuous noise with this variance would be too short
/// where noise is small compared with its steps: 0.55 of the largest step is added. Where the noises are few and known,
/// BarOfSum (mechanism/noise_sum.h) is exact.
double BarOfWeightedSum(double variance, double largest);

}  // namespace kith
