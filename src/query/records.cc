#include "query/records.h"

#include <fmt/format.h>

#include "query/bounds.h"
#include "query/emit.h"
#include "query/notes.h"
#include "query/question.h"
#include "query/typing.h"

namespace kith {
namespace {

Error InPolicy(Error error, const OneSidedAttribute& attribute, const Policy& policy) {
  const std::string line = fmt::format("{}:{}", policy.file.string(), attribute.line);
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

std::string Asking(const std::string& condition, const Policy& policy) {
  return fmt::format("SELECT count(*) FROM {} WHERE {}", IdentifierText(policy.unit.table), condition);
}

// The text stood behind WHERE: it must have been a condition and nothing more.
bool IsPlain(const Question& question) {
  const bool counts = question.counters.size() == 1 && question.counters[0].kind == CounterKind::kRows &&
                      !question.counters[0].filter && !question.counters[0].value;
  return counts && question.where && question.keys.empty() && question.order_by.empty() && !question.limit &&
         question.offset == 0;
}

Result<Question> BindRule(const OneSidedAttribute& attribute, const Policy& rows) {
  auto question = BindQuestion(Asking(attribute.sensitive, rows), rows, kMaxQuestionBytes);
  if (!question) return question;
  if (!IsPlain(*question))
    return InvalidArgument("it is more than a condition", {}, "write it as it stands behind WHERE: \"age < 18\"");
  // Overflow and the like: no row there can be may make it fail.
  if (const auto bounds = BoundQuestion(*question, rows, question->columns); !bounds) return bounds.error();
  return question;
}

/// `by` stands last, so that it can add nothing to what is counted.
Result<Plan> GroupedBy(const std::string& question, const std::string& by, const Policy& policy) {
  auto plan = PlanQuestion(fmt::format("{} GROUP BY {}", question, by), policy);
  if (!plan) return plan;
  if (plan->statistics.size() != 1 || plan->keys.empty() || !plan->levels.empty() || !plan->order_by.empty() ||
      plan->limit || plan->offset > 0)
    return InvalidArgument("what to group by is more than columns or expressions", {},
                           "write it as it stands behind GROUP BY, such as \"hour\" or width_bucket(x, 0, 100, 10)");
  return plan;
}

}  // namespace

Result<Records> PlanRecords(const OneSidedAttribute& attribute, const Policy& policy) {
  const Policy rows = ByRows(policy);
  const Table& table = rows.unit_table();
  const auto question = BindRule(attribute, rows);
  if (!question) return InPolicy(question.error(), attribute, policy);
  const ExprWriter exprs(table, Dialect::kDuckDb);
  Records records;
  records.rule = CanonicalText(*question->where, table);
  records.notes = NotesOf(*question, rows);
  records.open = exprs.WriteCondition(*MakeExpr(Op::kIsFalse, Type::kBoolean, {question->where}));
  std::string list;
  for (const std::string& name : attribute.columns) {
    for (std::size_t k = 0; k < table.columns.size(); ++k) {
      if (table.columns[k].name != name) continue;
      list += fmt::format("{}{} AS {}", list.empty() ? "" : ", ", exprs.Write(*MakeColumn(table, k)), QuotedName(name));
      if (table.columns[k].lower && table.columns[k].upper)
        records.notes.push_back(fmt::format("{} is cut to its declared bounds", name));
    }
  }
  records.duckdb_sql = fmt::format("SELECT {} FROM {} AS t WHERE {}", list, QuotedName(table.name), records.open);
  return records;
}

Result<Plan> PlanOpenCounts(const OneSidedAttribute& attribute, const std::string& by, const Policy& policy) {
  const Policy rows = ByRows(policy);
  if (const auto rule = BindRule(attribute, rows); !rule) return InPolicy(rule.error(), attribute, policy);
  // The rule was parsed by itself before, so that parentheses around it hold it together.
  const std::string condition = fmt::format("({}) IS FALSE", attribute.sensitive);
  return GroupedBy(Asking(condition, rows), by, rows);
}

Result<Plan> PlanAllCounts(const std::string& by, const Policy& policy) {
  return GroupedBy(fmt::format("SELECT count(*) FROM {}", IdentifierText(policy.unit.table)), by, policy);
}

}  // namespace kith
