// Sub-selects whose columns are made of all rows of a unit. With GROUP BY the unit's key each unit's rows become one
// row: to the rest of a question that is a unit table with max_rows 1. With windows over the unit's key there are as
// many rows as before, each with what the others say. With GROUP BY public columns of the unit (its household) all rows
// of a group become one row. Internal to query. Claims: claims/per_unit.md, claims/per_group.md
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/int128.h"
#include "loss/loss.h"
#include "policy/policy.h"
#include "query/bind/bind.h"
#include "sql/expr.h"

namespace kith {

enum class UnitAggregate {
  kCount,     // of rows, or of values that are not NULL
  kDistinct,  // of different values that are not NULL
  kSum,       // on a lattice: no order of rows makes a difference
  kAverage,   // of such a sum
  kMin,
  kMax,
  kAny,     // bool_or
  kAll,     // bool_and
  kFirst,   // the value where `by` is least: arg_min. Rows where either is NULL are left out
  kLast,    // where it is largest: arg_max
  kMedian,  // the value in the middle, or half of the sum of the two there: as a real number
  // Only of windows, by the order of the window.
  kRowNumber,
  kLag,   // the value in the row that many places before
  kLead,  // or after
  kFirstValue,
};

/// ORDER BY x [DESC] of a window: NULL counts as the largest value.
struct WindowOrder {
  ExprPtr by;
  bool descending = false;
};

/// One aggregate over the rows of a unit, as a column of the unit's row.
struct UnitColumn {
  UnitAggregate kind = UnitAggregate::kCount;
  ExprPtr value;   // nullptr: count(*)
  ExprPtr by;      // kFirst, kLast; kMedian: the value itself
  ExprPtr filter;  // nullptr: all rows
  // Of a window: of all rows up to this one in that order, or of all rows where there is none.
  std::vector<WindowOrder> order;
  std::int64_t offset = 1;  // kLag, kLead
  // kSum, kAverage: what a row adds, in steps.
  Lattice lattice;
  Int128 low = 0, high = 0;
  // In a row of a group: by how much one unit can change it, in steps of the lattice, while the row is there before and
  // after. No value before or after counts as 0. Nothing: by anything [GROUP-2].
  std::optional<Int128> own = std::nullopt;
  std::string text;  // canonical

  bool Ordered() const { return by != nullptr || !order.empty(); }
};

struct PerUnit {
  // Whose rows: the unit's table followed by joined columns, as the sub-select sees it.
  std::shared_ptr<const Policy> policy;
  std::shared_ptr<const PerUnit> rows;  // set: that table is itself made, by windows
  bool windows = false;                 // rows stay, at most max_rows of each unit
  std::vector<TableJoin> joins;
  ExprPtr where;                    // on single rows; a unit of which none passes has no row. nullptr: all pass
  std::size_t first = 0;            // the columns of the unit's table keep their places; the aggregates come after them
  std::vector<UnitColumn> columns;  // column first + k of the unit's row
  Unit unit;  // as the rest of the question sees it: how many rows, and whether they can be missing
  // Not empty: a row for each group, the rows that agree in these columns of the unit's table; public, one value for
  // each unit. Rows where one of them is NULL are in no group.
  std::vector<std::size_t> groups;
  std::int64_t size = 1;  // the most units of a group, as declared

  bool OfGroups() const { return !groups.empty(); }
  /// The most rows that a row is made of.
  Int128 MostRows() const { return Int128{policy->unit.max_rows} * size; }

  /// The sub-select in canonical text, with these columns of the unit's row. `table`: that of the unit's rows, with one
  /// row for each.
  std::string Text(const std::set<std::size_t>& used, const Table& table) const;
  /// Whether that text leaves all windows of a sub-select out, so that it is read as a sub-select without windows.
  bool HasIdleWindows(const std::set<std::size_t>& used) const;
};

}  // namespace kith
