#include "query/rows.h"

#include <fmt/format.h>

#include "query/bounds.h"
#include "query/emit/emit.h"
#include "query/output/notes.h"
#include "query/parse/parts.h"

namespace kith {
namespace {

constexpr std::size_t kMaxValueBytes = 8 * kMaxQuestionBytes;

Result<void> CheckCondition(const std::string& where) {
  if (where.size() <= kMaxQuestionBytes) return {};
  return InvalidArgument(fmt::format("the condition is longer than {} bytes", kMaxQuestionBytes), {}, "shorten it");
}

std::string WriteRows(const Question& question, const Bounds& bounds, const Policy& policy, RowsOfUnit which,
                      Dialect dialect) {
  const ExprWriter exprs(policy.unit_table(), dialect);
  std::string steps, whole, not_null;
  for (std::size_t k = 1; k < question.counters.size(); ++k) {
    const Expr& value = *question.counters[k].value;
    const std::string name = fmt::format("v{}", k - 1), comma = k == 1 ? "" : ", ";
    steps += fmt::format("{}{} AS {}", comma, exprs.WriteSteps(value, bounds.counters[k]), name);
    whole += fmt::format("{}{} AS {}", comma, exprs.WriteWhole(name, value, bounds.counters[k]), name);
    not_null += fmt::format("{}{} IS NOT NULL", k == 1 ? "" : " AND ", name);
  }
  if (policy.unit.key) {
    steps += fmt::format(", t.{} AS u", QuotedName(*policy.unit.key));
    whole += ", u";
  }
  const bool kept = policy.unit.key && which == RowsOfUnit::kKept;
  const std::string source = kept ? KeptRows(question, policy, dialect) : UnitRows(question, policy) + " AS t";
  const std::string has_key =
      policy.unit.key && !kept ? fmt::format("t.{} IS NOT NULL AND ", QuotedName(*policy.unit.key)) : "";
  // The condition leaves rows with NULL out, by what was bound. The test around the whole statement does not rest on
  // it: whatever a row holds and however an engine computes, a scan meets no NULL.
  return fmt::format("SELECT * FROM (SELECT {} FROM (SELECT {} FROM {} WHERE {}({})) AS r) AS n WHERE {}", whole, steps,
                     source, has_key, exprs.WriteCondition(*question.where), not_null);
}

}  // namespace

Result<RowCondition> PlanCondition(const std::string& where, const Policy& policy) {
  if (const auto checked = CheckCondition(where); !checked) return checked.error();
  Policy rows = policy;  // for names and types alone
  rows.unit.key.reset();
  rows.unit.other_key.reset();
  const auto condition = BindCondition(where, rows);
  if (!condition) return condition.error();
  const auto question = AskParts({*condition, {}, {}}, rows);
  if (!question) return question.error();
  // Overflow and the like: no row there can be may make it fail.
  if (const auto bounds = BoundQuestion(*question, rows, question->columns); !bounds) return bounds.error();
  const ExprWriter duckdb(policy.unit_table(), Dialect::kDuckDb), postgresql(policy.unit_table(), Dialect::kPostgreSql);
  return RowCondition{question->normalised, duckdb.WriteCondition(**condition), postgresql.WriteCondition(**condition)};
}

Result<Rows> PlanRows(const std::vector<std::string>& values, const std::string& where, const Policy& policy,
                      RowsOfUnit which) {
  if (const auto checked = CheckCondition(where); !checked) return checked.error();
  Parts parts;
  if (!where.empty()) {
    auto condition = BindCondition(where, policy);
    if (!condition) return condition.error();
    parts.where = std::move(*condition);
  }
  for (const std::string& text : values) {
    // An analysis may write a long one: a number for each declared value of a column.
    auto value = BindExpression(text, policy, kMaxValueBytes);
    if (!value) return value.error();
    parts.sums.push_back(std::move(*value));
  }
  const auto question = AskParts(parts, policy);
  if (!question) return question.error();
  const auto bounds = BoundQuestion(*question, policy, question->columns);
  if (!bounds) return bounds.error();
  Rows rows;
  for (std::size_t k = 1; k < question->counters.size(); ++k) {
    const BoundedCounter& bounded = bounds->counters[k];
    rows.values.push_back({values[k - 1], bounded.lattice, bounded.low, bounded.high});
  }
  rows.max_rows = policy.unit.max_rows;
  rows.charged = bounds->charged;
  rows.count_is_public = bounds->counters[0].change.IsNone();
  rows.normalised = question->normalised;
  rows.notes = NotesOf(*question, policy);
  rows.duckdb_sql = WriteRows(*question, *bounds, policy, which, Dialect::kDuckDb);
  rows.postgresql_sql = WriteRows(*question, *bounds, policy, which, Dialect::kPostgreSql);
  return rows;
}

}  // namespace kith
