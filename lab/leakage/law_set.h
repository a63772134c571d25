// Somebody who does not know the law exactly: every cell is between two limits, and the sum is 1. What an observation
// does at worst, over all laws that the limits allow. Cells are states of sensitivity, or combinations of values.
// Source: docs/theory/published.md#partial-information.  Claims: claims/one_sided.md
#pragma once
#include <optional>
#include <vector>

#include "base/result.h"

namespace kith::one_sided {

/// From `low` to `high`; both may be reached.
struct Range {
  double low = 0;
  double high = 0;
};

class LawSet {
 public:
  static constexpr std::size_t kMostCells = 4096;

  /// `inside`: the law that single figures are given for, within the limits; empty: one between all limits.
  /// Fails: kInvalidArgument (limits outside [0, 1] or crossed, no law between them, `inside` beyond them, too many
  /// cells).
  static Result<LawSet> Make(std::vector<Range> cells, std::vector<double> inside = {});

  const std::vector<Range>& cells() const { return cells_; }
  const std::vector<double>& inside() const { return inside_; }
  std::size_t size() const { return cells_.size(); }
  /// Cells put together: into[k] is where cell k goes. The laws of the sums are exactly the new set.
  /// Requires: into.size() == size(), every entry below `cells`.
  LawSet Merged(const std::vector<std::size_t>& into, std::size_t cells) const;
  /// P(marked cells), over all laws.
  Range Share(const std::vector<bool>& marked) const;

 private:
  LawSet(std::vector<Range> cells, std::vector<double> inside) : cells_(std::move(cells)), inside_(std::move(inside)) {}
  std::vector<Range> cells_;
  std::vector<double> inside_;
};

/// `likelihood[k]`: the probability of what was seen where cell k is true, up to a common factor; 0 or more.
/// The odds of the marked cells after it, P(marked | seen) / P(not marked | seen). Nothing where no law of the set lets
/// it be seen. Ensures [OSDP-10]: no law of the set is outside, and both ends are approached by laws of the set.
/// Requires: vectors as long as the set.
std::optional<Range> OddsOver(const LawSet& set, const std::vector<bool>& marked,
                              const std::vector<double>& likelihood);
/// What the odds are multiplied by: those after it over those before. Ensures [OSDP-10]. Nothing: as above, or the
/// marked cells have probability 0 or 1 in every law.
std::optional<Range> FactorOver(const LawSet& set, const std::vector<bool>& marked,
                                const std::vector<double>& likelihood);

/// What is known of only a pair: P(X_j sensitive), and P(X_i sensitive | X_j sensitive, or not).
struct PairLimits {
  Range sensitive, d1, d2;
};
/// As SuppressedFactor and ReleasedFactor, over all that the limits allow [OSDP-10].
Range SuppressedOver(const PairLimits& pair, double epsilon);
Range ReleasedOver(const PairLimits& pair);
/// The largest I(X_j; M_i), nats [OSDP-11]. Requires: 0 <= rate <= 1.
double InformationOver(const PairLimits& pair, double rate);

/// The largest I(X_j; M_i) over a set of laws of states (attribute 0 is the lowest bit, a set bit: not sensitive),
/// nats. Ensures [OSDP-11]: no law of the set gives more; at most `slack` above what some law gives. Requires: a power
/// of two of cells, 0 <= rate <= 1, slack > 0.
double InformationOver(const LawSet& states, std::size_t i, std::size_t j, double rate, double slack = 1e-5);

/// Not less than I(X_target; all M together) under any law of the set: a bound, which need not be reached [OSDP-11].
/// Requires: as JointInformation; a rate for each attribute.
double JointInformationBound(const LawSet& states, std::size_t target, const std::vector<double>& rates);

}  // namespace kith::one_sided
