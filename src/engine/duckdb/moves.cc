#include "engine/duckdb/moves.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "engine/duckdb/duckdb_session.h"
#include "engine/duckdb/lockdown.h"
#include "engine/duckdb/snapshot.h"
#include "engine/duckdb/tables.h"
#include "engine/moved_units.h"

namespace kith {

namespace {

constexpr char kNow[] = "kith_now";
constexpr char kBefore[] = "kith_before";

std::string DataOf(const char* alias) { return fmt::format("{}.main.data", QuotedName(alias)); }

/// Attaches a snapshot with any columns and rules: the previous import may have had others.
Result<void> Attach(const DuckDbConnection& connection, const std::filesystem::path& path, const char* alias,
                    const CancelFlag& cancel) {
  return connection.Execute(fmt::format("ATTACH {} AS {} (READ_ONLY)", QuotedText(path.string()), QuotedName(alias)),
                            cancel);
}

std::optional<std::string> TypeIn(const std::vector<PhysicalColumn>& columns, const std::string& name) {
  for (const PhysicalColumn& column : columns) {
    if (column.name == name) return column.type;
  }
  return std::nullopt;
}

}  // namespace

Result<void> CheckMoves(const Policy& policy, const KithFolder& folder, const std::string& import,
                        const std::string& before, const EngineOptions& options, const Call& call) {
  const CancelFlag& cancel = call.cancel;
  if (!HasToStay(policy)) return {};
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

  const TwoStates states{DataOf(kNow), DataOf(kBefore),
                         [&](const std::string& column) { return TypeIn(*now, column) && TypeIn(*old, column); },
                         // Its text, if its type was different in the previous import.
                         [&](const std::string& column) {
                           return TypeIn(*now, column) == TypeIn(*old, column)
                                      ? QuotedName(column)
                                      : fmt::format("CAST({} AS VARCHAR)", QuotedName(column));
                         }};
  const auto count = [&](const std::string& sql) -> Result<Int128> {
    auto counted = connection->Integers(sql, cancel);
    if (!counted) return counted.error();
    return counted->rows[0][0].value_or(Int128{0});
  };
  return CheckMovedUnits(policy, states, count, not_compared);
}

}  // namespace kith
