// Households (or other groups) by what their members are: how many have each type. The table of compositions is
// measured at the price of one unit, since a unit changes the composition of one group; from it groups are drawn.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "random/bits.h"

namespace kith::synthetic {

/// Members of each type.
using Composition = std::vector<std::uint32_t>;

/// All compositions of 1 to `size` members.
std::vector<Composition> AllCompositions(std::size_t types, std::size_t size);

/// The nearest table without numbers below 0 that adds up to the same, or to 1 if that is less.
std::vector<double> WithoutNegative(std::span<const double> counts);

/// The same compositions with other weights, so that members have the types in these proportions: each is multiplied by
/// a factor for each member's type. As near as `steps` rounds of scaling come.
std::vector<double> Tilted(const std::vector<Composition>& compositions, std::span<const double> weights,
                           std::span<const double> types, std::size_t steps = 500);

/// A member of a group that was drawn.
struct Member {
  std::uint32_t group = 0, type = 0;
};
/// Groups in random order, enough to have about `members` members, and their members.
std::vector<Member> DrawGroups(const std::vector<Composition>& compositions, std::span<const double> weights,
                               std::size_t members, BitSource& bits);

/// How often each composition occurs among these. Compositions not listed are left out.
std::vector<std::int64_t> CountGroups(const std::vector<Composition>& compositions, std::span<const Member> members);

}  // namespace kith::synthetic
