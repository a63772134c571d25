// Counts under every method: how much noise each calls for, and what that noise is worth. Double arithmetic, for tables
// that people read; releases take their noise only from Transfer.
#pragma once
#include <cstdint>
#include <vector>

#include "transfer/count_noise.h"

namespace kith::published {

using Method = CountMethod;
using kith::Standing;

/// The noise scale for each of `counts` counts of the records whose value is not 0, for a dependent loss of epsilon in
/// all, under every method that applies to the model: NoiseOfCounts, and those that were published. For more than one
/// count only methods whose losses add up. Formulas that need the law of every record are left out for models of more
/// than 128 records (fewer if they have many values), and for models without laws; metric records have no count, so
/// there only `laplace` applies. One `kith` row for each class of the model. Ensures [PUBLISHED-9]: where `loss` is
/// known, it is above epsilon (beyond rounding) only for kPlainOnly and kNoGuarantee. Fails: kInvalidArgument if the
/// model is not usable, epsilon is not a positive, finite number, or counts is not between 1 and a million.
Result<std::vector<Method>> CompareForCounts(const Model& model, double epsilon, std::int64_t counts);
inline Result<std::vector<Method>> CompareForCount(const Model& model, double epsilon) {
  return CompareForCounts(model, epsilon, 1);
}

}  // namespace kith::published
