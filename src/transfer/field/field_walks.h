// How deep walks through a small field go (check/walk_losses.h): tightness and time, not privacy.
#pragma once
#include <cstdint>
#include <vector>

#include "transfer/check/field_small.h"

namespace kith {

/// For every node, as deep as the work allows: at most about `most_steps` steps for all nodes together.
std::vector<int> WalkDepths(const SmallField& field, std::int64_t most_steps);

}  // namespace kith
