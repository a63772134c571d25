// Tables that questions can be about besides the unit's table, as separate policies. Internal to query.
#pragma once
#include <string>

#include "policy/policy.h"

namespace kith {

/// The policy as questions about its table of units see it: its name for the unit's table, whose first kept rows it
/// has, and max_rows 1. Tables, unit, cells and stream only. Requires: policy.units_table(). Ensures [PLAN-6]: a unit's
/// row there follows from its public values and its constant columns, and it is there exactly if the unit has a row.
Policy TableOfUnits(const Policy& policy);

/// The policy as questions about another table of the units see it: that table for the unit's table, with its own key
/// and max_rows; presence is secret, because it is a secret who has rows there; which cell a unit is in is not known.
/// Tables, unit and cells only. Requires: there is such a table. Ensures [TABLES-1]: what a unit's record can be in
/// this policy is all that its rows in that table can be, whatever is public of the unit's table. If rows there name
/// two units, the unit's table is also another table of the units.
Policy AnotherTable(const Policy& policy, const std::string& name);

}  // namespace kith
