#include "engine/duckdb/snapshot.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>

#include "base/digest.h"
#include "engine/duckdb/csv_scan.h"
#include "engine/duckdb/lockdown.h"

namespace kith {

namespace fs = std::filesystem;

namespace {

// Kept in every snapshot: after a change of the rules below the data must be imported again.
constexpr char kRules[] = "kith-csv-3";
constexpr int kAttempts = 3;
constexpr char kEnding[] = ".duckdb";
constexpr std::size_t kDigits = 16;  // of a digest in a name

std::string ShortDigest(const std::string& text) { return Sha256(text).substr(0, kDigits); }

/// "32,894"
std::string Grouped(std::int64_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t k = 0; k < digits.size(); ++k) {
    if (k > 0 && (digits.size() - k) % 3 == 0) text.push_back(',');
    text.push_back(digits[k]);
  }
  return text;
}

bool IsPlain(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

/// A table name may hold anything; a file name may not.
std::string FileNamePart(const std::string& table) {
  std::string part;
  for (const char c : table.substr(0, 40)) part.push_back(IsPlain(c) ? c : '_');
  return part;
}

bool IsDigest(std::string_view text) {
  return text.size() == kDigits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// What follows "<table>.<digest>-" in a name, without the extension; empty if the name has another form.
std::string AfterDigest(const std::string& name) {
  const std::size_t dot = name.find('.');
  const std::size_t begin = dot + 1 + kDigits + 1;
  const std::size_t ending = sizeof(kEnding) - 1;
  if (dot == std::string::npos || name.size() <= begin + ending || !name.ends_with(kEnding)) return {};
  if (name[begin - 1] != '-' || !IsDigest(std::string_view(name).substr(dot + 1, kDigits))) return {};
  return name.substr(begin, name.size() - begin - ending);
}

/// Two imports agree on it if they show the same columns with the same types.
std::string ColumnsDigest(const std::vector<ShownColumn>& columns) {
  std::string declared;
  for (const ShownColumn& column : columns) {
    declared += column.Text() + "\n";
  }
  return ShortDigest(declared);
}

struct Imported {
  std::int64_t rows = 0;
  std::int64_t broken = 0;
  std::vector<std::int64_t> broken_at;   // the first of them
  std::vector<std::int64_t> unreadable;  // per column
  std::vector<std::string> reads;        // per column: SQL over c0, c1, ...
  std::vector<Spellings> unreadable_as;  // per column
  std::string content_digest;
  std::optional<std::string> content_before;
};

/// What is left to do once the scan has taken out the marks for what is missing.
ColumnReading AfterScan(const ShownColumn& column) {
  ColumnReading reading = column.reading;
  reading.missing.clear();
  return reading;
}

Result<Imported> ReadIntoTable(const DuckDbConnection& connection, CsvScan* scan,
                               const std::vector<ShownColumn>& columns, const CancelFlag& cancel) {
  Imported imported;
  std::string list, counts;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    auto read = ReadAs(fmt::format("c{}", k), "VARCHAR", columns[k].type, AfterScan(columns[k]));
    if (!read) return read.error();
    list += fmt::format("{}{} AS {}", k == 0 ? "" : ", ", *read, QuotedName(columns[k].name));
    counts += fmt::format(", count({})", QuotedName(columns[k].name));
    imported.reads.push_back(*read);
  }
  if (auto registered = scan->Register(connection, "kith_csv"); !registered) return registered.error();
  auto done = connection.Execute(fmt::format("CREATE TABLE data AS SELECT {} FROM kith_csv()", list), cancel);
  if (const auto error = scan->error()) return *error;
  if (!done) return done.error();
  auto counted = connection.Integers(fmt::format("SELECT count(*){} FROM data", counts), cancel);
  if (!counted) return counted.error();
  const auto count = [&counted](std::size_t k) { return static_cast<std::int64_t>(counted->rows[0][k].value_or(0)); };
  imported.rows = count(0);
  imported.broken = scan->broken_lines();
  imported.broken_at = scan->FirstBroken();
  for (std::size_t k = 0; k < columns.size(); ++k) imported.unreadable.push_back(scan->filled(k) - count(k + 1));
  return imported;
}

/// The unreadable values again, by their spelling. Nothing is read where there are none.
Result<void> SpellUnreadable(const DuckDbConnection& connection, const CsvFile& csv, std::vector<std::size_t> wanted,
                             const std::vector<bool>& spelled, Imported* imported, const CancelFlag& cancel) {
  imported->unreadable_as.resize(imported->reads.size());
  std::vector<SpelledColumn> columns;
  for (std::size_t k = 0; k < spelled.size(); ++k) {
    if (!spelled[k] || imported->unreadable[k] == 0) continue;
    const std::string test = fmt::format("c{} IS NOT NULL AND {} IS NULL", k, imported->reads[k]);
    columns.push_back({test, fmt::format("c{}", k), &imported->unreadable_as[k]});
  }
  if (columns.empty()) return {};
  const Progress silent;
  CsvScan scan(csv, std::move(wanted), cancel, silent);
  if (auto registered = scan.Register(connection, "kith_csv_again"); !registered) return registered.error();
  auto done = Spell(connection, "kith_csv_again()", columns, cancel);
  if (const auto error = scan.error()) return *error;
  return done;
}

/// What the snapshot of an earlier import says about its file; nothing if it cannot be read. Asked in the database that
/// is there anyway, before it is locked: opening another one would take longer than all the rest.
std::optional<std::string> ContentOf(const fs::path& path, const DuckDbConnection& connection,
                                     const std::vector<ShownColumn>& columns, const CancelFlag& cancel) {
  constexpr char kBefore[] = "kith_before";
  if (path.empty()) return std::nullopt;
  auto meta = AttachSnapshot(connection, path, columns, kBefore, cancel);
  if (!meta || !connection.Execute(fmt::format("DETACH {}", kBefore), cancel)) return std::nullopt;
  return std::move(meta->content_digest);
}

/// Makes the database file at `path` from the CSV file.
Result<Imported> WriteFile(const fs::path& path, const fs::path& before, const CsvFile& csv,
                           const std::vector<ShownColumn>& columns, const std::vector<bool>& spelled,
                           const EngineOptions& options, const Call& call) {
  const CancelFlag& cancel = call.cancel;
  std::vector<std::size_t> wanted;
  for (const ShownColumn& column : columns) {
    auto at = csv.Find(column.name);
    if (!at) return at.error();
    wanted.push_back(*at);
  }
  CsvScan scan(csv, wanted, cancel, call.progress);
  for (std::size_t k = 0; k < columns.size(); ++k) scan.SetMissing(k, columns[k].reading.missing);
  auto database = DuckDb::Open(path.string(), LockedSettings(options, path.parent_path().string()));
  if (!database) return database.error();
  auto connection = database->Connect();
  if (!connection) return connection.error();
  auto content_before = ContentOf(before, *connection, columns, cancel);
  if (auto locked = LockDown(*connection, {}, cancel); !locked) return locked.error();
  auto imported = ReadIntoTable(*connection, &scan, columns, cancel);
  if (!imported) return imported.error();
  imported->content_digest = scan.ContentDigest();
  imported->content_before = std::move(content_before);
  if (auto seen = SpellUnreadable(*connection, csv, std::move(wanted), spelled, &*imported, cancel); !seen)
    return seen.error();
  const std::string meta =
      fmt::format("CREATE TABLE meta AS SELECT {} AS rules, {} AS columns, {} AS content", QuotedText(kRules),
                  QuotedText(ColumnsDigest(columns)), QuotedText(imported->content_digest));
  if (auto written = connection->Execute(meta, cancel); !written) return written.error();
  if (auto written = connection->Execute("CHECKPOINT", cancel); !written) return written.error();
  return imported;
}

void TellImported(const Imported& imported, const Source& source, const std::vector<ShownColumn>& columns,
                  bool reported, const Call& call) {
  std::string text =
      fmt::format("read {} {} of {}", Grouped(imported.rows), imported.rows == 1 ? "row" : "rows", source.name);
  if (imported.broken > 0) {
    text +=
        fmt::format("; {} broken {} dropped", Grouped(imported.broken), imported.broken == 1 ? "row was" : "rows were");
  }
  call.Tell(text);
  for (std::size_t k = 0; k < columns.size() && !reported; ++k) {  // a report says it better
    if (imported.unreadable[k] == 0) continue;
    call.Tell(fmt::format("{} of {}: {} {} not be read as {} and will count as missing", columns[k].name, source.name,
                          Grouped(imported.unreadable[k]), imported.unreadable[k] == 1 ? "value could" : "values could",
                          columns[k].type ? DuckDbType(*columns[k].type) : "text"));
  }
}

/// Nothing: the file changed in the meantime, try again.
Result<std::optional<Imported>> Import(const CsvFile& csv, const Source& source, const fs::path& final_path,
                                       const fs::path& before, const std::vector<ShownColumn>& columns,
                                       const std::vector<bool>& spelled, const KithFolder& folder,
                                       const EngineOptions& options, const Call& call) {
  auto place = folder.MakeWorkFolder(KithFolder::Work::kImport);
  if (!place) return place.error();
  struct Remover {
    fs::path path;
    ~Remover() {
      std::error_code ignored;
      fs::remove_all(path, ignored);
    }
  } remover{*place};
  const fs::path made = *place / "snapshot.duckdb";
  auto imported = WriteFile(made, before, csv, columns, spelled, options, call);
  if (!imported) {
    Error error = imported.error();
    if (error.where.empty()) error.where = "import of " + source.name;
    return error;
  }
  if (!csv.Unchanged()) return std::optional<Imported>();
  // A user who may read the CSV file may read its snapshot; nobody may write to it.
  if (::chmod(made.c_str(), 0400) != 0) {
    return FolderError("the snapshot cannot be finished", made, errno);
  }
  if (auto synced = SyncToDisk(made); !synced) return synced.error();
  if (::rename(made.c_str(), final_path.c_str()) != 0) {
    return FolderError("the snapshot cannot be named", final_path, errno);
  }
  if (auto synced = SyncToDisk(folder.path()); !synced) return synced.error();
  return std::optional(std::move(*imported));
}

Error ImportAgain(std::string what) {
  return StorageError(std::move(what), {}, "the curator imports the data again").For("import");
}

}  // namespace

fs::path SnapshotPath(const KithFolder& folder, const std::string& table, const std::string& import) {
  return folder.path() / fmt::format("{}.{}-{}{}", FileNamePart(table), ShortDigest(table), import, kEnding);
}

std::string ImportOf(const std::string& file_name) {
  return IsOutdatedName(file_name) ? std::string() : AfterDigest(file_name);
}

bool IsOutdatedName(const std::string& file_name) {
  const std::string rest = AfterDigest(file_name);
  return rest.size() == 2 * kDigits + 1 && rest[kDigits] == '-' && IsDigest(rest.substr(0, kDigits)) &&
         IsDigest(rest.substr(kDigits + 1));
}

Result<MadeSnapshot> MakeSnapshot(const Source& source, const std::string& table,
                                  const std::vector<ShownColumn>& columns, const std::string& import,
                                  const std::string& before, const KithFolder& folder, const EngineOptions& options,
                                  const Call& call, const std::vector<bool>& spelled) {
  const Stage stage(call, "reading " + source.name + " in");
  const fs::path old_path = before.empty() ? fs::path() : SnapshotPath(folder, table, before);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    auto csv = CsvFile::Open(source.path, {.shape = source.csv, .scratch = folder.path()}, call.cancel);
    if (!csv) return csv.error();
    auto imported =
        Import(*csv, source, SnapshotPath(folder, table, import), old_path, columns, spelled, folder, options, call);
    if (!imported) return imported.error();
    if (!*imported) continue;
    TellImported(**imported, source, columns, !spelled.empty(), call);
    MadeSnapshot made;
    made.content_digest = std::move((*imported)->content_digest);
    made.content_before = std::move((*imported)->content_before);
    made.dropped = (*imported)->broken;
    made.dropped_at = std::move((*imported)->broken_at);
    made.unreadable = std::move((*imported)->unreadable);
    made.unreadable_as = std::move((*imported)->unreadable_as);
    return made;
  }
  return StorageError("the file keeps changing while it is imported", source.name, "wait until it is complete");
}

