// What the policy says, as the checker needs it: tables, units, what is public, cells. No rule reads the policy itself.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/value.h"
#include "policy/policy.h"
#include "sql/expr.h"

namespace kith::check {

struct ColumnFacts {
  std::string name;
  Type type = Type::kText;
  bool is_public = false;     // known to everybody: the same whatever the secrets of the unit are
  bool per_row = false;       // and differs between the rows of a unit
  bool constant = false;      // a secret that is one for each unit
  bool of_household = false;  // the same for all persons of a household
  std::string clamp;          // how a clamp to its declared ends is called (sql::Node::text); empty: it has none
  double low = 0, high = 0;   // those ends
  // Declared values, as they are stored. Anything else in the data is read as NULL, or as the first of them.
  std::vector<Value> values;
  bool first_if_missing = false;
};

struct TableFacts {
  std::string name;
  bool is_public = false;
  std::vector<ColumnFacts> columns;
  std::optional<std::string> key;    // of a public table: no value comes twice; otherwise: it names the unit
  std::optional<std::string> other;  // names a second unit, which is in at most `most_other` rows of others
  std::int64_t most_other = 0;
};

struct CellFacts {
  std::size_t column = 0;     // of the unit's table
  std::vector<Value> values;  // as they are stored; Null where none of them is
};

struct Facts {
  std::vector<TableFacts> tables;
  std::size_t unit_table = 0;
  std::optional<std::string> key;     // nothing: a row is a unit
  bool always_there = false;          // presence is public: every unit has a row of the unit's table
  bool rows_are_public = false;       // how many rows a unit has, with which values of columns that are public per row
  std::int64_t public_rows = 1;       // then no unit has more of them
  std::optional<std::string> within;  // the column that names the household
  std::int64_t household = 1;         // the most persons of one
  std::vector<CellFacts> cells;       // the columns that tell cells apart, the first slowest
  std::size_t number_of_cells = 1;
  bool cells_joined = false;  // whatever one cell is charged, all are

  const TableFacts* Find(const std::string& table) const;
};

/// Fails: kUnsupportedQuery for units that no rule knows (rows of two people).
Result<Facts> FactsOf(const Policy& policy);

}  // namespace kith::check
