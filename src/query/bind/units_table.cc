#include "query/bind/units_table.h"

#include "base/check.h"

namespace kith {

Policy TableOfUnits(const Policy& policy) {
  const auto name = policy.units_table();
  KITH_CHECK(name.has_value());
  Policy units;
  units.tables = policy.tables;
  units.unit = policy.unit;
  units.cells = policy.cells;
  units.stream = policy.stream;
  for (Table& table : units.tables) {
    if (table.name != policy.unit.table) continue;
    table.rows_of = table.name;
    table.name = *name;
  }
  units.unit.table = *name;
  units.unit.max_rows = 1;
  return units;
}

}  // namespace kith
