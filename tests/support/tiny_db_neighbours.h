// The sensitivity of a question by trying everything: for each combination of public values, every record that one unit
// could have, made of values that matter (bounds, beyond, declared, undeclared, NULL, NaN, infinities, literals of the
// question).
#pragma once
#include <vector>

#include "tests/support/tiny_db.h"

namespace kith::testing {

/// Raw values of a column that can make a difference to a question with these literals.
std::vector<Datum> Candidates(const Column& column, const std::vector<Datum>& literals);

struct BruteForce {
  std::vector<long double> sensitivity;  // for each aggregate the largest L1 change over all groups
  std::vector<bool> changed;             // for each cell of the policy: some record change shows in some aggregate
};

/// Tries all records for every combination of public values of the columns the question uses.
BruteForce TryAllNeighbours(const Policy& policy, const Reference& reference);

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
