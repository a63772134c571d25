// From a bounded question to one SQL statement for an engine. Every function that is written is total by itself: no row
// can make it fail, in whatever order an engine evaluates (claim PLAN-1). Internal to query.
#pragma once
#include <optional>
#include <string>

#include "policy/policy.h"
#include "query/bounds.h"
#include "query/plan.h"
#include "query/question.h"

namespace kith {

/// Writes row-level expressions in an engine's dialect.
class ExprWriter {
 public:
  ExprWriter(const Table& table, Dialect dialect) : table_(table), dialect_(dialect) {}

  /// The expression, in parentheses where they are needed to stand inside another.
  std::string Write(const Expr& expr) const;
  /// True exactly where the condition is true; false or NULL elsewhere. Shorter than Write where columns are compared.
  std::string WriteCondition(const Expr& expr) const;
  /// What rows are grouped by: a column as it is stored, or the value of an expression.
  std::string WriteKey(const Key& key) const;
  /// The position of a key's value in its list (NULL last), never NULL. `value`: where WriteKey's is found.
  std::string WriteKeyIndex(const Key& key, const std::string& value) const;
  /// What a row adds to a sum, in steps, or NULL: not yet whole in PostgreSQL where the value is real.
  std::string WriteSteps(const Expr& value, const BoundedCounter& bounded) const;
  /// The same, whole and within the counter's bounds; `steps` names the column where WriteSteps was put.
  std::string WriteWhole(const std::string& steps, const Expr& value, const BoundedCounter& bounded) const;
  /// A column as it is stored: t."name", where t is the source of rows.
  std::string Raw(std::size_t column) const;

 private:
  std::string Constant(const Value& value, Type type) const;
  std::string Literal(const Value& value, Type type) const;
  std::string TextConstant(const std::string& text) const;
  std::string Read(std::size_t column) const;
  std::string ReadReal(std::size_t column, bool flush) const;
  std::string ReadListed(std::size_t column) const;
  std::string ReadBounded(std::size_t column) const;
  std::string WriteListedCondition(const Expr& condition, std::size_t column) const;
  std::optional<std::string> WriteBoundedCondition(const Expr& condition) const;
  std::string WriteNotNull(const Expr& expr) const;
  std::string WriteNotNullColumn(std::size_t column) const;
  std::string WriteCase(const Expr& expr) const;
  std::string WriteLike(const Expr& expr) const;
  std::string WriteDatePart(const Expr& expr) const;
  std::string WriteDateTrunc(const Expr& expr) const;
  std::string WriteBucket(const Expr& expr) const;
  std::string WriteCast(const Expr& expr) const;
  std::string WriteRound(const Expr& expr) const;
  std::string WriteLinear(const Expr& expr) const;
  std::optional<std::string> WriteStepsCall(const Expr& value, const BoundedCounter& bounded) const;
  bool IsBareReal(const Expr& value) const;
  bool IsShiftedReal(const Expr& value) const;
  const char* WholeType(const BoundedCounter& bounded) const;
  bool duckdb() const { return dialect_ == Dialect::kDuckDb; }

  const Table& table_;
  Dialect dialect_;
};

/// One row for each group that is not empty: key indexes, then one integer for each counter.
std::string WriteSql(const Question& question, const Bounds& bounds, const Policy& policy, Dialect dialect);

/// The unit's table; of a stream, the rows of the question's step.
std::string UnitRows(const Question& question, const Policy& policy);
/// " LEFT JOIN ..." for each joined table, behind the source of rows.
std::string JoinClauses(const Question& question, const ExprWriter& exprs);

/// A number that depends on the declared columns of a row of t alone.
std::string RowHash(const Policy& policy, Dialect dialect);
/// The columns that the question uses, of the rows that are kept: a source of rows, named t.
std::string KeptRows(const Question& question, const Policy& policy, Dialect dialect);
/// WriteSql for DuckDB and units with a key; nothing if what a row adds does not fit into one integer.
std::optional<std::string> WritePackedSql(const Question& question, const Bounds& bounds, const Policy& policy);

/// "name", with quotes doubled.
std::string QuotedName(const std::string& name);

}  // namespace kith
