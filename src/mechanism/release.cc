// Where exact values become noisy ones, for every mechanism. Nothing else is in this file: the blind test (tests/blind)
// puts another in its place, which does not look at the values.
#include "mechanism/discrete_laplace.h"
#include "mechanism/one_sided_laplace.h"
#include "mechanism/partition_selection.h"
#include "mechanism/permute_and_flip.h"
#include "mechanism/record_release.h"
#include "mechanism/rounded_normal.h"
#include "mechanism/sparse_counts.h"

namespace kith {

Int128 DiscreteLaplace::Release(Int128 value, BitSource& bits) const { return Release<63, 64, BitSource>(value, bits); }

Int128 RoundedNormal::Release(Int128 value, BitSource& bits) const { return Release<BitSource>(value, bits); }

Int128 OneSidedLaplace::Release(Int128 count, BitSource& bits) const { return Release<63, 64, BitSource>(count, bits); }

std::size_t PermuteAndFlip::Choose(std::span<const std::int64_t> distances, BitSource& bits) const {
  return Choose<64, 64, BitSource>(distances, bits);
}

void RecordRelease::DrawAll(std::span<bool> released, SystemBits& bits) const {
  for (bool& one : released) one = Draw(bits);
}

std::vector<UInt128> SparseCounts::Empty(BitSource& bits) const { return Empty<64, 64, BitSource>(bits); }

Int128 SparseCounts::OfEmpty(BitSource& bits) const { return OfEmpty<64, 64, BitSource>(bits); }

std::optional<Int128> SparseCounts::Occupied(Int128 count, BitSource& bits) const {
  return Occupied<63, 64, BitSource>(count, bits);
}

std::optional<Int128> PartitionSelection::Select(Int128 units, BitSource& bits) const {
  Int128 noisy = noise_.Release(units, bits);
  while (cut_ && noisy - units >= threshold_) noisy = noise_.Release(units, bits);  // KEYS-4
  return noisy >= threshold_ ? std::optional(noisy) : std::nullopt;
}

}  // namespace kith
