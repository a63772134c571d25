// Error bars of noisy numbers, for analyses.
#pragma once
#include <cstddef>

#include "analysis/analysis.h"

namespace kith {

/// Half the width of the interval that holds the truth with this confidence: the exact tail of discrete Laplace noise,
/// in the statistic's own units; 0 where there is no noise.
double ErrorBar(const NoisyRound& round, std::size_t statistic, double confidence);

/// Variance of the noise, in the statistic's own units squared.
double NoiseVariance(const NoisyRound& round, std::size_t statistic);

/// A 95 % bar for a sum of several Laplace noises with this variance in all: exact for one of them, a little wide for
/// many, which are nearly normal.
double BarOfVariance(double variance);

}  // namespace kith
