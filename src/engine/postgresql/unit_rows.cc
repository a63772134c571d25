#include "engine/postgresql/unit_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "sql/quote.h"

namespace kith {

namespace {

/// One row of each unit, if the key is unique as it is read.
std::optional<sql::UnitRows> KnownByIndex(const PgTable& table, const std::string& key) {
  for (const PgReadColumn& one : table.columns) {
    if (one.column.name != key) continue;
    if (!one.column.unique || !one.reading.keeps_apart) return std::nullopt;
    return sql::UnitRows{.most = 1};
  }
  return std::nullopt;
}

/// True if the server has reason to think that the key has too many values for a hash table in memory: then sorting
/// takes less than half the time. Nothing known: false.
bool HasManyValues(PgConnection& connection, const PgTable& table, const std::string& key, const CancelFlag& cancel) {
  constexpr const char* kMany = "1000000";  // what is negative is a share of the rows
  const auto rows = connection.Metadata(
      fmt::format("SELECT 1 FROM pg_stats s JOIN pg_class c ON c.relname = s.tablename JOIN pg_namespace n ON n.oid = "
                  "c.relnamespace AND n.nspname = s.schemaname WHERE c.oid = {} AND s.attname = {} AND (s.n_distinct < "
                  "0 OR s.n_distinct > {})",
                  table.parts.at(0), QuotedText(key), kMany),
      cancel);
  return rows && !rows->empty();
}

/// Runs a statement that groups by the key, by sorting if that is better. What it counts is the same.
Result<IntegerTable> RunByKey(PgConnection& connection, const PgTable& table, const std::string& key,
                              const std::string& sent, const CancelFlag& cancel) {
  const bool sorts = HasManyValues(connection, table, key, cancel);
  if (sorts) {
    if (auto set = connection.Execute("SET LOCAL enable_hashagg = off", cancel); !set) return set.error();
  }
  auto counted = connection.Integers(sent, cancel);
  if (!counted || !sorts) return counted;
  if (auto reset = connection.Execute("SET LOCAL enable_hashagg TO DEFAULT", cancel); !reset) return reset.error();
  return counted;
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
  Asking asking = AskingOf(connection, policy, tables, cancel);
  asking.run = [&](const std::string& sent) { return RunByKey(connection, table, *policy.unit.key, sent, cancel); };
  return LookAtUnits(asking, policy, state, folder);
}

Asking AskingOf(PgConnection& connection, const Policy& policy, const std::vector<PgTable>& tables,
                const CancelFlag& cancel) {
  return {[&tables](const std::string& sql) { return Over(tables, sql); },
          [&connection, &cancel](const std::string& sent) { return connection.Integers(sent, cancel); },
          EndsOf(UnitTable(policy, tables))};
}

}  // namespace kith
