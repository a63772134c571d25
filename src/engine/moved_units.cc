#include "engine/moved_units.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "policy/per_row.h"
#include "sql/quote.h"

namespace kith {

namespace {

/// Statements over both states. Requires: the key and all columns are known.
class Comparison {
 public:
  Comparison(const std::string& key, const TwoStates& states) : key_(key), states_(states) {}

  /// Counts units in both whose value differs in any of the columns.
  std::string Moved(const std::vector<std::string>& columns) const {
    std::string differ;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      differ += fmt::format("{0}a.v{1} IS DISTINCT FROM b.v{1}", k == 0 ? "" : " OR ", k);
    }
    return fmt::format("SELECT count(*) FROM ({}) AS a JOIN ({}) AS b ON a.k = b.k WHERE {}",
                       Units(states_.now, columns), Units(states_.before, columns), differ);
  }

  /// Counts units in both that had more rows with some values of the columns than they have now.
  std::string RowsGone(const std::vector<std::string>& columns) const {
    std::string same = "a.k = b.k";
    for (std::size_t k = 0; k < columns.size(); ++k) same += fmt::format(" AND a.v{0} IS NOT DISTINCT FROM b.v{0}", k);
    const std::string now = CountedRows(states_.now, columns);
    return fmt::format(
        "SELECT count(DISTINCT b.k) FROM ({}) AS b LEFT JOIN ({}) AS a ON {} "
        "WHERE coalesce(a.n, 0) < b.n AND b.k IN (SELECT k FROM ({}) AS c)",
        CountedRows(states_.before, columns), now, same, now);
  }

 private:
  /// How many rows a unit has with each combination of values.
  std::string CountedRows(const std::string& from, const std::vector<std::string>& columns) const {
    std::string list = states_.read(key_) + " AS k", places = "1";
    for (std::size_t k = 0; k < columns.size(); ++k) {
      list += fmt::format(", {} AS v{}", states_.read(columns[k]), k);
      places += fmt::format(", {}", k + 2);
    }
    return fmt::format("SELECT {}, count(*) AS n FROM {} WHERE {} IS NOT NULL GROUP BY {}", list, from,
                       QuotedName(key_), places);
  }

  /// One row per unit. Every column is the same in all rows of a unit, or missing in all of them.
  std::string Units(const std::string& from, const std::vector<std::string>& columns) const {
    std::string list = states_.read(key_) + " AS k";
    for (std::size_t k = 0; k < columns.size(); ++k)
      list += fmt::format(", min({}) AS v{}", states_.read(columns[k]), k);
    return fmt::format("SELECT {} FROM {} WHERE {} IS NOT NULL GROUP BY 1", list, from, QuotedName(key_));
  }

  const std::string& key_;
  const TwoStates& states_;
};

std::string Units(Int128 count) {
  return count == Int128{1} ? "1 unit has" : fmt::format("{} units have", ToText(count));
}

void Add(std::vector<std::string>* columns, const std::string& column) {
  if (std::find(columns->begin(), columns->end(), column) == columns->end()) columns->push_back(column);
}

/// What a unit keeps whatever the policy promises.
std::vector<std::string> GroupColumns(const Policy& policy) {
  std::vector<std::string> columns;
  if (policy.dependence.by) Add(&columns, *policy.dependence.by);
  if (policy.unit.within) Add(&columns, *policy.unit.within);
  if (policy.dependence.strength_column) Add(&columns, *policy.dependence.strength_column);
  return columns;
}

std::vector<std::string> FixedColumns(const Policy& policy) {
  std::vector<std::string> columns;
  for (const Column& column : policy.unit_table().columns) {
    if (policy.fixed_public_columns && IsPublicOfUnit(column) && column.name != *policy.unit.key)
      Add(&columns, column.name);
  }
  return columns;
}

std::vector<std::string> FixedRowColumns(const Policy& policy) {
  std::vector<std::string> columns;
  for (const Column& column : policy.unit_table().columns) {
    if (policy.fixed_public_columns && column.per_row) Add(&columns, column.name);
  }
  return columns;
}

}  // namespace

bool HasToStay(const Policy& policy) {
  return policy.unit.key &&
         !(GroupColumns(policy).empty() && FixedColumns(policy).empty() && FixedRowColumns(policy).empty());
}

Result<void> CheckMovedUnits(const Policy& policy, const TwoStates& states, const MoveCounter& count,
                             const std::function<void(const std::string& why)>& not_compared) {
  if (!states.known(*policy.unit.key)) {
    not_compared("the previous import has no column for the key");
    return {};
  }
  const Comparison comparison(*policy.unit.key, states);
  const auto moved = [&](std::vector<std::string> columns, auto statement) -> Result<Int128> {
    std::erase_if(columns, [&](const std::string& column) {
      if (states.known(column)) return false;
      not_compared(fmt::format("the previous import has no column \"{}\"", column));
      return true;
    });
    if (columns.empty()) return Int128{0};
    return count((comparison.*statement)(columns));
  };
  const auto regrouped = moved(GroupColumns(policy), &Comparison::Moved);
  if (!regrouped) return regrouped.error();
  if (*regrouped != Int128{0}) {
    return InvalidArgument(
        fmt::format("{} another group, or another strength, than at the previous import", Units(*regrouped)),
        policy.unit.table,
        "a unit keeps them for its whole history: correct the data (a new ledger would forget what these people have "
        "lost)");
  }
  const auto left = moved(FixedColumns(policy), &Comparison::Moved);
  if (!left) return left.error();
  if (*left != Int128{0}) {
    return InvalidArgument(
        fmt::format(
            "{} other values in public columns than at the previous import, which the policy promises to be fixed",
            Units(*left)),
        policy.unit.table,
        "correct the data, or remove public_columns = \"fixed\" from [data]: then every unit counts with the largest "
        "total of any");
  }
  const auto gone = moved(FixedRowColumns(policy), &Comparison::RowsGone);
  if (!gone) return gone.error();
  if (*gone != Int128{0}) {
    return InvalidArgument(
        fmt::format("{} lost rows, or other values in columns that are public per row, since the previous import: the "
                    "policy promises them to be fixed",
                    Units(*gone)),
        policy.unit.table,
        "rows may be added, none may go or change these columns: correct the data, or remove public_columns = "
        "\"fixed\" from [data]: then every unit counts with the largest total of any");
  }
  return {};
}

}  // namespace kith
