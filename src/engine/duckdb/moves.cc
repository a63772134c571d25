#include "engine/duckdb/moves.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "engine/duckdb/duckdb_session.h"
#include "engine/duckdb/lockdown.h"
#include "engine/duckdb/snapshot.h"
#include "engine/duckdb/tables.h"
#include "policy/per_row.h"

namespace kith {

namespace {

constexpr char kNow[] = "kith_now";
constexpr char kBefore[] = "kith_before";

std::string DataOf(const char* alias) { return fmt::format("{}.main.data", QuotedName(alias)); }

/// Attaches a snapshot of whatever columns and rules: the previous import may have had others.
Result<void> Attach(const DuckDbConnection& connection, const std::filesystem::path& path, const char* alias,
                    const CancelFlag& cancel) {
  return connection.Execute(fmt::format("ATTACH {} AS {} (READ_ONLY)", QuotedText(path.string()), QuotedName(alias)),
                            cancel);
}

class Comparison {
 public:
  Comparison(const Policy& policy, std::vector<PhysicalColumn> now, std::vector<PhysicalColumn> before)
      : policy_(policy), now_(std::move(now)), before_(std::move(before)) {}

  bool Known(const std::string& column) const { return Find(now_, column) && Find(before_, column); }

  /// Counts units in both whose value differs in any of the columns. Requires: the key and all of them are known.
  std::string Sql(const std::vector<std::string>& columns) const {
    const std::string& key = *policy_.unit.key;
    std::string differ;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      differ += fmt::format("{0}a.v{1} IS DISTINCT FROM b.v{1}", k == 0 ? "" : " OR ", k);
    }
    return fmt::format("SELECT count(*) FROM ({}) AS a JOIN ({}) AS b ON a.k = b.k WHERE {}", Units(kNow, key, columns),
                       Units(kBefore, key, columns), differ);
  }

  /// Counts units in both that had more rows with some values of the columns than they have now.
  std::string RowsGone(const std::vector<std::string>& columns) const {
    std::string same = "a.k = b.k";
    for (std::size_t k = 0; k < columns.size(); ++k) same += fmt::format(" AND a.v{0} IS NOT DISTINCT FROM b.v{0}", k);
    const std::string now = CountedRows(kNow, columns);
    return fmt::format(
        "SELECT count(DISTINCT b.k) FROM ({}) AS b LEFT JOIN ({}) AS a ON {} "
        "WHERE coalesce(a.n, 0) < b.n AND b.k IN (SELECT k FROM ({}))",
        CountedRows(kBefore, columns), now, same, now);
  }

 private:
  /// How many rows a unit has with each combination of values.
  std::string CountedRows(const char* alias, const std::vector<std::string>& columns) const {
    const std::string& key = *policy_.unit.key;
    std::string list = Read(key) + " AS k";
    for (std::size_t k = 0; k < columns.size(); ++k) list += fmt::format(", {} AS v{}", Read(columns[k]), k);
    return fmt::format("SELECT {}, count(*) AS n FROM {} WHERE {} IS NOT NULL GROUP BY ALL", list, DataOf(alias),
                       QuotedName(key));
  }

  static std::optional<std::string> Find(const std::vector<PhysicalColumn>& columns, const std::string& name) {
    for (const PhysicalColumn& column : columns) {
      if (column.name == name) return column.type;
    }
    return std::nullopt;
  }

  /// The column itself, or its text if its type was another one in the previous import.
  std::string Read(const std::string& column) const {
    if (Find(now_, column) == Find(before_, column)) return QuotedName(column);
    return fmt::format("CAST({} AS VARCHAR)", QuotedName(column));
  }

  /// One row a unit. Every column is the same in all rows of a unit, or missing in all of them.
  std::string Units(const char* alias, const std::string& key, const std::vector<std::string>& columns) const {
    std::string list = Read(key) + " AS k";
    for (std::size_t k = 0; k < columns.size(); ++k) list += fmt::format(", min({}) AS v{}", Read(columns[k]), k);
    return fmt::format("SELECT {} FROM {} WHERE {} IS NOT NULL GROUP BY 1", list, DataOf(alias), QuotedName(key));
  }

  const Policy& policy_;
  std::vector<PhysicalColumn> now_, before_;
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

Result<void> CheckMoves(const Policy& policy, const KithFolder& folder, const std::string& import,
                        const std::string& before, const EngineOptions& options, const Call& call) {
  const CancelFlag& cancel = call.cancel;
  if (!policy.unit.key ||
      (GroupColumns(policy).empty() && FixedColumns(policy).empty() && FixedRowColumns(policy).empty()))
    return {};
  const auto not_compared = [&](const std::string& why) {
    call.Tell(why + ": whether units kept their groups and public columns was not checked");
  };
  const auto old_path = SnapshotPath(folder, policy.unit.table, before);
  const auto new_path = SnapshotPath(folder, policy.unit.table, import);
  std::error_code unknown;
  if (!std::filesystem::exists(old_path, unknown)) {
    not_compared("the previous import no longer exists");
    return {};
  }
  auto spill = SpillFolder::Make(folder);
  auto database = DuckDb::Open("", LockedSettings(options, spill ? spill->path().string() : ""));
  if (!database) return database.error();
  auto connection = database->Connect();
  if (!connection) return connection.error();
  if (auto attached = Attach(*connection, new_path, kNow, cancel); !attached) return attached.error();
  auto now = Describe(*connection, DataOf(kNow), cancel);
  if (!now) return now.error();
  const auto attached = Attach(*connection, old_path, kBefore, cancel);
  const auto old =
      attached ? Describe(*connection, DataOf(kBefore), cancel) : Result<std::vector<PhysicalColumn>>(attached.error());
  if (!old) {
    if (old.error().code == Code::kCancelled) return old.error();
    not_compared("the previous import cannot be read");
    return {};
  }
  if (auto locked = LockDown(*connection, {}, cancel); !locked) return locked.error();

  const Comparison comparison(policy, std::move(*now), *old);
  if (!comparison.Known(*policy.unit.key)) {
    not_compared("the previous import has no column for the key");
    return {};
  }
  const auto moved = [&](std::vector<std::string> columns, auto statement) -> Result<Int128> {
    std::erase_if(columns, [&](const std::string& column) {
      if (comparison.Known(column)) return false;
      not_compared(fmt::format("the previous import has no column \"{}\"", column));
      return true;
    });
    if (columns.empty()) return Int128{0};
    auto counted = connection->Integers((comparison.*statement)(columns), cancel);
    if (!counted) return counted.error();
    return counted->rows[0][0].value_or(Int128{0});
  };
  const auto regrouped = moved(GroupColumns(policy), &Comparison::Sql);
  if (!regrouped) return regrouped.error();
  if (*regrouped != Int128{0}) {
    return InvalidArgument(
        fmt::format("{} another group, or another strength, than at the previous import", Units(*regrouped)),
        policy.unit.table,
        "a unit keeps them for its whole history: correct the file (a new ledger would forget what these people have "
        "lost)");
  }
  const auto left = moved(FixedColumns(policy), &Comparison::Sql);
  if (!left) return left.error();
  if (*left != Int128{0}) {
    return InvalidArgument(
        fmt::format(
            "{} other values in public columns than at the previous import, which the policy promises to be fixed",
            Units(*left)),
        policy.unit.table,
        "correct the file, or remove public_columns = \"fixed\" from [data]: then every unit counts with the largest "
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
        "rows may be added, none may go or change these columns: correct the file, or remove public_columns = "
        "\"fixed\" from [data]: then every unit counts with the largest total of any");
  }
  return {};
}

}  // namespace kith
