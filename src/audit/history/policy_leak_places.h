// Which units are worst placed, by the shape of their neighbourhood: degree, size of the group, size of the component.
#pragma once
#include "audit/history/policy_leak.h"

namespace kith::audit {

/// The pair formula at the record where it is largest.
struct LargestStarLoss {
  double now = 0, after = 0;
  bool only_pairs = false;  // no record has two neighbours: the formula is a theorem
};
LargestStarLoss LargestStar(const Field& field, double now, double after);

/// The worst shapes first, at most eight. Empty for models that name no neighbourhoods.
Result<std::vector<Place>> PlacesOf(const Transfer& transfer, std::size_t of_class, double now, double after);

}  // namespace kith::audit
