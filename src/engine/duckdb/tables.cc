#include "engine/duckdb/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "engine/duckdb/parquet_file.h"
#include "engine/duckdb/snapshot.h"

namespace kith {

namespace {

/// Opens tables one after another; a DuckDB file that holds several is attached once.
class Opener {
 public:
  Opener(const DuckDbConnection& connection, const Policy& policy, const KithFolder& folder,
         const EngineOptions& options, const Call& call)
      : connection_(connection),
        policy_(policy),
        folder_(folder),
        options_(options),
        call_(call),
        cancel_(call.cancel) {}

  Result<OpenedTable> Open(const Table& table);

 private:
  Result<void> OpenCsv(const Table& table, const std::vector<ShownColumn>& columns, OpenedTable* opened);
  Result<void> OpenInPlace(const Table& table, const std::vector<ShownColumn>& columns, OpenedTable* opened);
  Result<std::string> AttachDuckDb(const Source& source);
  Result<void> CheckBaseTable(const std::string& alias, const Source& source);
  std::string NextAlias() { return fmt::format("kith_{}", aliases_++); }

  const DuckDbConnection& connection_;
  const Policy& policy_;
  const KithFolder& folder_;
  const EngineOptions& options_;
  const Call& call_;
  const CancelFlag& cancel_;
  int aliases_ = 0;
  std::map<std::string, std::string> attached_;  // path to alias
};

std::string ColumnsText(const std::vector<ShownColumn>& columns) {
  std::string text;
  for (const ShownColumn& column : columns) {
    text += fmt::format("{}:{} {};", column.name.size(), column.name, column.type ? DuckDbType(*column.type) : "");
  }
  return text;
}

std::string CreateView(const std::string& name, const std::string& list, const std::string& from) {
  return fmt::format("CREATE VIEW {} AS SELECT {} FROM {}", QuotedName(name), list, from);
}

Result<void> Opener::OpenCsv(const Table& table, const std::vector<ShownColumn>& columns, OpenedTable* opened) {
  const std::string alias = NextAlias();
  auto attached =
      AttachSnapshot(connection_, SnapshotPath(folder_, table.name, options_.import), columns, alias, cancel_);
  if (!attached) {
    Error error = attached.error();
    error.where = opened->source.name;
    return error;
  }
  std::string list;
  for (const ShownColumn& column : columns) {
    const std::string name = QuotedName(column.name);
    list += (list.empty() ? "" : ", ") + name;
    opened->columns.push_back({column, column.type ? DuckDbType(*column.type) : "VARCHAR", name, name, name});
  }
  opened->state = "import " + options_.import;
  opened->from = QuotedName(alias) + ".main.data";
  opened->view_sql = CreateView(table.name, list, opened->from);
  return {};
}

/// What is read in place must be a table: a view would read what the policy does not name. Its text must be compared by
/// bytes.
Result<void> Opener::CheckBaseTable(const std::string& alias, const Source& source) {
  auto found = connection_.PublicTexts(
      fmt::format(
          "SELECT sql FROM duckdb_tables() WHERE database_name = {} AND "
          "('\"' || replace(schema_name, '\"', '\"\"') || '\".\"' || replace(table_name, '\"', '\"\"') || '\"') = {}",
          QuotedText(alias), QuotedText(source.inner_table)),
      cancel_);
  if (!found) return found.error();
  if (found->empty()) {
    return InvalidArgument(fmt::format("the DuckDB file has no table {}", source.inner_table), source.name,
                           "write it as file.duckdb:table or file.duckdb:schema.table; views cannot be used");
  }
  std::string sql = found->front()[0];
  std::transform(sql.begin(), sql.end(), sql.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  if (sql.find("COLLATE") != std::string::npos) {
    return InvalidArgument("the table has a column with a collation; kith compares text byte by byte", source.name,
                           "copy the table without COLLATE");
  }
  return {};
}

Result<std::string> Opener::AttachDuckDb(const Source& source) {
  const auto known = attached_.find(source.path);
  if (known != attached_.end()) return known->second;
  std::error_code ignored;
  const std::string log = source.path + ".wal";
  if (std::filesystem::exists(log, ignored) && std::filesystem::file_size(log, ignored) > 0) {
    return StorageError("the DuckDB file has changes that are not written into it yet", source.name,
                        "open it with DuckDB, run CHECKPOINT, and close it");
  }
  const std::string alias = NextAlias();
  const std::string attach = fmt::format("ATTACH {} AS {} (READ_ONLY)", QuotedText(source.path), QuotedName(alias));
  if (auto done = connection_.Execute(attach, cancel_); !done) {
    Error error = done.error();
    if (error.code == Code::kInternal) error = StorageError("this DuckDB file cannot be read");
    error.where = source.name;
    return error;
  }
  attached_.emplace(source.path, alias);
  return alias;
}

Result<void> Opener::OpenInPlace(const Table& table, const std::vector<ShownColumn>& columns, OpenedTable* opened) {
  const Source& source = opened->source;
  auto identity = Identify(source.path);
  if (!identity) return identity.error();
  opened->identity = *identity;
  std::string from;
  if (source.kind == SourceKind::kParquet) {
    from = ReadParquet(source.path);
  } else {
    auto alias = AttachDuckDb(source);
    if (!alias) return alias.error();
    if (auto checked = CheckBaseTable(*alias, source); !checked) return checked.error();
    from = QuotedName(*alias) + "." + source.inner_table;
  }
  auto physical = Describe(connection_, from, cancel_);
  if (!physical) {
    if (physical.error().code == Code::kCancelled) return physical.error();
    return StorageError("this file cannot be read: it is damaged or of another kind than its name says", source.name);
  }
  std::vector<RawColumn> raw;
  for (const ShownColumn& column : columns) {
    const auto named = [&column](const PhysicalColumn& other) { return other.name == column.name; };
    const auto found = std::find_if(physical->begin(), physical->end(), named);
    if (found == physical->end()) {
      return InvalidArgument(fmt::format("the file has no column \"{}\"", column.name), source.name,
                             "add the column to the file, or remove it from the policy");
    }
    raw.push_back({column.name, found->type, QuotedName(column.name)});
    if (auto usable = ReadAs(raw.back().expression, found->type, column.type); !usable) {
      Error error = usable.error();
      error.where = table.name + "." + column.name;
      return error;
    }
  }
  if (source.kind == SourceKind::kParquet) {
    auto readable = ReadableParquet(connection_, source, *identity, table.name, folder_, &raw, call_);
    if (!readable) return readable.error();
    opened->parquet = *readable;
    from = ReadParquet(opened->parquet);
  }
  std::string list;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    auto read = ReadAs(raw[k].expression, raw[k].type, columns[k].type);
    if (!read) return read.error();
    const std::string name = QuotedName(columns[k].name);
    list += fmt::format("{}{} AS {}", list.empty() ? "" : ", ", *read, name);
    opened->columns.push_back({columns[k], raw[k].type, name, raw[k].expression, *read});
  }
  opened->from = from;
  opened->state = fmt::format("file {} {}", identity->Text(), source.inner_table);
  opened->view_sql = CreateView(table.name, list, from);
  return {};
}

Result<OpenedTable> Opener::Open(const Table& table) {
  auto columns = ShownColumns(table, policy_);
  if (!columns) return columns.error();
  auto source = NameSource(table.source, table.name);
  if (!source) return source.error();
  const bool in_place = source->kind != SourceKind::kCsv;
  if (in_place) source = ResolveSource(table.source, table.name, std::filesystem::absolute(policy_.file).parent_path());
  if (!source) return source.error();
  OpenedTable opened;
  opened.source = *source;
  auto done = in_place ? OpenInPlace(table, *columns, &opened) : OpenCsv(table, *columns, &opened);
  if (!done) return done.error();
  opened.state += fmt::format(" {}:{} {}", table.name.size(), table.name, ColumnsText(*columns));
  return opened;
}

}  // namespace

std::string ReadParquet(const std::string& path) {
  return fmt::format("read_parquet({}, binary_as_string = false, hive_partitioning = false, union_by_name = false)",
                     QuotedText(path));
}

Result<std::vector<PhysicalColumn>> Describe(const DuckDbConnection& connection, const std::string& from,
                                             const CancelFlag& cancel) {
  auto rows = connection.PublicTexts(
      fmt::format("SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM {})", from), cancel);
  if (!rows) return rows.error();
  std::vector<PhysicalColumn> columns;
  for (auto& row : *rows) columns.push_back({std::move(row[0]), std::move(row[1])});
  return columns;
}

Result<std::vector<OpenedTable>> OpenTables(const DuckDbConnection& connection, const Policy& policy,
                                            const KithFolder& folder, const EngineOptions& options, const Call& call) {
  Opener opener(connection, policy, folder, options, call);
  std::vector<OpenedTable> tables;
  for (const Table& table : policy.tables) {
    auto opened = opener.Open(table);
    if (!opened) return opened.error();
    tables.push_back(std::move(*opened));
  }
  return tables;
}

bool IsCurrent(const OpenedTable& table) {
  if (table.source.kind == SourceKind::kCsv) return true;  // the snapshot is ours and does not change
  const auto now = Identify(table.source.path);
  return now && *now == table.identity;
}

Result<void> CheckUnchanged(const OpenedTable& table) {
  if (IsCurrent(table)) return {};
  return StorageError("the file changed after it was opened; what was read is discarded", table.source.name,
                      "ask again once the file is complete");
}

}  // namespace kith
