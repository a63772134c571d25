// How large the errors of cumulative sums are, by what is measured: a comparison, without data.
#pragma once
#include <cstddef>

#include "base/result.h"

namespace kith::published {

/// Root mean square errors of all cumulative sums, where one record is replaced by another.
struct PrefixErrors {
  std::size_t cells = 0;
  // Laplace noise:
  double laplace_cells = 0;
  double simple_tree = 0;  // equal shares, one fan-out for all levels, each sum from as few blocks as possible
  double tree = 0;         // PrefixTree::Best
  // Normal noise:
  double normal_cells = 0;
  double toeplitz = 0;
};

/// At a pure loss of `epsilon`, or a Gaussian one of `mu`; both above 0. Requires: 2 to 65,536 cells.
Result<PrefixErrors> ErrorsOfPrefixSums(std::size_t cells, double epsilon, double mu);

}  // namespace kith::published
