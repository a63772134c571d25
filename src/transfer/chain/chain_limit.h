// Long homogeneous chains: messages settle after a few steps, and what has settled holds for all the rest.
// Source: docs/theory/transfer.md#chain.  Claims: claims/transfer_chain.md
#pragma once
#include <optional>
#include <vector>

#include "dependence/model.h"
#include "transfer/tree/spread.h"

namespace kith {

/// The loss about every record of a chain whose records all have plain loss `plain`, in time that does not depend on
/// the length.
struct SettledChain {
  double worst = 0;
  std::vector<double> losses;  // of each record, if the chain has at most `most_records`
};

/// Requires: the model has passed Check.
/// Ensures [CHAIN-1]: not below the dependent loss of the declared chain.
/// Nothing if messages do not settle within a few thousand steps (the chain forgets too slowly).
std::optional<SettledChain> SettleChain(const Chain& chain, double plain, std::int64_t most_records);

}  // namespace kith
