// One world in which linked records look as declared: a Markov tree, whose loss can be computed. For audits of sums
// over pairs.
#pragma once
#include <optional>

#include "dependence/model.h"

namespace kith {

/// The forest of the listed links, or, where only a degree is declared, a regular tree of it. Every pair of linked
/// records has the declared table in both directions, up to rounding. Nothing if the links have a cycle, there are more
/// than 1,000 records or 16 values, or no law has this table in both directions. Requires: the model has passed Check.
std::optional<Tree> MarkovWorld(const PairLaws& model);

}  // namespace kith
