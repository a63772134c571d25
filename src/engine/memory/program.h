// A simple statement about a frame as a short program over blocks of its rows: sums and counts read directly from the
// columns. It gives what DuckDB gives for the same statement, bit for bit; statements of any other kind are
// left to DuckDB.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/int128.h"
#include "engine/frame.h"
#include "policy/policy.h"
#include "sql/statement.h"

namespace kith {

/// A column of a frame that a table shows as it is stored, or widened to the declared type. Strings of a frame only
/// number groups.
struct FramedColumn {
  std::string name;
  std::size_t place = 0;                // in the frame
  ColumnType type = ColumnType::kReal;  // kReal, kInteger or kText
};

/// A table whose rows are those of a frame. Columns that are read in any other way are not listed. Without a frame: a
/// table of which DuckDB hands over all declared columns that are numbers.
struct FramedTable {
  std::string name;
  std::shared_ptr<const Frame> frame;
  std::vector<FramedColumn> columns;
  // Numbers, from 0 on, that columns of strings hold instead (rows that are held). Nothing: strings are strings.
  std::shared_ptr<const std::map<std::string, std::int64_t, std::less<>>> texts;
};

/// Can a column of a frame be read as this type without DuckDB: is every value of it a number of 64 bits, or NULL; or
/// every value a string?
bool IsFramed(const FrameColumn& column, ColumnType type);

namespace memory {

/// What lanes of 64 bits hold. Truth: all bits, or none. Text: its number; two can only be equal or not.
enum class Kind { kReal, kWhole, kTruth, kText };

enum class Do {
  kColumn,    // place
  kCode,      // place: which of texts[whole] the column's text is; of others, and of NULL, otherwise; never NULL
  kConstant,  // real or whole; missing: NULL
  kClamp,     // a, as kith_clamp (lattice_steps.h): low, high, tiny
  kSteps,     // a, as kith_steps: low, high, shift, inverse
  kRange,     // low <= a <= high, as IEEE 754 compares: NaN is in no range
  kAtLeast,   // greatest(a, low), never NULL
  kAtMost,    // least(a, high), never NULL
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,  // reals by what is not 0, or whole numbers by whole: a constant above 0
  kNegate,
  kAbs,
  kFloor,
  kLess,  // NaNs are equal, and above all others
  kEqual,
  kAnd,
  kOr,
  kNot,
  kIsNull,
  kIsTrue,
  kSelect,  // b where a is true, elsewhere c, or NULL if there is no c
  kCoalesce,
  kToReal,
  kToWhole,    // to the nearest, halves to even; NULL where it does not fit 64 bits, or 32 (narrow)
  kOfTruth,    // 0 or 1
  kWithin,     // a whole number cut to from and to
  kIndex,      // a - from where from <= a <= to; elsewhere, and for NULL, `otherwise`; never NULL
  kJoinIndex,  // a * whole + b
};

/// Of earlier steps, by their numbers.
struct Step {
  Do what = Do::kConstant;
  Kind kind = Kind::kReal;
  int a = -1, b = -1, c = -1;
  double real = 0, low = 0, high = 0, tiny = 0, shift = 0, inverse = 0;
  std::int64_t whole = 0, from = 0, to = 0, otherwise = 0;
  std::size_t place = 0;
  bool missing = false, narrow = false;
};

/// count(*), count(value) or sum(value), over the rows where the filter is true.
struct Total {
  bool sum = false;
  int value = -1, filter = -1;  // numbers of steps; -1: none
  bool operator==(const Total&) const = default;
};

/// A value of the result: a total, or a sum less a constant for each value that it counts.
struct Output {
  std::size_t total = 0;
  Int128 each = 0;
  std::size_t counted = 0;
};

struct Program {
  std::vector<Step> steps;
  std::vector<std::vector<std::string>> texts;  // that columns are compared with
  std::string table;
  int where = -1;
  sql::Term condition;              // what `where` was made of
  int group = -1;                   // the step that numbers groups; -1: one group, which is there even without rows
  std::vector<std::int64_t> sizes;  // of each key, how many numbers there are
  std::vector<Total> totals;        // the first counts all rows, if there are groups
  std::vector<Output> outputs;

  std::size_t groups() const;
  /// Which steps lead to the totals.
  std::vector<bool> Needed() const;
};

/// The statement as a program over this table. Nothing: it is of another kind, or about another table.
/// Ensures [ENGINE-18] with Run (run.h): the same integers as DuckDB's.
std::optional<Program> Compile(const sql::Statement& statement, const sql::UnitRows& known, const FramedTable& table);

}  // namespace memory
}  // namespace kith
