// Answers whose rows are chosen by noise.
#pragma once
#include "query/plan.h"

namespace kith {

/// Noise takes part in choosing the rows that are shown: the largest of many noisy numbers is usually too large.
bool NoiseChooses(const Plan& plan);

/// The confidence of each bar at which all that must hold at once do so with 95 % [AFTER-2]. `noisy`: how
/// many noisy statistics the number is made of.
double ConfidenceOfBar(const Plan& plan, std::size_t noisy);

}  // namespace kith
