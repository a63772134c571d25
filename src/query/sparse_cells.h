// Counts by columns whose declared values make far more cells than a plan has groups: all codes of five digits, all
// pairs of diagnoses. The statement gives the cells that hold something; what becomes of them, and of all others, is
// the mechanism's business (mechanism/sparse_counts.h).  Claims: claims/sparse.md
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/int128.h"
#include "base/note.h"
#include "base/result.h"
#include "base/value.h"
#include "loss/loss.h"
#include "policy/policy.h"
#include "sql/expr.h"
#include "sql/statement.h"

namespace kith {

/// A column that distinguishes cells: its declared values, in their order, without NULL.
struct SparseKey {
  /// Whole numbers or days from `low` on.
  struct Run {
    std::int64_t low = 0, many = 0;
    bool days = false;
  };

  std::string name;
  std::variant<ValueList, Run, KeyPattern> domain;

  std::int64_t size() const;
  /// Requires: 0 <= index < size().
  Value At(std::int64_t index) const;
};

/// What is counted in a cell.
enum class CountOf { kRows, kUnits };

struct SparsePlan {
  std::vector<SparseKey> keys;
  UInt128 cells = 1;  // the product of the sizes
  Sensitivities change =
      Sensitivities::None();  // by how much one unit can change the counts of all cells together: only its L1
  std::string reason;         // the rule that gave it
  std::vector<bool> charged;
  std::int64_t unit_rows = 1;  // the most rows of one unit
  std::string normalised;
  std::vector<Note> notes;
  // One row for each cell that holds something, in no particular order: what NumberOf reads the index of each key from,
  // then the count. Strings that do not fit their pattern have rows without a number.
  sql::Statement statement;

  /// The number of a cell, the first key slowest; nothing if an index is outside its domain.
  bool NumberOf(std::span<const std::int64_t> indexes, UInt128& number) const;
  std::vector<Value> ValuesOf(UInt128 number) const;
};

/// `columns`: of the unit's table, each with declared values, with bounds (whole numbers and dates) or with a pattern.
/// `where`: over the columns of the unit's table; nullptr: every row. Or a condition as in SQL; may be empty.
/// Fails: as PlanQuestion; kInvalidArgument if a column is named twice; kUnsupportedQuery if a column declares nothing
/// to group by, or there are more than `most` cells.
/// Ensures [SPARSE-3]: for any two snapshots that differ in one unit's record (same public values) the counts of all
/// cells differ by at most `change` in L1, and by nothing if the unit's cell of the policy is not charged. No cell is
/// there twice, and no snapshot makes the statement fail.
Result<SparsePlan> PlanSparse(const std::vector<std::string>& columns, const ExprPtr& where, CountOf count,
                              UInt128 most, const Policy& policy);
Result<SparsePlan> PlanSparse(const std::vector<std::string>& columns, const std::string& where, CountOf count,
                              UInt128 most, const Policy& policy);

}  // namespace kith
