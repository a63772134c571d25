// The sensitivity of a question by trying everything: for each combination of public values (and, where columns are
// public per row, for every multiset of rows with such values), every record that one unit could have, made of values
// that matter (bounds, beyond, declared, undeclared, NULL, NaN, infinities, literals of the question).
#pragma once
#include <optional>
#include <vector>

#include "tests/support/tiny_db.h"

namespace kith::testing {

/// Raw values of a column that can make a difference to a question with these literals.
std::vector<Datum> Candidates(const Column& column, const std::vector<Datum>& literals);

struct BruteForce {
  std::vector<long double> sensitivity;          // for each aggregate the largest L1 change over all groups
  std::vector<long double> l2_squared;           // and the largest square of the L2 change
  std::vector<std::size_t> groups;               // and the most groups with a change that rounding cannot hide
  std::vector<std::vector<long double>> change;  // the same for each cell of the policy: [cell][aggregate]

  /// Where columns are public per row, a unit has this many rows in all, each in one of these cells: by how much its
  /// record can change each aggregate.
  struct OfRows {
    std::vector<std::size_t> cells;
    std::vector<long double> change;
  };
  std::vector<OfRows> of_rows;

  /// The largest distances from a record to none at all; zeros if presence is public.
  struct Coming {
    long double l1 = 0, l2_squared = 0;
    std::size_t groups = 0;
  };
  std::vector<Coming> presence = {};  // for each aggregate

  /// For each aggregate: what rounding of rows can add to a change in exact arithmetic, or hide of it. One step for
  /// each row before and after, and nothing where steps are ones and all values whole numbers.
  std::vector<long double> rounding = {};

  /// Cells where some record change shows in some aggregate. Of rows: where all rows of a unit are in the cell.
  std::vector<bool> Changed() const;
};

/// How much to try at most. Beyond it, values and groups are left out, so that what is found may be smaller than the
/// truth.
struct Effort {
  std::size_t rows = 1'000'000;    // combinations of column values
  std::size_t groups = 1'000'000;  // groups that one statistic is followed in when a unit has several rows
  std::size_t tuples = 1'000'000;  // combinations of values that are public per row
  // Of the lattice to which each row's value is rounded; nothing: it is not rounded.
  std::optional<int> lattice = {};
};

/// Tries all records for every combination of public values of the columns the question uses.
BruteForce TryAllNeighbours(const Policy& policy, const Reference& reference, const Effort& effort = {});

/// The columns of the unit table as an empty table.
TinyTable EmptyTable(const Table& table);
/// Columns that the question or its aggregates read, in table order.
std::vector<std::size_t> UsedColumns(const Table& table, const Reference& reference);
std::vector<Datum> LiteralsOf(const Reference& reference);

/// Calls visit for every element of a product of value lists.
template <class Visit>
void ForEachTuple(const std::vector<std::vector<Datum>>& lists, Row& row, std::size_t at, const Visit& visit) {
  if (at == lists.size()) return visit(static_cast<const Row&>(row));
  for (const Datum& value : lists[at]) {
    row[at] = value;
    ForEachTuple(lists, row, at + 1, visit);
  }
}

}  // namespace kith::testing
