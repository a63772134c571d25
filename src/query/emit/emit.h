// From a bounded question to one statement for an engine. Every term that is made is total on its own: no row can make
// it fail, in whatever order an engine evaluates (claim PLAN-1). Internal to query.
#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "policy/policy.h"
#include "query/bounds.h"
#include "query/plan.h"
#include "query/question.h"
#include "sql/statement.h"

namespace kith {

/// Row-level expressions as terms over the columns of t, the source of rows.
class RowTerms {
 public:
  /// `of_unit`: rows are those of the unit's table itself, not of something made of them.
  explicit RowTerms(const Table& table, bool of_unit = false) : table_(table), of_unit_(of_unit) {}

  /// The expression, in parentheses where they are needed inside another.
  sql::Term Of(const Expr& expr) const;
  /// True exactly where the condition is true; false or NULL elsewhere. Shorter than Of where columns are compared.
  sql::Term Condition(const Expr& expr) const;
  /// What rows are grouped by: a column as it is stored, or the value of an expression.
  sql::Term KeyOf(const Key& key) const;
  /// The position of a key's value in its list (NULL last), never NULL. `value`: where KeyOf's is found.
  sql::Term KeyIndex(const Key& key, const sql::Term& value) const;
  /// What a row adds to a sum, in steps, or NULL: not yet whole in some dialects where the value is real.
  sql::Term Steps(const Expr& value, const BoundedCounter& bounded) const;
  /// The same, whole and within the counter's bounds; `steps` names the column where Steps was put.
  sql::Term Whole(sql::Term steps, const Expr& value, const BoundedCounter& bounded) const;
  /// A column as it is stored, t."name"; text is compared by its bytes.
  sql::Term Raw(std::size_t column) const;
  const Table& table() const { return table_; }

 private:
  sql::Term AsStored(std::size_t column) const;
  sql::Term Read(std::size_t column) const;
  sql::Term ReadReal(std::size_t column, bool flush) const;
  sql::Term ReadListed(std::size_t column) const;
  sql::Term ReadBounded(std::size_t column) const;
  sql::Term ListedCondition(const Expr& condition, std::size_t column) const;  // null: a range is open there
  sql::Term BoundedCondition(const Expr& condition) const;
  sql::Term NotNull(const Expr& expr) const;
  sql::Term NotNullColumn(std::size_t column) const;
  sql::Term DatePartOf(const Expr& expr) const;
  sql::Term Bucket(const Expr& expr) const;
  sql::Term CastOf(const Expr& expr) const;
  sql::Term Round(const Expr& expr) const;
  sql::Term OnCurve(const Expr& expr) const;
  sql::Term Power(const Expr& expr) const;
  sql::Term Linear(const Expr& expr) const;
  sql::Term StepsCall(const Expr& value, const sql::Term& term, const BoundedCounter& bounded) const;
  bool IsBareReal(const Expr& value) const;
  bool IsShiftedReal(const Expr& value) const;

  const Table& table_;
  const bool of_unit_;
};

/// One row for each group that is not empty: key indexes, then one integer for each counter.
sql::Statement StatementOf(const Question& question, const Bounds& bounds, const Policy& policy);

/// The unit's table under this name; of a stream, the rows of the question's step.
sql::Source UnitRows(const Question& question, const Policy& policy, std::string name);
/// The rows of a sub-select with one row for each unit, named likewise: its key, and the columns that the question
/// uses.
sql::Source RowsPerUnit(const Question& question, const Policy& policy, std::string name);
/// Columns of the unit table that a question uses, by their place.
std::set<std::size_t> UsedColumns(const Question& question);
/// A left join for each joined table, after the source of rows.
std::vector<sql::Join> JoinsOf(const Question& question, const RowTerms& rows);
/// The rows that are kept of another table of the units, with its key and the columns that the question uses. `joined`:
/// the table of the question, with the columns of joined tables. Ensures [TABLES-2]: at most max_rows of that table for
/// each unit, chosen only by the unit's own rows in it.
sql::Statement KeptRowsOf(const Question& question, const TableJoin& join, const Table& joined);

/// The rows that are kept, named t: of units with a key, the columns that the question uses, where constant columns are
/// those of the unit's first row; otherwise UnitRows.
sql::Source KeptRows(const Question& question, const Policy& policy);
/// The same for all rows with a key. Requires: units have a key.
sql::Source RowsWithKey(const Question& question, const Policy& policy);

/// A number or text that depends only on the declared columns of a row of t.
sql::Term RowHash(const Policy& policy);
/// The unit's key as a column of t. Requires: units have one.
sql::Term UnitKey(const Policy& policy);

}  // namespace kith
