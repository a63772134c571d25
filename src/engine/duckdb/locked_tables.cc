#include "engine/duckdb/locked_tables.h"

#include <fmt/format.h>

#include <utility>

#include "engine/duckdb/lockdown.h"

namespace kith {

namespace {

// DuckDB hands out rows in groups of this many, each to one thread: where no snapshot has more, others would be woken
// by every statement for nothing. One group is read as fast as a plan is made for it.
constexpr std::int64_t kRowsOfGroup = 122'880;

Result<bool> HaveFewRows(const DuckDbConnection& connection, const Policy& policy,
                         const std::vector<OpenedTable>& tables, const CancelFlag& cancel) {
  for (std::size_t k = 0; k < tables.size(); ++k) {
    if (!IsCsv(policy.tables[k])) return false;
    // Known to DuckDB without reading the rows.
    const auto rows = connection.Integers(fmt::format("SELECT count(*) FROM {}", tables[k].from), cancel);
    if (!rows) return rows.error();
    if (rows->rows[0][0] > Int128{kRowsOfGroup}) return false;
  }
  return true;
}

}  // namespace

Result<LockedTables> OpenLocked(const Policy& policy, const KithFolder& folder, const EngineOptions& options,
                                const Call& call) {
  const CancelFlag& cancel = call.cancel;
  auto spill = SpillFolder::Make(folder);
  auto database = DuckDb::Open("", LockedSettings(options, spill ? spill->path().string() : ""));
  if (!database) return database.error();
  auto connection = database->Connect();
  if (!connection) return connection.error();
  auto tables = OpenTables(*connection, policy, folder, options, call);
  if (!tables) return tables.error();
  const auto few = HaveFewRows(*connection, policy, *tables, cancel);
  if (!few) return few.error();
  if (*few && options.threads == 0) {
    if (auto set = connection->Execute("SET GLOBAL threads = 1", cancel); !set) return set.error();
  }
  std::vector<std::string> files;
  for (const OpenedTable& table : *tables) {
    files.insert(files.end(), table.parquet.begin(), table.parquet.end());
  }
  if (!options.output.empty()) files.push_back(options.output);
  if (auto locked = LockDown(*connection, files, cancel); !locked) return locked.error();
  for (const OpenedTable& table : *tables) {
    if (auto made = connection->Execute(table.view_sql, cancel); !made) {
      return InvalidArgument("the engine rejects this table name", table.source.name,
                             "give each table of the policy a name of its own");
    }
  }
  return LockedTables{std::move(spill), std::move(*database), std::move(*connection), std::move(*tables)};
}

}  // namespace kith
