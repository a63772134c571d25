// Two amounts for one answer: what any change of a record loses, and what is lost if a unit comes or goes.
// Claims: claims/add_or_remove.md
#pragma once
#include <optional>
#include <span>

#include "base/result.h"
#include "query/joint_moves.h"
#include "release/pricing.h"

namespace kith {

/// How a question is to be paid for.
struct Pricing {
  const Price& price;
  double epsilon_total;
  PlainUnits budget;  // the smallest among the charged cells, of what is counted
  std::optional<double> everybody = std::nullopt;
  bool counts_presence = false;  // an epsilon is an amount of presence
};

/// As PriceJointly, with both amounts. Where presence is counted, an epsilon buys the noise whose loss by presence it
/// is; shares are still those of any change, so that equal noise has equal shares and is stored once.
Result<Priced> PriceBoth(const Plan& plan, const MovesOfBoth& moves, const Pricing& pricing);

}  // namespace kith
