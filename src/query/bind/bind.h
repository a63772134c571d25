// Names and types: from the syntax tree to the row-level language. Internal to query.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "policy/policy.h"
#include "sql/expr.h"

struct PgQuery__Node;
struct PgQuery__AConst;
struct PgQuery__AExpr;
struct PgQuery__BoolExpr;
struct PgQuery__BooleanTest;
struct PgQuery__CaseExpr;
struct PgQuery__ColumnRef;
struct PgQuery__FuncCall;
struct PgQuery__SelectStmt;
struct PgQuery__TypeCast;

namespace kith {

/// Deeper trees are refused: every later pass walks them recursively.
inline constexpr int kMaxDepth = 200;

struct PerUnit;

/// A public table in addition to the unit table: each row gets the one row of it whose key equals `on`, or NULLs. Or
/// another table of the same units: each row gets all rows that are kept of its unit, or NULLs.
struct TableJoin {
  std::string table;  // in the policy
  std::string owner;  // of its columns: the table's name, or one with a number if it was joined before
  std::string key;
  ExprPtr on;          // over columns of the unit table and of earlier joins
  bool inner = false;  // rows without a match do not count
  ExprPtr key_column;  // NULL where there is no match
  // Set: another table of the units, as the policy declares it; `on` is then the unit's key.
  std::shared_ptr<const Table> of_units = nullptr;
};

/// How many rows a row can be joined with: the product of what is kept of each table of the units.
std::int64_t RowsOfJoins(const std::vector<TableJoin>& joins);
/// Where there are such tables: what is kept of the policy's table is its own (Table::max_rows), and a unit has as many
/// rows as the join can make of them.
void CountJoinedRows(const std::vector<TableJoin>& joins, Policy& policy);

/// What FROM offers: names, each with the expression over the unit table that it means.
struct Scope {
  struct Named {
    std::string name;
    ExprPtr expr;
    std::string table;  // what the question calls its table, where several are joined; empty: the scope's alias
  };
  std::string alias;     // as the question calls it
  bool is_table = true;  // the unit table itself, not a sub-select or a join
  bool has_key = false;  // the unit's key has its name here although it is not declared: rows can be grouped by it
  std::vector<Named> columns;
  ExprPtr where;  // rows that pass it are there; nullptr: all
  std::vector<TableJoin> joins;
  std::shared_ptr<const PerUnit> per_unit;  // set: the rows are those of a sub-select with GROUP BY the unit's key

  bool Joined() const { return !columns.empty() && !columns.front().table.empty(); }
};

/// What aggregates mean in a row that is made of many.
class AggregateBinder {
 public:
  virtual ~AggregateBinder() = default;
  /// Nothing: the function is not an aggregate.
  virtual std::optional<Result<ExprPtr>> Bind(const PgQuery__FuncCall& call) = 0;
};

/// Binds what is computed for each row: conditions and the arguments of aggregates.
class RowBinder {
 public:
  /// All arguments must outlive the binder. Without `aggregates` there are none in a row.
  RowBinder(const std::string& sql, const Table& table, const Scope& scope, AggregateBinder* aggregates = nullptr)
      : sql_(sql), table_(table), scope_(scope), aggregates_(aggregates) {}

  /// Fails: also if all that was bound so far is too large when written out, before anything else is done with it.
  Result<ExprPtr> Bind(const PgQuery__Node& node) const;
  /// A condition: as Bind, and it must be a truth value.
  Result<ExprPtr> BindCondition(const PgQuery__Node& node) const;
  /// What a reference names. Fails: kUnsupportedQuery with the names there are.
  Result<ExprPtr> Resolve(const PgQuery__ColumnRef& reference) const;
  /// Only the name: "id" of id or t.id; fails for t.* and for tables that are not in FROM.
  Result<std::string> NameOf(const PgQuery__ColumnRef& reference) const;

  const Table& table() const { return table_; }
  const Scope& scope() const { return scope_; }
  /// A piece of the question's text, for messages.
  std::string At(int location) const;

 private:
  Result<ExprPtr> Bind(const PgQuery__Node& node, int depth) const;
  Result<std::vector<ExprPtr>> BindAll(PgQuery__Node* const* nodes, std::size_t count, int depth) const;
  Result<ExprPtr> BindConstant(const PgQuery__AConst& constant) const;
  Result<ExprPtr> BindOperator(const PgQuery__AExpr& expr, int depth) const;
  Result<ExprPtr> BindSign(const PgQuery__AExpr& expr, int depth) const;
  Result<ExprPtr> BindList(const PgQuery__AExpr& expr, int depth) const;
  Result<ExprPtr> BindLike(const PgQuery__AExpr& expr, int depth) const;
  Result<ExprPtr> BindBoolean(const PgQuery__BoolExpr& expr, int depth) const;
  Result<ExprPtr> BindTruthTest(const PgQuery__BooleanTest& test, int depth) const;
  Result<ExprPtr> BindCase(const PgQuery__CaseExpr& expr, int depth) const;
  Result<ExprPtr> BindFunction(const PgQuery__FuncCall& call, int depth) const;
  Result<ExprPtr> BindAge(const PgQuery__FuncCall& age, int depth) const;
  Result<ExprPtr> BindCast(const PgQuery__TypeCast& cast, int depth) const;

  const std::string& sql_;
  const Table& table_;
  const Scope& scope_;
  AggregateBinder* const aggregates_;
  mutable std::size_t nodes_ = 0;  // of all that was bound
};

/// FROM and WITH of a SELECT: the unit table, or sub-selects over it that only project and filter, put in place.
/// `table` starts as the unit table and gets the columns of joined tables. Fails: kUnsupportedQuery,
/// kInvalidArgument; `asks_for` is then the table of units (Policy::units_table) or another table of the units, if one
/// was named.
Result<Scope> BindFrom(const std::string& sql, const PgQuery__SelectStmt& select, const Policy& policy, Table& table,
                       std::string* asks_for = nullptr);
/// Parts of SELECT that kith has no answer for. `per_unit`: HAVING is a condition on one unit's row.
std::optional<Error> UnsupportedClause(const PgQuery__SelectStmt& select, bool per_unit = false);
/// Whether a row of the joined table was found.
ExprPtr Matches(const TableJoin& join);

/// How large an expression is when it is written out. Counts no further than the limits on it need.
struct Weight {
  static constexpr std::size_t kMostNodes = 40000;  // of a whole question
  std::size_t nodes = 0;
  int depth = 0;
  bool TooLarge() const { return nodes > kMostNodes || depth > kMaxDepth; }
};
Weight WeightOf(const Expr& expr);
/// The refusal of what is too large.
Error GrowsTooLarge();

/// The name of a function or operator; empty if it is qualified with a schema other than pg_catalog.
std::string PlainName(PgQuery__Node* const* parts, std::size_t count);
/// A whole-number constant; nothing otherwise.
std::optional<std::int64_t> WholeConstant(const PgQuery__Node& node);

/// Refusals that say how to ask instead.
Error RefuseFunction(const std::string& name, const std::string& where);
Error RefuseNode(const PgQuery__Node& node, const std::string& where);
bool IsAggregate(const std::string& function);

}  // namespace kith
