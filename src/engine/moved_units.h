// Units that are in two states of the data: did they stay where they were? The same statements and words on every
// engine that has both states.
#pragma once
#include <functional>
#include <string>

#include "base/int128.h"
#include "base/result.h"
#include "policy/policy.h"

namespace kith {

/// Two states of the unit's table.
struct TwoStates {
  std::string now, before;                                     // after FROM
  std::function<bool(const std::string& column)> known;        // is it in both?
  std::function<std::string(const std::string& column)> read;  // SQL over either; of one type in both
};

/// Runs a statement that counts.
using MoveCounter = std::function<Result<Int128>(const std::string& sql)>;

/// Is there anything that a unit has to keep? It can only be found again by its key.
bool HasToStay(const Policy& policy);

/// Units are matched by their key. `not_compared` is told why something could not be compared.
/// Fails: kInvalidArgument if units that are in both states have a different group, a different value in the column
/// that picks the strength, or, where the policy promises fixed public columns, a different value in one of them or
/// fewer rows with the same values in those that are public for each row; and as `count`.
/// Requires: HasToStay; both states passed the checks of public promises, so that these columns are the same in all
/// rows of a unit.
Result<void> CheckMovedUnits(const Policy& policy, const TwoStates& states, const MoveCounter& count,
                             const std::function<void(const std::string& why)>& not_compared);

}  // namespace kith
