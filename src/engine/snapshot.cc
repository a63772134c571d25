#include "engine/snapshot.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "base/digest.h"
#include "engine/csv_scan.h"
#include "engine/lockdown.h"

namespace kith {

namespace fs = std::filesystem;

namespace {

// Part of every snapshot's name: a change of the rules below makes new snapshots.
constexpr char kRules[] = "kith-csv-1";
constexpr int kAttempts = 3;

std::string ShortDigest(const std::string& text) { return Sha256(text).substr(0, 16); }

/// "32,894"
std::string Grouped(std::int64_t number) {
  std::string digits = std::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), ",");
  }
  return digits;
}

/// A table name may hold anything; a file name may not.
std::string FileNamePart(const std::string& table) {
  std::string part;
  for (const char c : table.substr(0, 40)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    part.push_back(plain ? c : '_');
  }
  return part;
}

struct SnapshotName {
  std::string prefix;    // table and path of the CSV file
  std::string identity;  // of the CSV file
  std::string columns;
  std::string Full() const { return prefix + identity + "-" + columns + ".duckdb"; }
};

SnapshotName NameOf(const Source& source, const std::string& table, const FileIdentity& identity,
                    const std::vector<ShownColumn>& columns) {
  std::string declared = fmt::format("{}\n{}\n", kRules, table);
  for (const ShownColumn& column : columns) {
    declared += fmt::format("{}:{} {}\n", column.name.size(), column.name, column.type ? DuckDbType(*column.type) : "");
  }
  return {FileNamePart(table) + "." + ShortDigest(source.path) + "-", ShortDigest(identity.Text()),
          ShortDigest(declared)};
}

/// Copies of data that are no longer asked for should not lie around: removes snapshots of earlier states of the same
/// file.
void RemoveOutdated(const KithFolder& folder, const SnapshotName& name) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder.path(), ignored)) {
    const std::string file = entry.path().filename().string();
    if (file.rfind(name.prefix, 0) == 0 && file.compare(name.prefix.size(), name.identity.size(), name.identity) != 0) {
      fs::remove(entry.path(), ignored);
    }
  }
}

struct Imported {
  std::int64_t rows = 0;
  std::int64_t broken = 0;
  std::vector<std::int64_t> unreadable;  // per column
};

Result<Imported> ReadIntoTable(const DuckDbConnection& connection, CsvScan* scan,
                               const std::vector<ShownColumn>& columns, const CancelFlag& cancel) {
  std::string list, counts;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    auto read = ReadAs(fmt::format("c{}", k), "VARCHAR", columns[k].type);
    if (!read) return read.error();
    list += fmt::format("{}{} AS {}", k == 0 ? "" : ", ", *read, QuoteName(columns[k].name));
    counts += fmt::format(", count({})", QuoteName(columns[k].name));
  }
  if (auto registered = scan->Register(connection, "kith_csv"); !registered) return registered.error();
  auto done = connection.Execute(fmt::format("CREATE TABLE data AS SELECT {} FROM kith_csv()", list), cancel);
  if (const auto error = scan->error()) return *error;
  if (!done) return done.error();
  auto counted = connection.Integers(fmt::format("SELECT count(*){} FROM data", counts), cancel);
  if (!counted) return counted.error();
  Imported imported;
  const auto count = [&counted](std::size_t k) { return static_cast<std::int64_t>(counted->rows[0][k].value_or(0)); };
  imported.rows = count(0);
  imported.broken = scan->broken_lines();
  for (std::size_t k = 0; k < columns.size(); ++k) imported.unreadable.push_back(scan->filled(k) - count(k + 1));
  return imported;
}

/// Makes the database file at `path` from the CSV file.
Result<Imported> WriteSnapshot(const fs::path& path, const CsvFile& csv, const std::vector<ShownColumn>& columns,
                               const EngineOptions& options, const CancelFlag& cancel) {
  std::vector<std::size_t> wanted;
  for (const ShownColumn& column : columns) {
    auto at = csv.Find(column.name);
    if (!at) return at.error();
    wanted.push_back(*at);
  }
  CsvScan scan(csv, std::move(wanted), cancel, options.progress);
  auto database = DuckDb::Open(path.string(), LockedSettings(options, path.parent_path().string()));
  if (!database) return database.error();
  auto connection = database->Connect();
  if (!connection) return connection.error();
  if (auto locked = LockDown(*connection, {}, cancel); !locked) return locked.error();
  auto imported = ReadIntoTable(*connection, &scan, columns, cancel);
  if (!imported) return imported.error();
  const std::string meta = fmt::format("CREATE TABLE meta AS SELECT {} AS rules, {} AS content", QuoteText(kRules),
                                       QuoteText(scan.ContentDigest()));
  if (auto written = connection->Execute(meta, cancel); !written) return written.error();
  if (auto written = connection->Execute("CHECKPOINT", cancel); !written) return written.error();
  return imported;
}

