// Strata: units whose public column puts them into their own class of the dependence. A question that is grouped
// by that column has a price for each stratum, so that units with few relatives do not pay for those with many. Claims:
// claims/strata.md
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "ledger/ledger.h"
#include "query/plan.h"
#include "release/accountant.h"
#include "release/pricing.h"

namespace kith {

/// "persons=1", "persons=5, 6": units with one of these values.
std::string StratumName(const std::string& column, const std::vector<Value>& values);

/// The price of a question whose groups are those of strata, for an epsilon: in each stratum the part epsilon /
/// epsilon_total of the smallest budget of its own charged cells. Strata with the same budget are one. Nothing where
/// groups have one price: the policy has no strata, no key is their column, there are levels, or an error bar is asked
/// for.
/// Ensures [STRATA-2]: a unit can change only groups of its own stratum, and loses by them what its cells are charged.
/// Fails: as PriceQuestion.
Result<std::optional<Priced>> PriceByStratum(const Plan& plan, const Price& price, const Policy& policy,
                                             const Accountant& account, UnitLevel level);

/// What each charged cell pays: one part where all pay the same.
std::vector<CellCharge> PartsOf(const std::vector<bool>& charged, const Priced& priced);

}  // namespace kith
