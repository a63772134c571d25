#include "query/one_sided_rows.h"

#include <fmt/format.h>

#include "query/bind/typing.h"
#include "query/bounds.h"
#include "query/emit/emit.h"
#include "query/output/notes.h"
#include "query/parse/parts.h"

namespace kith {
namespace {

Error InPolicy(Error error, const OneSidedAttribute& attribute, const Policy& policy) {
  const std::string line = attribute.line == 0 ? "'" + attribute.name + "'"  // not from the policy
                                               : fmt::format("{}:{}", policy.file.string(), attribute.line);
  error.where = error.where.empty() ? line : fmt::format("{}: {}", line, error.where);
  error.what = fmt::format("the rule for sensitive rows of '{}' cannot be used: {}", attribute.name, error.what);
  return error;
}

// Each row is a record: nothing may be dropped because of other rows of a unit (a row that appears would hide others).
Policy ByRows(const Policy& policy) {
  Policy rows = policy;
  rows.unit.key.reset();
  rows.unit.max_rows = 1;
  return rows;
}

Result<ExprPtr> BindRule(const OneSidedAttribute& attribute, const Policy& rows) {
  auto rule = BindCondition(attribute.sensitive, rows);
  if (!rule) return rule;
  const auto question = AskParts({*rule, {}, {}}, rows);
  if (!question) return question.error();
  // Overflow and the like: no row there can be may make it fail.
  if (const auto bounds = BoundQuestion(*question, rows, question->columns); !bounds) return bounds.error();
  return rule;
}

ExprPtr IsOpen(const ExprPtr& rule) { return MakeExpr(Op::kIsFalse, Type::kBoolean, {rule}); }

Result<Plan> CountsOf(const ExprPtr& where, const std::string& by, const Policy& policy) {
  auto keys = BindKeys(by, policy);
  if (!keys) return keys.error();
  auto question = AskParts({where, {}, std::move(*keys)}, policy);
  return question ? MakePlan(std::move(*question)) : question.error();
}

}  // namespace

Result<Records> PlanRecords(const OneSidedAttribute& attribute, const Policy& policy) {
  const Policy rows = ByRows(policy);
  const Table& table = rows.unit_table();
  const auto rule = BindRule(attribute, rows);
  if (!rule) return InPolicy(rule.error(), attribute, policy);
  const RowTerms terms(table);
  Records records;
  records.rule = CanonicalText(**rule, table);
  const auto question = AskParts({*rule, {}, {}}, rows);
  if (!question) return question.error();
  records.notes = NotesOf(*question, rows);
  std::vector<sql::Item> items;
  for (const std::string& name : attribute.columns) {
    for (std::size_t k = 0; k < table.columns.size(); ++k) {
      if (table.columns[k].name != name) continue;
      items.push_back({terms.Of(*MakeColumn(table, k)), name, true});
      if (table.columns[k].lower && table.columns[k].upper)
        records.notes.push_back({NoteKind::kCut, fmt::format("{} is clamped to its declared bounds", name)});
    }
  }
  records.statement = sql::Selected(
      {.items = std::move(items), .from = sql::Table(table.name, "t"), .where = terms.Condition(*IsOpen(*rule))});
  return records;
}

Result<Plan> PlanOpenCounts(const OneSidedAttribute& attribute, const std::string& by, const Policy& policy) {
  const Policy rows = ByRows(policy);
  const auto rule = BindRule(attribute, rows);
  if (!rule) return InPolicy(rule.error(), attribute, policy);
  return CountsOf(IsOpen(*rule), by, rows);
}

Result<Plan> PlanStateCounts(const std::vector<OneSidedAttribute>& attributes, const std::string& by,
                             const Policy& policy) {
  const Policy rows = ByRows(policy);
  Parts parts;
  for (const OneSidedAttribute& attribute : attributes) {
    const auto rule = BindRule(attribute, rows);
    if (!rule) return InPolicy(rule.error(), attribute, policy);
    parts.keys.push_back(IsOpen(*rule));
  }
  if (!by.empty()) {
    auto keys = BindKeys(by, rows);
    if (!keys) return keys.error();
    for (ExprPtr& key : *keys) parts.keys.push_back(std::move(key));
  }
  auto question = AskParts(parts, rows);
  return question ? MakePlan(std::move(*question)) : question.error();
}

Result<Plan> PlanAllCounts(const std::string& by, const Policy& policy) { return CountsOf(nullptr, by, policy); }

}  // namespace kith
