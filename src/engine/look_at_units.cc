#include "engine/look_at_units.h"

#include <fmt/format.h>

#include <vector>

#include "sql/quote.h"

namespace kith {

namespace {

std::string MarkOf(const std::string& subject, const sql::UnitRows& found) {
  return Sha256(fmt::format("rows of units, {}, {}: {}", found.most ? fmt::format("{}", *found.most) : "unknown",
                            found.all_have_keys ? "keys" : "some keys", subject));
}

}  // namespace

Result<sql::UnitRows> LookAtUnits(const Asking& asking, const Policy& policy, const std::optional<std::string>& state,
                                  const KithFolder& folder) {
  if (!policy.unit.key || policy.unit.other_key) return sql::UnitRows{};
  std::string varies;
  for (const Column& column : policy.unit_table().columns) {
    if (column.constant) varies += (varies.empty() ? "" : " OR ") + Varies(column.name, asking.ends);
  }
  const std::int64_t most = policy.unit.max_rows;
  const std::string key = QuotedName(*policy.unit.key);
  const std::string look = asking.over(
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
  const auto seen = asking.run(look);
  if (!seen) return seen.error();
  const auto number = [&](std::size_t k) { return seen->rows.at(0).at(k).value_or(Int128{0}); };
  sql::UnitRows found;
  if (number(2) == 0) found = {.most = number(1) == 0 ? 1 : most, .all_have_keys = number(0) == 0};
  if (state) folder.Mark(MarkOf(subject, found));
  return found;
}

Result<void> CheckPromises(const Asking& asking, const Policy& policy, const sql::UnitRows& known,
                           const std::optional<std::string>& state, const KithFolder& folder) {
  for (const Promise& promise : PromisesOf(policy, asking.ends)) {
    if (promise.within_unit && known.most == 1) continue;  // one row does not differ from itself
    const std::string sql = asking.over(promise.sql);
    const auto check = [&]() -> Result<void> {
      const auto against = asking.run(sql);
      if (!against) return against.error();
      if (against->rows.at(0).at(0) != Int128{0}) return promise.broken;
      return {};
    };
    auto kept = state ? Once(folder, "promise " + sql + "\n" + *state, check) : check();
    if (!kept) return kept.error();
  }
  return {};
}

}  // namespace kith