Result<SnapshotMeta> AttachSnapshot(const DuckDbConnection& connection, const fs::path& path,
                                    const std::vector<ShownColumn>& columns, const std::string& alias,
                                    const CancelFlag& cancel) {
  if (::access(path.c_str(), R_OK) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return ImportAgain("the imported data are not there");
    return StorageError(fmt::format("the imported data cannot be read ({})", std::strerror(errno)), {},
                        "a user who may read the CSV file may read what was imported from it");
  }
  const std::string attach = fmt::format("ATTACH {} AS {} (READ_ONLY)", QuotedText(path.string()), QuotedName(alias));
  if (auto attached = connection.Execute(attach, cancel); !attached) {
    if (attached.error().code == Code::kCancelled) return attached.error();
    return ImportAgain("the imported data are damaged");
  }
  auto meta = connection.PublicTexts(fmt::format("SELECT rules, columns, content FROM {}.main.meta", QuotedName(alias)),
                                     cancel);
  const auto refuse = [&](Error error) {
    const CancelFlag never;
    (void)connection.Execute(fmt::format("DETACH {}", QuotedName(alias)), never);
    return error;
  };
  if (!meta && meta.error().code == Code::kCancelled) return refuse(meta.error());
  if (!meta || meta->size() != 1) return refuse(ImportAgain("the imported data are damaged"));
  const std::vector<std::string>& row = meta->front();
  if (row[0] != kRules) return refuse(ImportAgain("the data were imported by another version of kith"));
  if (row[1] != ColumnsDigest(columns)) {
    return refuse(ImportAgain("the policy shows other columns than were imported"));
  }
  return SnapshotMeta{row[2]};
}

}  // namespace kith
