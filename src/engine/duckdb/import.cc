// Imports: snapshots of all CSV tables under one id.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>

#include "engine/data_report.h"
#include "engine/duckdb/duckdb_engine.h"
#include "engine/duckdb/lockdown.h"
#include "engine/duckdb/locked_tables.h"
#include "engine/duckdb/moves.h"
#include "engine/duckdb/report_tables.h"
#include "engine/duckdb/snapshot.h"
#include "engine/engine.h"
#include "engine/moved_units.h"
#include "engine/postgresql/postgresql_engine.h"
#include "engine/trino/trino_engine.h"

namespace kith {

namespace fs = std::filesystem;

namespace {

KithFolder FolderOf(const Policy& policy) {
  std::error_code failed;  // the current folder is gone: the path as it is then fails on its own
  const fs::path file = fs::absolute(policy.file, failed);
  return KithFolder((failed ? policy.file : file).parent_path());
}

bool IsPlainId(const std::string& id) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
  };
  return !id.empty() && id.size() <= 64 && std::all_of(id.begin(), id.end(), plain);
}

void RemoveFiles(const KithFolder& folder, const std::function<bool(const std::string&)>& unwanted) {
  std::error_code ignored;
  for (fs::directory_iterator entry(folder.path(), ignored), end; !ignored && entry != end; entry.increment(ignored)) {
    std::error_code stays;
    if (unwanted(entry->path().filename().string())) fs::remove(entry->path(), stays);
  }
}

void TellWhetherChanged(const Source& source, const MadeSnapshot& made, const Call& call) {
  if (!made.content_before) return;
  call.Tell(fmt::format("{} {} since the previous import", source.name,
                        made.content_digest == *made.content_before ? "has not changed" : "has changed"));
}

/// Where everybody knows who is in the data, counts of rows are released as they are: whether a line can be read may
/// follow from a secret in it, so all of them must be. The first line of a field with line breaks never can.
Result<void> CheckAllLinesRead(const Policy& policy, const std::vector<std::optional<MadeSnapshot>>& all) {
  for (std::size_t k = 0; k < all.size(); ++k) {
    const Table& table = policy.tables[k];
    if (table.name != policy.unit.table || policy.unit.presence != Presence::kPublic) continue;
    if (!all[k] || all[k]->dropped == 0) continue;
    const MadeSnapshot& made = *all[k];
    return InvalidArgument(
               fmt::format("{} cannot be read; where presence is public, every line must be a row, because a "
                           "row that is missing would show something of what is in it",
                           LineNumbers(made.dropped, made.dropped_at)),
               table.source,
               "close the quotes, give each line one field for each column, and write values without line breaks; or "
               "write the table to a Parquet file and name that in the policy")
        .For(kUnreadableLines);
  }
  return {};
}

Result<std::unique_ptr<Session>> Import(const Policy& policy, const KithFolder& folder, const std::string& import,
                                        const std::string& before, const EngineOptions& options, const Call& call,
                                        const DataReportSink& report) {
  std::vector<std::optional<MadeSnapshot>> all;
  for (const Table& table : policy.tables) {
    all.emplace_back();
    if (!IsCsv(table)) continue;
    auto columns = ShownColumns(table, policy);
    if (!columns) return columns.error();
    auto source = ResolveSource(table, fs::absolute(policy.file).parent_path());
    if (!source) return source.error();
    const auto spelled = report ? MayBeQuoted(table, policy, *columns) : std::vector<bool>();
    auto made = MakeSnapshot(*source, table.name, *columns, import, before, folder, options, call, spelled);
    if (!made) return made.error();
    TellWhetherChanged(*source, *made, call);
    all.back() = std::move(*made);
  }
  EngineOptions opening = options;
  opening.import = import;
  opening.output.clear();
  std::optional<LockedTables> reported;  // what the report was made from is what is checked
  if (report) {
    const Stage stage(call, "counting what was read");
    auto locked = OpenLocked(policy, folder, opening, call);
    if (!locked) return locked.error();
    const auto found = ReportTables(policy, *locked, all, call.cancel);
    if (!found) return found.error();
    report(*found);
    if (IsDuckDb(options)) reported.emplace(std::move(*locked));
  }
  if (auto whole = CheckAllLinesRead(policy, all); !whole) return whole.error();
  if (!IsCsv(policy.unit_table()) && !before.empty() && HasToStay(policy)) {
    call.Tell(
        "the unit's table is read in place, and what it was at the import before is not kept: whether units kept their "
        "groups and public columns was not checked");
  }
  if (!NeedsImport(policy)) return nullptr;
  auto opened = [&] {
    if (!reported) return OpenSession(policy, opening, call);
    const Stage stage(call, "checking the data");
    return CheckedSession(std::move(*reported), policy, folder, opening, call);
  }();
  if (!opened || before.empty() || !IsCsv(policy.unit_table())) return opened;
  const Stage stage(call, "comparing with the previous import");
  if (auto stayed = CheckMoves(policy, folder, import, before, options, call); !stayed) return stayed.error();
  return opened;
}

