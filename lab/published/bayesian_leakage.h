// Bayesian differential privacy leakage: what one answer reveals to somebody who knows some of the records.
// Source: Yang, Sato, Nakagawa 2015; docs/theory/published.md#known-records. Double arithmetic, for comparison and
// audit.
#pragma once
#include "published/listed_law.h"

namespace kith::published {

/// The loss about record i of answer + Laplace(scale) against somebody who knows the values of `known` records, for the
/// worst values that can occur. Nothing known: the dependent loss; all others known: plain loss on possible databases.
/// Requires: record i is not known; scale > 0.
/// Ensures [PUBLISHED-7]: exact up to rounding.
/// Fails: as OnGrid.
Result<double> LeakageKnowing(const ListedLaw& law, const Query& query, double scale, std::size_t record,
                              std::span<const std::size_t> known);

struct Leakage {
  std::size_t record = 0;
  std::vector<std::size_t> known;
  double loss = 0;
};
/// For every record and every set of other records. The largest need not be at either end.
/// Fails: kInvalidArgument for more than 12 records; as OnGrid.
Result<std::vector<Leakage>> AllLeakages(const ListedLaw& law, const Query& query, double scale);

}  // namespace kith::published
