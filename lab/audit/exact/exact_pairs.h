// What the published formulas see of a law: how much each record adds to the answer given each other record, pair by
// pair.
#pragma once
#include "audit/exact/exact_law.h"
#include "published/dependent_sensitivity.h"

namespace kith::audit {

/// In units of the answer. A record that belongs to no person depends on nothing. Nothing if there are more than 128
/// records or their tables would take more than about a second.
std::optional<published::Pairs> PairsSeen(const FiniteLaw& law, const Additive& question);

}  // namespace kith::audit