/// PostgreSQL keeps no earlier state of a table, and rows do not leave it to be remembered elsewhere.
Result<void> CheckMovesOnServer(const Policy& policy, const std::string& import, const std::string& before,
                                const Call& call) {
  if (!HasToStay(policy) || import.empty()) return {};
  if (policy.engine == "trino") return CheckMovesOnTrino(policy, import, before, call);
  if (!before.empty())
    call.Tell(
        "the server keeps no earlier state of the table: whether units kept their groups and public columns was not "
        "checked");
  return {};
}

}  // namespace

bool NeedsImport(const Policy& policy) {
  return policy.engine == "duckdb" && std::any_of(policy.tables.begin(), policy.tables.end(), IsCsv);
}

Result<ImportLock> ImportLock::Take(const Policy& policy, const Call& call) {
  const Stage stage(call, "waiting for another import");
  auto lock = FolderOf(policy).Lock(KithFolder::Work::kImport, call.cancel,
                                    [&call] { call.Tell("another process is importing; waiting for it"); });
  if (!lock) return lock.error();
  return ImportLock(std::make_shared<const Descriptor>(std::move(*lock)));
}

Result<std::unique_ptr<Session>> ImportTables(const ImportLock&, const Policy& policy, const std::string& import,
                                              const std::string& before, const EngineOptions& options, const Call& call,
                                              const DataReportSink& report) {
  const bool makes = NeedsImport(policy);
  if (!makes && !report) return nullptr;
  if (policy.engine != "duckdb") {
    const auto found = policy.engine == "trino" ? ReportTrino(policy, call) : ReportPostgreSql(policy, call);
    if (!found) return found.error();
    report(*found);
    if (auto stayed = CheckMovesOnServer(policy, import, before, call); !stayed) return stayed.error();
    return nullptr;
  }
  if (makes && (!IsPlainId(import) || import == before)) return InternalError("this cannot be the id of an import");
  Result<std::unique_ptr<Session>> done = nullptr;
  try {
    done = Import(policy, FolderOf(policy), import, before, options, call, report);
  } catch (const std::exception&) {  // its text may quote data
    done = StorageError("the data could not be imported: memory or the file system failed");
  }
  if (!done && makes)
    RemoveFiles(FolderOf(policy), [&import](const std::string& name) { return ImportOf(name) == import; });
  return done;
}

void RemoveImports(const ImportLock&, const Policy& policy, const std::string& prefix, const std::string& keep) {
  RemoveFiles(FolderOf(policy), [&](const std::string& name) {
    const std::string import = ImportOf(name);
    return IsOutdatedName(name) || (!import.empty() && import.starts_with(prefix) && import != keep);
  });
}

Result<std::unique_ptr<Session>> ImportAndOpen(const Policy& policy, EngineOptions options, const Call& call) {
  if (!NeedsImport(policy)) return OpenSession(policy, options, call);
  constexpr char kOwn[] = "own-";
  const auto ticks = std::chrono::steady_clock::now().time_since_epoch().count();
  options.import = fmt::format("{}{}-{}", kOwn, ::getpid(), ticks);
  const auto lock = ImportLock::Take(policy, call);
  if (!lock) return lock.error();
  auto opened = ImportTables(*lock, policy, options.import, {}, options, call);
  if (!opened) return opened;
  RemoveImports(*lock, policy, kOwn, options.import);
  if (!options.output.empty()) return OpenSession(policy, options, call);
  return opened;
}

}  // namespace kith
