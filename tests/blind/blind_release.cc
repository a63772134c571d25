// In place of src/mechanism/release.cc: what is released is a fixed function of its position among all releases of its
// kind. Where no noise is due (public facts: a sensitivity of zero), the value itself: the test sees if it is public.
#include <algorithm>

#include "mechanism/discrete_laplace.h"
#include "mechanism/one_sided_laplace.h"
#include "mechanism/partition_selection.h"
#include "mechanism/permute_and_flip.h"
#include "mechanism/record_release.h"
#include "mechanism/rounded_normal.h"
#include "mechanism/sparse_counts.h"
#include "tests/blind/blind.h"

namespace kith {
namespace {

// From -40 to 215: most are positive, so that averages, shares and quotients are shown as well.
Int128 Number(std::atomic<std::uint64_t>& position) { return static_cast<Int128>(blind::Mixed(position++) % 256) - 40; }

// The witness of behaviour (tests/witness) sees the values too, with the same numbers added to them.
bool ShowsValues() {
  static const bool shows = std::getenv("KITH_BLIND_VALUES") != nullptr;
  return shows;
}
Int128 Noisy(Int128 value, std::atomic<std::uint64_t>& position) {
  const Int128 number = Number(position);
  return ShowsValues() ? value + number : number;
}

std::atomic<std::uint64_t> numbers = 0, one_sided = 0, choices = 0;

}  // namespace

Int128 DiscreteLaplace::Release(Int128 value, BitSource&) const { return magnitude_ ? Noisy(value, numbers) : value; }

Int128 RoundedNormal::Release(Int128 value, BitSource&) const { return Noisy(value, numbers); }

Int128 OneSidedLaplace::Release(Int128 value, BitSource&) const { return Noisy(value, one_sided); }

std::size_t PermuteAndFlip::Choose(std::span<const std::int64_t> distances, BitSource& bits) const {
  if (rate_high_ == 0) return Choose<64, 64, BitSource>(distances, bits);
  if (ShowsValues()) return static_cast<std::size_t>(std::ranges::min_element(distances) - distances.begin());
  return blind::Mixed(choices++) % distances.size();
}

// No record leaves, unless the test asks for all: then the two data sets must agree on those that are open.
void RecordRelease::DrawAll(std::span<bool> released, SystemBits&) const {
  static const bool all = std::getenv("KITH_BLIND_RECORDS") != nullptr;
  for (bool& one : released) one = all;
}

// No cell is shown: which ones hold something is a secret, and a fixed choice of cells would give away those among
// them.
std::vector<UInt128> SparseCounts::Empty(BitSource&) const { return {}; }
Int128 SparseCounts::OfEmpty(BitSource&) const { return threshold_; }
std::optional<Int128> SparseCounts::Occupied(Int128 value, BitSource&) const {
  return ShowsValues() && value >= threshold_ ? std::optional(value) : std::nullopt;
}

std::optional<Int128> PartitionSelection::Select(Int128 value, BitSource&) const {
  return ShowsValues() ? std::optional(value) : std::nullopt;
}

}  // namespace kith
