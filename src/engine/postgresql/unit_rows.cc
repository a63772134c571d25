#include "engine/postgresql/unit_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"

namespace kith {

namespace {

/// One row of each unit, if the key is unique as it is read.
std::optional<sql::UnitRows> KnownByIndex(const PgTable& table, const std::string& key) {
  for (const PgReadColumn& one : table.columns) {
    if (one.column.name != key) continue;
    if (!one.column.unique || !one.reading.keeps_apart) return std::nullopt;
    const bool as_stored = one.reading.sql.find("CASE") == std::string::npos;  // nothing is read as NULL
    return sql::UnitRows{.most = 1, .all_have_keys = one.column.not_null && as_stored};
  }
  return std::nullopt;
}

}  // namespace

const PgTable& UnitTable(const Policy& policy, const std::vector<PgTable>& tables) {
  const auto found =
      std::find_if(tables.begin(), tables.end(), [&](const PgTable& table) { return table.name == policy.unit.table; });
  KITH_CHECK(found != tables.end());
  return *found;
}

Result<sql::UnitRows> LookAtUnitRows(PgConnection& connection, const Policy& policy, const std::vector<PgTable>& tables,
                                     const std::optional<std::string>& state, const KithFolder& folder,
                                     const CancelFlag& cancel) {
  if (!policy.unit.key || policy.unit.other_key) return sql::UnitRows{};
  const PgTable& table = UnitTable(policy, tables);
  if (auto known = KnownByIndex(table, *policy.unit.key)) return *known;
  return LookAtUnits(AskingOf(connection, policy, tables, cancel), policy, state, folder);
}

Asking AskingOf(PgConnection& connection, const Policy& policy, const std::vector<PgTable>& tables,
                const CancelFlag& cancel) {
  return {[&tables](const std::string& sql) { return Over(tables, sql); },
          [&connection, &cancel](const std::string& sent) { return connection.Integers(sent, cancel); },
          EndsOf(UnitTable(policy, tables))};
}

}  // namespace kith