void Tell(const EngineOptions& options, const std::string& text) {
  if (options.notice) options.notice(text);
}

void TellImported(const Imported& imported, const Source& source, const std::vector<ShownColumn>& columns,
                  const EngineOptions& options) {
  std::string text = fmt::format("imported {} rows of {}", Grouped(imported.rows), source.name);
  if (imported.broken > 0) {
    text +=
        fmt::format("; {} broken {} dropped", Grouped(imported.broken), imported.broken == 1 ? "row was" : "rows were");
  }
  Tell(options, text);
  for (std::size_t k = 0; k < columns.size(); ++k) {
    if (imported.unreadable[k] == 0) continue;
    Tell(options,
         fmt::format("{} of {}: {} {} not be read as {} and count as missing", columns[k].name, source.name,
                     Grouped(imported.unreadable[k]), imported.unreadable[k] == 1 ? "value could" : "values could",
                     columns[k].type ? DuckDbType(*columns[k].type) : "text"));
  }
}

/// Imports under the lock. Nothing: the file changed meanwhile, try again.
Result<bool> Import(const CsvFile& csv, const Source& source, const SnapshotName& name,
                    const std::vector<ShownColumn>& columns, const KithFolder& folder, const EngineOptions& options,
                    const CancelFlag& cancel) {
  auto place = folder.MakeImportFolder();
  if (!place) return place.error();
  struct Remover {
    fs::path path;
    ~Remover() {
      std::error_code ignored;
      fs::remove_all(path, ignored);
    }
  } remover{*place};
  const fs::path made = *place / "snapshot.duckdb";
  auto imported = WriteSnapshot(made, csv, columns, options, cancel);
  if (!imported) {
    Error error = imported.error();
    if (error.where.empty()) error.where = "import of " + source.name;
    return error;
  }
  if (!csv.Unchanged()) return false;
  // Whoever may read the CSV file may read its snapshot; nobody may write to it.
  if (::chmod(made.c_str(), (csv.identity().mode & 0444U) | 0400U) != 0) {
    return FolderError("the snapshot cannot be finished", made, errno);
  }
  if (auto synced = SyncToDisk(made); !synced) return synced.error();
  const fs::path final_path = folder.path() / name.Full();
  if (::rename(made.c_str(), final_path.c_str()) != 0)
    return FolderError("the snapshot cannot be named", final_path, errno);
  if (auto synced = SyncToDisk(folder.path()); !synced) return synced.error();
  RemoveOutdated(folder, name);
  TellImported(*imported, source, columns, options);
  return true;
}

}  // namespace

Result<Snapshot> EnsureSnapshot(const Source& source, const std::string& table, const std::vector<ShownColumn>& columns,
                                const KithFolder& folder, const EngineOptions& options, const CancelFlag& cancel) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    auto identity = Identify(source.path);
    if (!identity) return identity.error();
    const std::string path = folder.path() / NameOf(source, table, *identity, columns).Full();
    if (!options.import_anew && ::access(path.c_str(), F_OK) == 0) return Snapshot{path};
    auto lock = folder.LockImports(cancel, [&] { Tell(options, "another process is importing; waiting for it"); });
    if (!lock) return lock.error();
    auto csv = CsvFile::Open(source.path, source.delimiter);
    if (!csv) return csv.error();
    const SnapshotName name = NameOf(source, table, csv->identity(), columns);
    const std::string now = folder.path() / name.Full();
    if (!options.import_anew && ::access(now.c_str(), F_OK) == 0) return Snapshot{now};
    auto imported = Import(*csv, source, name, columns, folder, options, cancel);
    if (!imported) return imported.error();
    if (*imported) return Snapshot{now};
  }
  return StorageError("the file keeps changing while it is imported", source.name, "wait until it is complete");
}

Result<SnapshotMeta> AttachSnapshot(const DuckDbConnection& connection, const Snapshot& snapshot,
                                    const std::string& alias, const CancelFlag& cancel) {
  const std::string attach = fmt::format("ATTACH {} AS {} (READ_ONLY)", QuoteText(snapshot.path), QuoteName(alias));
  if (auto attached = connection.Execute(attach, cancel); !attached) return attached.error();
  auto meta = connection.PublicTexts(fmt::format("SELECT rules, content FROM {}.main.meta", QuoteName(alias)), cancel);
  if (meta && meta->size() == 1 && meta->front()[0] == kRules) return SnapshotMeta{meta->front()[1]};
  const CancelFlag never;
  (void)connection.Execute(fmt::format("DETACH {}", QuoteName(alias)), never);
  if (!meta) return meta.error();
  return StorageError("this is no snapshot of this version", snapshot.path);
}

}  // namespace kith
