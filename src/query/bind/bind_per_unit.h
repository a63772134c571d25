// Sub-selects that GROUP BY the unit's key. Internal to query.
#pragma once
#include "query/bind/bind.h"

struct PgQuery__SelectStmt;
struct PgQuery__WindowDef;

namespace kith {

class UnitColumns;
struct UnitColumn;

/// True if the sub-select makes one row of several.
bool GroupsRows(const PgQuery__SelectStmt& select);

/// Binds a sub-select over `inner`. On success `table` becomes the table of its result, with one row for each unit,
/// over which the scope's expressions are, and the scope's per_unit says how it is made. Ensures [UNIT-1]: each unit
/// has at most one row there, a function of its own kept rows; columns that are public are as they were. Fails:
/// kUnsupportedQuery, kInvalidArgument.
Result<Scope> BindPerUnit(const std::string& sql, const PgQuery__SelectStmt& select, const Policy& policy,
                          const Scope& inner, Table& table);

/// Windows in the columns of a sub-select over `inner`.
class Windows final : public AggregateBinder {
 public:
  /// All arguments must outlive it.
  Windows(const std::string& sql, const Policy& policy, const Scope& inner, const Table& table);
  ~Windows() override;

  std::optional<Result<ExprPtr>> Bind(const PgQuery__FuncCall& call) override;
  /// When all columns are bound: if there are windows, `scope` and `table` become those of their result.
  /// Ensures [UNIT-2]: each unit has as many rows there as it has rows that pass the condition, at most max_rows, and
  /// each is a function of the unit's own kept rows; columns that are public are as they were.
  Result<void> Finish(Scope& scope, Table& table);

 private:
  std::string Key() const;
  std::optional<Error> Refused(const std::string& where) const;
  Result<UnitColumn> ColumnOf(const PgQuery__FuncCall& call, const std::string& name, const std::string& where) const;
  Result<void> BindOver(const PgQuery__WindowDef& over, const std::string& where, UnitColumn& column) const;

  const Policy& policy_;
  const Scope& inner_;
  const RowBinder rows_;
  Table table_;
  std::unique_ptr<PerUnit> per_unit_;
  std::unique_ptr<UnitColumns> columns_;
};

}  // namespace kith
