// What an import found in the data, besides what is read from them: exact counts and spellings, only for the curator.
// Nothing here is protected. No ledger, answer, note or message for an analyst may hold any of it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "policy/policy.h"

namespace kith {

/// Text in the data that is not read as it is written.
struct Spelling {
  std::string text;
  std::int64_t rows = 0;
  std::string nearest;  // the declared value that is spelled most like it; empty: none is similar
};

/// The most frequent of them.
struct Spellings {
  static constexpr std::size_t kShown = 5;
  std::vector<Spelling> shown;
  std::int64_t distinct = 0;  // all of them
};

struct ColumnReport {
  std::string name;
  std::optional<ColumnType> type;     // nothing: a key or a group that the policy names but does not describe
  bool listed = false;                // it has declared values
  bool bounded = false;               // it has bounds
  bool never_null = false;            // what is missing is read as the lower bound, or as the first declared value
  std::int64_t empty = 0;             // rows in which the file has nothing
  std::int64_t unreadable = 0;        // ... something that is not of the declared type
  std::int64_t undeclared = 0;        // ... a value of the type that is not in the list
  std::int64_t below = 0, above = 0;  // ... a value beyond a bound, which is read as the bound
  Spellings unreadable_as;            // none for keys, which name people, and where a value has no simple text
  Spellings undeclared_as;
  std::optional<std::int64_t> units_that_differ;  // of a column that must be the same in all rows of a unit

  /// Rows in which the column has no value once it is read, or gets one because it must have one.
  std::int64_t Missing() const { return empty + unreadable + undeclared; }
};

/// "line 7", "lines 7, 9 and 12", "lines 7, 9, 12 and 88 others".
std::string LineNumbers(std::int64_t count, const std::vector<std::int64_t>& first);

struct TableReport {
  std::string name, source;
  std::int64_t rows = 0;
  std::optional<std::int64_t> dropped;  // lines of a CSV file that are not rows; nothing for files read in place
  std::vector<ColumnReport> columns;
  std::vector<std::int64_t> dropped_at;  // numbers of the first lines that are not rows
};

/// How many rows would not count at another max_rows.
struct RowLimit {
  std::int64_t max_rows = 1;     // a power of two
  std::int64_t units_over = 0;   // units with more rows
  std::int64_t rows_beyond = 0;  // rows that would not count
  double error_95 = 0;           // of a count of rows at DataReport::plain
};

/// Units with a key, in one of their tables.
struct UnitsReport {
  std::string table, key;
  std::int64_t max_rows = 1;
  std::int64_t without_key = 0;  // rows
  std::int64_t rows = 0;         // those with a key; of a stream: in a step
  std::int64_t units = 0;
  std::int64_t largest = 0;      // rows of one unit; of a stream: in one step
  std::int64_t units_over = 0;   // units with more rows than max_rows
  std::int64_t rows_beyond = 0;  // rows that do not count for this reason
  std::vector<RowLimit> limits;  // ascending, up to the first at which all rows count
  /// Where rows name a second unit: how often one unit is named by it.
  struct Others {
    std::string column;
    std::int64_t max_other = 0;
    std::int64_t largest = 0;     // rows that name one unit
    std::int64_t units_over = 0;  // units that are named by more rows than max_other
  };
  std::optional<Others> others = std::nullopt;

  /// The limit at which rows that do not count and the error bar are least, added up. Nothing: units have one row, or
  /// none.
  std::optional<std::int64_t> Proposed() const;
};

/// Units that belong together by a public column.
struct GroupsReport {
  std::string column;
  std::optional<std::int64_t> size;  // declared
  std::int64_t without_group = 0;    // rows
  std::int64_t groups = 0;
  std::int64_t largest = 0;  // units of one group
  std::int64_t over = 0;     // groups with more units than declared
  /// Where a public column selects the strength, or the size, of a group.
  struct Strata {
    std::string column;
    std::int64_t over = 0;   // groups with more units than their stratum declares
    std::int64_t mixed = 0;  // groups in which the column differs
  };
  std::optional<Strata> strata;
};

struct DataReport {
  std::vector<TableReport> tables;
  std::optional<UnitsReport> units;     // of the unit's table
  std::vector<UnitsReport> more_units;  // of other tables of the units
  std::vector<GroupsReport> groups;
  double plain = 0;                   // the plain loss at which error bars of limits are stated
  std::vector<std::string> promised;  // what is only promised, and not counted (policy/facts.h)
};

}  // namespace kith
