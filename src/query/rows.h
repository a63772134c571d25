// Rows for an analysis that writes its own statement: the values of some columns in whole steps, of the rows that are
// kept of each unit and pass a condition. What the analysis computes from single rows and adds up has a bound that is
// easily proved.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/int128.h"
#include "base/note.h"
#include "base/result.h"
#include "loss/loss.h"
#include "policy/policy.h"
#include "query/plan.h"

namespace kith {

/// What is read of a row: value = steps * lattice.
struct RowValue {
  std::string name;
  Lattice lattice;
  Int128 low = 0, high = 0;  // in steps

  Int128 Largest() const { return low < 0 && -low > high ? -low : high; }
};

struct Rows {
  std::vector<RowValue> values;
  std::int64_t max_rows = 1;     // of one unit among them
  std::vector<bool> charged;     // per cell of the policy: can a secret of a unit in this cell change a row?
  bool count_is_public = false;  // no secret of a unit can change how many rows there are
  std::string normalised;        // canonical text
  std::vector<Note> notes;       // clamping, dropped rows
  // SELECT v0, v1, ...: whole steps, never NULL; then the key as u, if units have one, and the group as h, if asked for
  sql::Statement statement;

  /// SELECT v0, v1, ...: without the key.
  sql::Statement Values() const;
};

/// Which rows of a unit with a key: at most max_rows, or all of them, for what is averaged over each unit. All of them
/// have the same bounds and lattice; how many there are for a unit is then not bounded.
enum class RowsOfUnit { kKept, kAll };

/// `values`: numbers of a row, such as a column or a column less a constant; rows where one is NULL are left out.
/// `where`: a condition as in SQL; may be empty.
/// `group`: a public column of the unit's table, declared or not, that is also read, as it is; may be empty.
/// Fails: as PlanQuestion; kInvalidArgument if some text is not an expression.
/// Ensures [ROWS-1]: of each unit there are at most `max_rows` rows (unless all were wanted), they are a function only
/// of this unit's record, and the same for all records with its public values if its cell is not charged; each value is
/// in [low, high] and is not NULL. No snapshot makes the statement fail. Each text is one expression [TEXT-1].
Result<Rows> PlanRows(const std::vector<std::string>& values, const std::string& where, const Policy& policy,
                      RowsOfUnit which = RowsOfUnit::kKept, const std::string& group = {});

/// A condition on one row of the unit table, for analyses that write their own FROM.
struct RowCondition {
  std::string normalised;  // canonical text
  sql::Term term;          // over the unit table as t; true exactly where it holds, and no row makes it fail
};

/// The value for a row depends only on the row, whatever a unit is: so this takes every policy.
/// Fails: as PlanQuestion; kInvalidArgument if the text is not one condition.
Result<RowCondition> PlanCondition(const std::string& where, const Policy& policy);

}  // namespace kith
