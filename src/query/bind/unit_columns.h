// Columns that are made of all rows of a unit: how they are bound, and what they can be. Internal to query.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "query/bind/bind.h"
#include "query/per_unit.h"
#include "query/range/range.h"
#include "query/reads.h"

namespace kith {

/// Adds such columns to the table of a sub-select's result, each once.
class UnitColumns {
 public:
  /// `rows`: of the sub-select's source. `result` starts with the unit's table, after which columns are put. All
  /// arguments must outlive this.
  UnitColumns(const Policy& policy, const RowBinder& rows, Table& result, PerUnit& per_unit);
  /// What kind of aggregate a function is; nothing: none.
  static std::optional<UnitAggregate> KindOf(const std::string& function);

  /// The aggregate of a call: its arguments and FILTER.
  Result<UnitColumn> Bind(const PgQuery__FuncCall& call, UnitAggregate kind, const std::string& where) const;
  /// The column of the result that it is. Fails: kUnsupportedQuery, where it has no bounds or could overflow.
  Result<ExprPtr> Add(UnitColumn column, const std::string& where);
  /// Fails if some row could make the expression fail.
  Result<void> CheckNumbers(const ExprPtr& expr);
  /// What is public about a unit is a condition on its row, or on each of them; anything else is one on the rows
  /// before.
  void Divide(const ExprPtr& condition, ExprPtr& of_units);
  /// Made of what everybody knows of a unit; so is nullptr.
  bool IsPublic(const ExprPtr& expr) const;
  bool IsKey(const Expr& expr) const;
  /// A column of the unit's table that has one value for each unit.
  bool IsOneForUnit(const Expr& expr) const;
  /// A column of the unit's table where each unit has at most one row.
  bool IsOfOneRow(const Expr& expr) const;

 private:
  std::string TextOf(const UnitColumn& column) const;
  Result<Column> Declared(UnitColumn& column, const std::string& where) const;
  void SetOwn(UnitColumn& column, Column& declared) const;
  Result<Column> Summed(UnitColumn& column, const Range& value, const std::string& where) const;

  const Policy& policy_;
  const RowBinder& rows_;
  const std::vector<Range> ranges_;
  Table& table_;
  PerUnit& per_unit_;
  Reads reads_;
};

}  // namespace kith
