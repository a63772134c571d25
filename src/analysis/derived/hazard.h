// The ratio of two hazards, from noisy numbers of events and of censored units in every step of time of two groups.
// Claims: claims/derived.md
#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "analysis/derived/survival.h"

namespace kith {

struct HazardRatio {
  double ratio = 1;
  double noise_95 = 0;       // how far noise may have moved it
  double low = 0, high = 0;  // noise and sampling together
  std::size_t steps = 0;     // this many, from the first on, are compared
};

/// Mantel and Haenszel's ratio of rates over the steps of time: the second group's hazard in units of the first one's.
/// Nothing: noise may be half of those at risk in the first step, or of the events of a group.
/// Ensures [HAZARD-1]: to first order in the noise, the same estimate from the noiseless counts of the same steps is
/// within noise_95 with 95 % probability; the ratio of the hazards that independent units were drawn from, if it is the
/// same at all times, is between low and high with 95 % probability. Requires: as many steps in one group as in the
/// other.
std::optional<HazardRatio> CompareHazards(const std::vector<SurvivalStep>& first,
                                          const std::vector<SurvivalStep>& second, const NoiseDistribution& events,
                                          const NoiseDistribution& censored);

}  // namespace kith
