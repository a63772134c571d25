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
    const bool as_stored = one.reading.sql.find("CASE") == std::string::npos;  // nothing is read as NULL
    return sql::UnitRows{.most = 1, .all_have_keys = one.column.not_null && as_stored};
  }
  return std::nullopt;
}

std::string MarkOf(const std::string& subject, const sql::UnitRows& found) {
  return Sha256(fmt::format("rows of units, {}, {}: {}", found.most ? fmt::format("{}", *found.most) : "unknown",
                            found.all_have_keys ? "keys" : "some keys", subject));
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
  const Ends ends = EndsOf(table);
  std::string varies;
  for (const Column& column : policy.unit_table().columns) {
    if (column.constant) varies += (varies.empty() ? "" : " OR ") + Varies(column.name, ends);
  }
  const std::int64_t most = policy.unit.max_rows;
  const std::string key = QuotedName(*policy.unit.key);
  const std::string look =
      Over(tables,
           fmt::format("SELECT count(*) FILTER (WHERE k IS NULL), count(*) FILTER (WHERE k IS NOT NULL AND n > 1), "
                       "count(*) FILTER (WHERE k IS NOT NULL AND (n > {} OR v)) FROM (SELECT {} AS k, count(*) AS n, "
                       "{} AS v FROM {} GROUP BY 1) AS u",
                       most, key, varies.empty() ? "false" : varies, QuotedName(policy.unit.table)));
  const std::string subject = fmt::format("{}\n{}", look, state.value_or(""));
  std::vector<sql::UnitRows> findings = {{}};
  for (const bool keys : {false, true}) {
    findings.push_back({.most = 1, .all_have_keys = keys});
    if (most > 1) findings.push_back({.most = most, .all_have_keys = keys});
  }
  for (const sql::UnitRows& finding : findings) {
    if (state && folder.Marked(MarkOf(subject, finding))) return finding;
  }
  const auto seen = connection.Integers(look, cancel);
  if (!seen) return seen.error();
  const auto number = [&](std::size_t k) { return seen->rows.at(0).at(k).value_or(Int128{0}); };
  sql::UnitRows found;
  if (number(2) == 0) found = {.most = number(1) == 0 ? 1 : most, .all_have_keys = number(0) == 0};
  if (state) folder.Mark(MarkOf(subject, found));
  return found;
}

}  // namespace kith
