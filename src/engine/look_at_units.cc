#include "engine/look_at_units.h"

#include <fmt/format.h>

#include <sstream>
#include <utility>
#include <vector>

#include "query/clamps.h"
#include "sql/quote.h"

namespace kith {

namespace {

std::string MarkOf(const std::string& subject, const sql::UnitRows& found) {
  return Sha256(fmt::format("rows of units, {}: {}", found.most ? fmt::format("{}", *found.most) : "unknown", subject));
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
      fmt::format("SELECT count(*) FILTER (WHERE n > 1), count(*) FILTER (WHERE n > {} OR v) FROM (SELECT {} AS k, "
                  "count(*) AS n, {} AS v FROM {} WHERE {} IS NOT NULL GROUP BY 1) AS u",
                  most, key, varies.empty() ? "false" : varies, QuotedName(policy.unit.table), key));
  const std::string subject = fmt::format("{}\n{}", look, state.value_or(""));
  for (const sql::UnitRows& finding : {sql::UnitRows(), sql::UnitRows{.most = 1}, sql::UnitRows{.most = most}}) {
    if (state && folder.Marked(MarkOf(subject, finding))) return finding;
  }
  const auto seen = asking.run(look);
  if (!seen) return seen.error();
  const auto number = [&](std::size_t k) { return seen->rows.at(0).at(k).value_or(Int128{0}); };
  sql::UnitRows found;
  if (number(1) == 0) found.most = number(0) == 0 ? 1 : most;
  if (state) folder.Mark(MarkOf(subject, found));
  return found;
}

namespace {

// This many numbers, as they were remembered; nothing if the text is anything else.
std::optional<std::vector<std::int64_t>> Numbers(const std::optional<std::string>& text, std::size_t count) {
  if (!text || !text->ends_with('\n')) return std::nullopt;
  std::istringstream words(*text);
  std::vector<std::int64_t> numbers;
  for (std::int64_t number = 0; words >> number;) numbers.push_back(number);
  if (!words.eof() || numbers.size() != count) return std::nullopt;
  return numbers;
}

}  // namespace

Result<sql::UnitRows> LookAtColumns(const Asking& asking, const sql::Dialect& dialect, const Policy& policy,
                                    const std::string& state, const KithFolder& folder, sql::UnitRows known) {
  const std::vector<Clamp> clamps = ClampsOf(policy);
  std::vector<sql::Item> items = {{sql::CountRows()}};
  for (const Clamp& clamp : clamps) items.push_back({sql::Where(sql::CountRows(), clamp.changes)});
  const std::string look = asking.over(
      dialect.Write(sql::Selected({.items = std::move(items), .from = sql::Table(policy.unit.table, "t")})));
  const std::string name = Sha256(fmt::format("rows and columns, {}\n{}", look, state));
  auto found = Numbers(folder.Recall(name), clamps.size() + 1);
  if (!found) {
    const auto seen = asking.run(look);
    if (!seen) return seen.error();
    std::string text;
    found.emplace();
    for (const auto& number : seen->rows.at(0)) {
      found->push_back(static_cast<std::int64_t>(number.value()));
      text += fmt::format("{} ", found->back());
    }
    folder.Remember(name, text + "\n");
  }
  known.rows = found->at(0);
  for (std::size_t k = 0; k < clamps.size(); ++k) {
    if (found->at(k + 1) == 0) known.within.insert(clamps[k].name);
  }
  return known;
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
