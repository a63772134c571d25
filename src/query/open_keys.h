// Counts of units by columns whose values nobody declared: surnames, products, free text. The statement gives
// every key that occurs with the number of its units; which of them are released is the mechanism's business
// (mechanism/partition_selection.h).  Claims: claims/keys.md
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/note.h"
#include "base/result.h"
#include "base/value.h"
#include "policy/policy.h"
#include "sql/expr.h"
#include "sql/statement.h"

namespace kith {

struct OpenKeysPlan {
  /// How the strings that the statement gives for a column are read.
  enum class Kind { kText, kWhole, kDay };
  static constexpr std::size_t kLongest = 1000;  // bytes of a string that can be shown

  std::vector<std::string> columns;
  std::vector<Kind> kinds;     // as many
  std::int64_t most_keys = 1;  // of one unit, to each of which it adds 1
  std::int64_t unit_rows = 1;  // the most rows of one unit
  bool cut = false;            // a unit can have more keys than it adds to: some of them are chosen by a hash
  std::vector<bool> charged;   // cells of the policy
  std::string normalised;
  std::vector<Note> notes;
  // One row for each key that occurs, in no particular order: a string for each column, then how many units have it.
  sql::Statement statement;

  /// What is shown of a key; nothing if it cannot be: a string of more than kLongest bytes, or one that is not UTF-8.
  /// Depends only on the key. Fails: kInternal if the statement gave something other than planned.
  Result<std::optional<std::vector<Value>>> ValuesOf(std::span<const std::string_view> key) const;
};

/// `columns`: strings, whole numbers and dates of the unit's table, at least one of them without declared values.
/// `where`: over the columns of the unit's table; nullptr: every row. `per_unit`: a unit adds to at most this many
/// keys; nothing: to all that are in its kept rows. Fails: as PlanQuestion; kInvalidArgument if a column is named
/// twice; kUnsupportedQuery if a column is of another type, all are declared, or nothing in them is secret.
/// Ensures [KEYS-2]: for any two snapshots that differ in one unit's record (same public values), at most `most_keys`
/// keys have a count that is larger by 1 in the one, at most as many in the other, and all others are equal;
/// none differs if the unit's cell of the policy is not charged. No key is there twice, and no snapshot makes the
/// statement fail.
Result<OpenKeysPlan> PlanOpenKeys(const std::vector<std::string>& columns, const ExprPtr& where,
                                  std::optional<std::size_t> per_unit, const Policy& policy);
Result<OpenKeysPlan> PlanOpenKeys(const std::vector<std::string>& columns, const std::string& where,
                                  std::optional<std::size_t> per_unit, const Policy& policy);

}  // namespace kith
