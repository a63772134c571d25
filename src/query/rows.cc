#include "query/rows.h"

#include <fmt/format.h>

#include "policy/per_row.h"
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

sql::Source RowsOf(const Question& question, const Policy& policy, RowsOfUnit which, const std::string& group) {
  if (!policy.unit.key) return KeptRows(question, policy);
  Policy grouped = policy;
  if (!group.empty()) {  // the rows keep the column that names the outer unit
    grouped.unit.level = UnitLevel::kHousehold;
    grouped.unit.within = group;
  }
  return which == RowsOfUnit::kKept ? KeptRows(question, grouped) : RowsWithKey(question, grouped);
}

sql::Statement StatementOf(const Question& question, const Bounds& bounds, const Policy& policy, RowsOfUnit which,
                           const std::string& group) {
  const RowTerms terms(policy.unit_table());
  std::vector<sql::Item> steps, whole;
  sql::Terms not_null;
  for (std::size_t k = 1; k < question.counters.size(); ++k) {
    const Expr& value = *question.counters[k].value;
    const std::string name = fmt::format("v{}", k - 1);
    steps.push_back({terms.Steps(value, bounds.counters[k]), name});
    whole.push_back({terms.Whole(sql::Name(name), value, bounds.counters[k]), name});
    not_null.push_back(sql::IsNotNull(sql::Name(name)));
  }
  if (policy.unit.key) {
    steps.push_back({UnitKey(policy), "u"});
    whole.push_back({sql::Name("u")});
  }
  if (!group.empty()) {
    steps.push_back({sql::Column("t", group), "h"});
    whole.push_back({sql::Name("h")});
  }
  const auto in_steps = sql::Selected({.items = std::move(steps),
                                       .from = RowsOf(question, policy, which, group),
                                       .where = sql::Paren(terms.Condition(*question.where))});
  const auto in_whole = sql::Selected({.items = std::move(whole), .from = sql::Rows(in_steps, "r")});
  // The condition leaves rows with NULL out, by what was bound. The test around the whole statement does not rest on
  // it: whatever a row holds and however an engine computes, a scan meets no NULL.
  return sql::Selected({.items = {{sql::Star()}}, .from = sql::Rows(in_whole, "n"), .where = sql::All(not_null)});
}

}  // namespace

sql::Statement Rows::Values() const {
  std::vector<sql::Item> items;
  for (std::size_t k = 0; k < values.size(); ++k) items.push_back({sql::Name(fmt::format("v{}", k))});
  return sql::Selected({.items = std::move(items), .from = sql::Rows(statement, "s")});
}

Result<RowCondition> PlanCondition(const std::string& where, const Policy& policy) {
  if (const auto checked = CheckCondition(where); !checked) return checked.error();
  Policy rows = policy;  // only for names and types
  rows.unit.key.reset();
  rows.unit.other_key.reset();
  const auto condition = BindCondition(where, rows);
  if (!condition) return condition.error();
  const auto question = AskParts({*condition, {}, {}}, rows);
  if (!question) return question.error();
  // Overflow and the like: no row there can be may make it fail.
  if (const auto bounds = BoundQuestion(*question, rows, question->columns); !bounds) return bounds.error();
  return RowCondition{question->normalised, RowTerms(policy.unit_table()).Condition(**condition)};
}

Result<Rows> PlanRows(const std::vector<std::string>& values, const std::string& where, const Policy& policy,
                      RowsOfUnit which, const std::string& group) {
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
  rows.charged = OfWholeUnits(policy, bounds->charged);
  rows.count_is_public = policy.unit.max_rows == 1 && bounds->counters[0].change.IsNone();
  rows.normalised = question->normalised;
  rows.notes = NotesOf(*question, policy);
  rows.statement = StatementOf(*question, *bounds, policy, which, group);
  return rows;
}

}  // namespace kith
