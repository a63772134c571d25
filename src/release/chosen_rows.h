// Answers of which noise chooses the rows.
#pragma once
#include "query/plan.h"

namespace kith {

/// Noise takes part in choosing the rows that are shown: the largest of many noisy numbers is mostly too large.
bool NoiseChooses(const Plan& plan);

/// The confidence of each bar with which all those hold with 95 % that have to hold at once [AFTER-2]. `noisy`: how
/// many noisy statistics the number is made of.
double ConfidenceOfBar(const Plan& plan, std::size_t noisy);

}  // namespace kith
