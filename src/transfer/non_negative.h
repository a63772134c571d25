// The exact loss of yes/no groups whose ties are not negative. Source: docs/theory/transfer.md#non-negative-ties.
// Claims: claims/transfer_association.md
#pragma once
#include <cstdint>

namespace kith {

/// In a group of `size` records of one yes/no attribute in which, given all others, every pair's odds ratio lies
/// between 1 and e^theta, with plain losses at most `plain`. Ensures [ASSOCIATION-4]: at least the dependent loss of
/// every such law, and no more than rounding above the largest; with ties of either sign the same for up to three
/// records [ASSOCIATION-5]. Infinity if it overflows. Requires: size >= 1, theta >= 0 and finite.
double NonNegativeLoss(std::int64_t size, double theta, double plain);

/// Not above what the law exp(theta C(|x|, 2) + a |x|) and the mechanism that answers yes with probability
/// k e^{plain |x|} lose, with the worst a and a small k: every class of groups with odds ratios up to e^theta has them.
/// A normal cause of variance theta comes as close to them as one likes, where somebody has evidence about single
/// members.
double ReachedByGroups(std::int64_t size, double theta, double plain);
/// The same for members whose log odds are one number plus a cause of two states that are `range` apart.
double ReachedByTwoStates(std::int64_t size, double range, double plain);

}  // namespace kith
