// How much noise many counts need at a dependent (epsilon, delta), by law of noise: which noise when.
// Source: docs/theory/gaussian.md.  Double arithmetic on top of bounds that are rounded to the safe side.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "transfer/gaussian/gaussian.h"

namespace kith {

/// Standard deviations of the noise of each count; one unit changes each count by at most 1.
struct ManyAnswers {
  std::int64_t counts = 1;
  double laplace = 0;                   // pure losses add up: sqrt 2 times the scale
  std::optional<double> laplace_delta;  // the same list of charges, fixed beforehand and read with the delta: several
  double gaussian = 0;                  // normal noise, whole budget
  std::string gaussian_by;              // "offset" or "messages"
  double offset = 0;                    // the same by the offset only
  std::optional<double> group;          // where it is defined: all that may depend on each other as one, the better law
};

/// One row for each number of counts, for class 0 of the model.
/// Fails: kInvalidArgument for metric losses, unless epsilon > 0, 0 < delta < 1, and counts are from 1 to 10,000.
Result<std::vector<ManyAnswers>> NoiseOfManyAnswers(const Transfer& transfer, double epsilon, double delta,
                                                    std::span<const std::int64_t> counts);

}  // namespace kith
