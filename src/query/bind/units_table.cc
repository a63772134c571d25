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

Policy AnotherTable(const Policy& policy, const std::string& name) {
  const Table* const table = policy.FindTable(name);
  KITH_CHECK(table != nullptr && table->OfUnits());
  Policy another;
  another.tables = policy.tables;
  another.unit.table = name;
  another.unit.key = table->key;
  another.unit.max_rows = table->max_rows;
  another.unit.presence = Presence::kSecret;
  another.cells = policy.cells.OfAnybody();
  // What is known about either of the two units that a row names can be looked up.
  for (Table& other : another.tables) {
    if (!table->other || other.name != policy.unit.table) continue;
    other.key = policy.unit.key;
    other.max_rows = policy.unit.max_rows;
  }
  return another;
}

}  // namespace kith
