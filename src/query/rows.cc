#include "query/rows.h"

#include <fmt/format.h>

#include "query/bounds.h"
#include "query/emit.h"
#include "query/notes.h"
#include "query/question.h"

namespace kith {
namespace {

// The question whose bounds are those of the rows: how many there are, and the sum of each value.
std::string QuestionOf(const std::vector<std::string>& values, const std::string& where, const Policy& policy) {
  std::string sums, not_null;
  for (const std::string& value : values) {
    sums += fmt::format(", sum({})", value);
    not_null += fmt::format("{}({}) IS NOT NULL", not_null.empty() ? "" : " AND ", value);
  }
  const std::string condition = where.empty() ? not_null : fmt::format("({}) AND {}", where, not_null);
  return fmt::format("SELECT count(*){} FROM {} WHERE {}", sums, IdentifierText(policy.unit.table), condition);
}

// Texts are put together before they are parsed: what they make must be the question above and nothing more.
bool IsPlain(const Question& question, std::size_t values) {
  bool sums = question.counters.size() == values + 1;
  for (std::size_t k = 0; sums && k <= values; ++k) {
    const Counter& counter = question.counters[k];
    sums = counter.kind == (k == 0 ? CounterKind::kRows : CounterKind::kSum) && !counter.filter;
  }
  return sums && question.joins.empty() && question.keys.empty() && question.order_by.empty() && !question.limit &&
         question.offset == 0 && question.where;
}

std::string WriteRows(const Question& question, const Bounds& bounds, const Policy& policy, RowsOfUnit which,
                      Dialect dialect) {
  const ExprWriter exprs(policy.unit_table(), dialect);
  std::string steps, whole;
  for (std::size_t k = 1; k < question.counters.size(); ++k) {
    const Expr& value = *question.counters[k].value;
    const std::string name = fmt::format("v{}", k - 1), comma = k == 1 ? "" : ", ";
    steps += fmt::format("{}{} AS {}", comma, exprs.WriteSteps(value, bounds.counters[k]), name);
    whole += fmt::format("{}{} AS {}", comma, exprs.WriteWhole(name, value, bounds.counters[k]), name);
  }
  if (policy.unit.key) {
    steps += fmt::format(", t.{} AS u", QuotedName(*policy.unit.key));
    whole += ", u";
  }
  const bool kept = policy.unit.key && which == RowsOfUnit::kKept;
  const std::string source = kept ? KeptRows(question, policy, dialect) : UnitRows(policy) + " AS t";
  const std::string has_key =
      policy.unit.key && !kept ? fmt::format("t.{} IS NOT NULL AND ", QuotedName(*policy.unit.key)) : "";
  return fmt::format("SELECT {} FROM (SELECT {} FROM {} WHERE {}({})) AS r", whole, steps, source, has_key,
                     exprs.WriteCondition(*question.where));
}

}  // namespace

Result<RowCondition> PlanCondition(const std::string& where, const Policy& policy) {
  if (where.size() > kMaxQuestionBytes)
    return InvalidArgument(fmt::format("the condition is longer than {} bytes", kMaxQuestionBytes), {}, "shorten it");
  Policy rows = policy;  // for names and types alone
  rows.unit.key.reset();
  rows.unit.other_key.reset();
  const std::string sql = fmt::format("SELECT count(*) FROM {} WHERE ({})", IdentifierText(policy.unit.table), where);
  const auto question = BindQuestion(sql, rows, 2 * kMaxQuestionBytes);
  if (!question) return question.error();
  if (!IsPlain(*question, 0)) {
    return InvalidArgument("this is not one condition", {}, "write it as it stands behind WHERE, such as \"age > 17\"");
  }
  const ExprWriter duckdb(policy.unit_table(), Dialect::kDuckDb), postgresql(policy.unit_table(), Dialect::kPostgreSql);
  return RowCondition{question->normalised, duckdb.WriteCondition(*question->where),
                      postgresql.WriteCondition(*question->where)};
}

Result<Rows> PlanRows(const std::vector<std::string>& values, const std::string& where, const Policy& policy,
                      RowsOfUnit which) {
  // A person's condition has a person's limit; what is made of it names every column three times.
  if (where.size() > kMaxQuestionBytes)
    return InvalidArgument(fmt::format("the condition is longer than {} bytes", kMaxQuestionBytes), {}, "shorten it");
  const auto question = BindQuestion(QuestionOf(values, where, policy), policy, 8 * kMaxQuestionBytes);
  if (!question) return question.error();
  if (!IsPlain(*question, values.size())) {
    return InvalidArgument("the condition or a column is not one expression, or a column is named twice", {},
                           "write a condition as it stands behind WHERE, such as \"age > 17\"");
  }
  const auto bounds = BoundQuestion(*question, policy, question->columns);
  if (!bounds) return bounds.error();
  Rows rows;
  for (std::size_t k = 1; k < question->counters.size(); ++k) {
    const BoundedCounter& bounded = bounds->counters[k];
    rows.values.push_back({values[k - 1], bounded.lattice, bounded.low, bounded.high});
  }
  rows.max_rows = policy.unit.max_rows;
  rows.charged = bounds->charged;
  rows.normalised = question->normalised;
  rows.notes = NotesOf(*question, policy);
  rows.duckdb_sql = WriteRows(*question, *bounds, policy, which, Dialect::kDuckDb);
  rows.postgresql_sql = WriteRows(*question, *bounds, policy, which, Dialect::kPostgreSql);
  return rows;
}

}  // namespace kith
