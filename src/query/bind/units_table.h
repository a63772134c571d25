// The table of units: one row for each unit, with what there is one of for each. Internal to query.
#pragma once
#include "policy/policy.h"

namespace kith {

/// The policy as questions about its table of units see it: its name for the unit's table, whose first kept rows it
/// has, and max_rows 1. Tables, unit, cells and stream only. Requires: policy.units_table(). Ensures [PLAN-6]: a unit's
/// row there follows from its public values and its constant columns, and it is there exactly if the unit has a row.
Policy TableOfUnits(const Policy& policy);

}  // namespace kith
