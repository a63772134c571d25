// What is left of a budget, in the words of a price.
#pragma once
#include <span>
#include <vector>

#include "base/unit_level.h"
#include "release/accountant.h"
#include "release/pricing.h"

namespace kith {

/// Whom a question charges.
struct ChargedUnits {
  const std::vector<bool>& cells;
  Covers covers;
  UnitLevel level;
  std::span<const PricedStratum> strata = {};  // where these have their own prices
};

/// Whether the policy still allows the caps that were fixed; true where there are none. If not, nothing can be charged.
bool CapsStand(const Accountant& account, const Totals& totals);

/// The price, as a part of `epsilon_total`, that a question that charges these units may still have.
double PriceLeft(const Accountant& account, const Totals& totals, const ChargedUnits& charged, double epsilon_total);

}  // namespace kith
