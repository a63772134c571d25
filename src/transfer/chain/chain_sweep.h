// Yes/no chains with a plain loss for each record, or which forget too slowly to settle: one sweep in each direction.
// Source: docs/theory/transfer.md#chain.  Claims: claims/transfer_chain.md
#pragma once
#include <vector>

#include "dependence/model.h"
#include "transfer/transfer_function.h"

namespace kith {

/// The largest loss about a record, and each record's if asked for.
struct SweptChain {
  double worst = 0;
  std::vector<double> losses;
};

/// Requires: the model has passed Check and its records have two values. A loss beyond 700 counts as infinite.
/// Ensures [CHAIN-1]: not below the dependent loss of the declared chain.
SweptChain SweepChain(const Chain& chain, const PlainLosses& plain, bool each);

}  // namespace kith
