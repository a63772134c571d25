// Groups: anything goes inside (group), or odds ratios between members given all others are bounded (association).
// Source: docs/theory/transfer.md#association, #block, #groups; Liu, Chakraborty, Mittal 2016, Theorem 7 (group).
// Claims: claims/transfer_association.md
#pragma once
#include <cstdint>
#include <span>

#include "transfer/pair/pair.h"

namespace kith {

/// The association bound for groups of at most `size` records whose pairwise odds ratios, given all others, are at most
/// e^theta.
class Association {
 public:
  /// Beyond this many members the recursion is not run; block and group remain.
  static constexpr std::int64_t kMaxSize = 10'000;

  /// Requires: 1 <= size <= kMaxSize, theta >= 0. `yes_no`: all that members have to do with each other is one
  /// attribute that is yes or no.
  Association(std::int64_t size, double theta, bool yes_no = false);

  /// Ensures [ASSOCIATION-1]: at least the dependent loss of every law of the class when all plain losses are at
  /// most `plain`. Infinity if the recursion overflows.
  /// Ensures [ASSOCIATION-5]: of yes/no records the first three steps are exact.
  /// With ProbitPhi: the same for mu and Gaussian loss (strengths of pairs keep Phi); nothing is exact there.
  double Loss(double plain, PassOn pass = Phi) const;

 private:
  std::int64_t size_;
  double theta_;
  bool yes_no_;
};

/// The block cap: `plain` for the record itself, `others` the sum of the plain losses of all that may depend on it,
/// `theta` the sum of the strengths between it and them.
/// Ensures [ASSOCIATION-2]: valid for the classes association and field; never above plain + others.
double BlockLoss(double plain, double others, double theta, PassOn pass = Phi);

/// The group bound: the sum, rounded up.
double SumUp(std::span<const double> plain);

}  // namespace kith
