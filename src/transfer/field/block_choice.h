// Which records of a small field make up blocks.
#pragma once
#include <cstdint>
#include <vector>

#include "transfer/check/block_parts.h"

namespace kith {

/// Blocks that share no tie: parts of 3 to kMostInBlock nodes that no single node separates; in larger parts
/// edge-disjoint cliques. Ties of two records with a finite strength only. Depends only on the field.
std::vector<ChosenBlock> ChooseBlocks(const SmallField& field);

}  // namespace kith
