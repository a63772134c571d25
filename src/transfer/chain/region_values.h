// Messages along a chain of records with several values, when tables are known up to intervals or the chain begins
// anywhere. Source: docs/theory/transfer.md#intervals.  Claims: claims/transfer_region.md
#pragma once
#include <cstddef>
#include <utility>
#include <vector>

#include "dependence/model.h"
#include "transfer/tree/spread.h"

namespace kith {

/// One step of such a chain, made ready.
class SeveralStep {
 public:
  /// Requires: tightened.
  explicit SeveralStep(const TableRegion& table);

  /// Ensures [REGION-3]: what a record sees of the next one (of the one before), for all tables of the region and, for
  /// the one before, whatever its law is.
  Spread SeenAfter(const Spread& next) const;
  Spread SeenBefore(const Spread& before) const;

 private:
  /// Two rows that are not exact: the probabilities of sets of values, most under one and least under the other.
  std::vector<std::pair<double, double>> SetsOf(std::size_t x, std::size_t y) const;

  TableRegion table_;
  std::vector<std::vector<std::pair<double, double>>> sets_;  // by x * values + y
  std::vector<double> strengths_;                             // of the values x and y, seen from the record before
};

}  // namespace kith
