// The rules of change: how far one unit can move the numbers of a statement. Claims PLAN-2, PLAN-4, ADDREM-1,
// DISTINCT-1, QUANTILE-1, LEVEL-1, NEST-4.
#pragma once
#include <optional>
#include <vector>

#include "kernel/check/asked.h"

namespace kith::check {

/// Over all groups together: the sum of the changes, of their squares, and how many there are.
struct Moved {
  Int128 l1 = 0, l2_squared = 0, groups = 0;
};

/// num / den of the rows should be below the value that is chosen.
struct Rank {
  std::int64_t num = 1, den = 2;
};

/// What is asked of the statement's numbers.
struct Use {
  std::vector<std::vector<bool>> levels;  // for each, which keys tell its groups apart
  bool of_households = false;             // all persons of a household may change at once
  std::optional<Rank> rank;               // one of the values that the last key numbers is chosen by its rank
};

/// In one of the levels, when a record is replaced by any other.
Moved MovedIn(const std::vector<bool>& level, const Asked& asked, const Number& number, const Use& use,
              const Context& context);
/// When the unit comes or goes with all its rows.
Moved ComingIn(const std::vector<bool>& level, const Asked& asked, const Number& number, const Use& use,
               const Context& context);

}  // namespace kith::check
