// The largest of some counts, one after the other, without the counts: a mechanism that is not "integer plus noise".
// Claims: claims/top.md
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "loss/loss.h"
#include "mechanism/permute_and_flip.h"
#include "random/bits.h"

namespace kith {

/// Counts of units are clamped to this.
inline constexpr std::int64_t kMostUnits = std::int64_t{1} << 48;

/// The law of each choice where `wanted` of them have this share together, and one unit moves two counts apart by at
/// most `spread`. Fails: as PermuteAndFlip::Make.
Result<PermuteAndFlip> LawOfLargest(std::int64_t spread, std::size_t wanted, PlainUnits share);

/// Positions of the chosen counts, the first choice first. Requires: at least `wanted` counts, at least 0.
std::vector<std::size_t> ChooseLargest(std::span<const std::int64_t> counts, std::size_t wanted,
                                       const PermuteAndFlip& law, BitSource& bits);

}  // namespace kith
