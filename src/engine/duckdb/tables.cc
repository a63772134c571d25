#include "engine/duckdb/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/spelling.h"
#include "engine/duckdb/frame_cells.h"
#include "engine/duckdb/frame_scan.h"
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
  Result<OpenedTable> OpenFrame(const Table& table);
  Result<void> OpenInPlace(const Table& table, const std::vector<ShownColumn>& columns, OpenedTable* opened);
  Result<void> OpenDuckDb(const Table& table, const std::vector<ShownColumn>& columns, OpenedTable* opened);
  Result<void> OpenParquet(const Table& table, const std::vector<ShownColumn>& columns, OpenedTable* opened);
  Result<std::vector<PhysicalColumn>> DescribeFile(const std::string& from, const std::string& name);
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
    text += column.Text() + ";";
  }
  return text;
}

std::string CreateView(const std::string& name, const std::string& list, const std::string& from) {
  return fmt::format("CREATE VIEW {} AS SELECT {} FROM {}", QuotedName(name), list, from);
}

/// Names that are equal in this way are one to DuckDB.
std::string Lowered(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

/// What a report looks at where only what questions read is there.
std::vector<ReadColumn> AsShown(const std::vector<ShownColumn>& columns) {
  std::vector<ReadColumn> all;
  for (const ShownColumn& column : columns) {
    const std::string name = QuotedName(column.name);
    all.push_back({column, column.type ? DuckDbType(*column.type) : "VARCHAR", name, name, name});
  }
  return all;
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
  opened->columns = AsShown(columns);
  std::string list;
  for (const ReadColumn& column : opened->columns) list += (list.empty() ? "" : ", ") + column.stored;
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

/// The columns of the policy among those of a file. Fails: kInvalidArgument.
Result<std::vector<RawColumn>> FindColumns(const std::vector<ShownColumn>& columns,
                                           const std::vector<PhysicalColumn>& physical, const std::string& table,
                                           const std::string& file) {
  std::vector<RawColumn> raw;
  for (const ShownColumn& column : columns) {
    const auto named = [&column](const PhysicalColumn& other) { return other.name == column.name; };
    const auto found = std::find_if(physical.begin(), physical.end(), named);
    if (found == physical.end()) {
      std::vector<std::string> names;
      for (const PhysicalColumn& other : physical) names.push_back(other.name);
      const std::string near = NearestWord(column.name, names);
      const char* what = FrameNamed(file).empty() ? "file" : "frame";
      return InvalidArgument(fmt::format("the {} has no column \"{}\"{}", what, column.name,
                                         near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near)),
                             file, fmt::format("add the column to the {}, or remove it from the policy", what));
    }
    raw.push_back({column.name, found->type, QuotedName(column.name)});
    if (auto usable = ReadAs(raw.back().expression, found->type, column.type); !usable) {
      Error error = usable.error();
      error.where = table + "." + column.name;
      return error;
    }
  }
  return raw;
}

/// "a AS x, b AS y"
Result<std::string> SelectList(const std::vector<ShownColumn>& columns, const std::vector<RawColumn>& raw) {
  std::string list;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    auto read = ReadAs(raw[k].expression, raw[k].type, columns[k].type, columns[k].reading);
    if (!read) return read.error();
    list += fmt::format("{}{} AS {}", list.empty() ? "" : ", ", *read, QuotedName(columns[k].name));
  }
  return list;
}

/// What a report looks at: the stored values next to those that questions read. Requires: SelectList succeeded.
std::vector<ReadColumn> ReadColumns(const std::vector<ShownColumn>& columns, const std::vector<RawColumn>& raw) {
  std::vector<ReadColumn> all;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const auto read = ReadAs(raw[k].expression, raw[k].type, columns[k].type, columns[k].reading);
    all.push_back({columns[k], raw[k].type, QuotedName(columns[k].name), raw[k].expression, read.value_or("NULL")});
  }
  return all;
}

Result<std::vector<PhysicalColumn>> Opener::DescribeFile(const std::string& from, const std::string& name) {
  auto physical = Describe(connection_, from, cancel_);
  if (physical || physical.error().code == Code::kCancelled) return physical;
  return StorageError("this file cannot be read: it is damaged or of another kind than its name says", name);
}

Result<void> Opener::OpenDuckDb(const Table& table, const std::vector<ShownColumn>& columns, OpenedTable* opened) {
  const Source& source = opened->source;
  auto alias = AttachDuckDb(source);
  if (!alias) return alias.error();
  if (auto checked = CheckBaseTable(*alias, source); !checked) return checked.error();
  const std::string from = QuotedName(*alias) + "." + source.inner_table;
  auto physical = DescribeFile(from, source.name);
  if (!physical) return physical.error();
  auto raw = FindColumns(columns, *physical, table.name, source.name);
  if (!raw) return raw.error();
  auto list = SelectList(columns, *raw);
  if (!list) return list.error();
  opened->from = from;
  opened->columns = ReadColumns(columns, *raw);
  opened->view_sql = CreateView(table.name, *list, from);
  return {};
}

/// A column without a declared type takes the type of the files, which must agree. Fails: kInvalidArgument.
Result<void> CheckSameTypes(const std::vector<ShownColumn>& columns, const std::vector<RawColumn>& first,
                            const std::vector<RawColumn>& other, const std::string& file) {
  for (std::size_t k = 0; k < columns.size(); ++k) {
    if (columns[k].type || first[k].type == other[k].type) continue;
    return InvalidArgument(
        fmt::format("the column \"{}\" has another type than in the first file of the table", columns[k].name), file,
        "declare the column with its type, or write the files alike");
  }
  return {};
}

/// Files whose columns are alike are read together; every other kind of file is read as its own columns say.
Result<void> Opener::OpenParquet(const Table& table, const std::vector<ShownColumn>& columns, OpenedTable* opened) {
  const Source& source = opened->source;
  std::vector<std::pair<std::string, std::vector<std::string>>> alike;  // what is selected and the files, by columns
  std::map<std::string, std::size_t> places;
  std::vector<RawColumn> first;
  for (std::size_t k = 0; k < source.paths.size(); ++k) {
    Source one = source;
    one.path = source.paths[k];
    if (source.paths.size() > 1) one.name = std::filesystem::path(one.path).filename().string();
    auto physical = DescribeFile(ReadParquet(one.path), one.name);
    if (!physical) return physical.error();
    auto raw = FindColumns(columns, *physical, table.name, one.name);
    if (!raw) return raw.error();
    if (k == 0) first = *raw;
    if (auto same = CheckSameTypes(columns, first, *raw, one.name); !same) return same.error();
    const std::string owner = source.paths.size() == 1 ? table.name : table.name + "\n" + one.path;
    auto readable = ReadableParquet(connection_, one, opened->identities[k], owner, folder_, &*raw, call_);
    if (!readable) return readable.error();
    if (k == 0) opened->columns = ReadColumns(columns, *raw);
    auto list = SelectList(columns, *raw);
    if (!list) return list.error();
    std::string kind = *list;
    for (const PhysicalColumn& column : *physical) kind += fmt::format("\n{} {}", column.name, column.type);
    const auto [place, added] = places.emplace(kind, alike.size());
    if (added) alike.push_back({*list, {}});
    alike[place->second].second.push_back(*readable);
    opened->parquet.push_back(*readable);
  }
  std::string selects;
  for (const auto& [list, files] : alike)
    selects += fmt::format("{}SELECT {} FROM {}", selects.empty() ? "" : " UNION ALL ", list, ReadParquet(files));
  opened->view_sql = fmt::format("CREATE VIEW {} AS {}", QuotedName(table.name), selects);
  // Files whose columns differ have no stored values of one type.
  opened->from = alike.size() == 1 ? ReadParquet(alike[0].second) : "(" + selects + ")";
  if (alike.size() > 1) opened->columns = AsShown(columns);
  return {};
}

/// Names a table and its columns in a state, so that what is remembered about one is not taken for another's.
std::string StateOfTable(const Table& table, const std::vector<ShownColumn>& columns) {
  return fmt::format(" {}:{} {}", table.name.size(), table.name, ColumnsText(columns));
}

/// A frame is held by the database, and stays as it was handed over.
Result<OpenedTable> Opener::OpenFrame(const Table& table) {
  const auto columns = ShownColumns(table, policy_);
  if (!columns) return columns.error();
  const auto source = NameSource(table);
  if (!source) return source.error();
  const Frames& frames = FramesOf(options_);
  const auto found = frames.find(FrameNamed(table.source));
  if (found == frames.end()) {
    return InvalidArgument("this table is in the memory of a program, which has not handed it over", source->name,
                           "open the policy in the program that has the frame");
  }
  std::vector<PhysicalColumn> physical;
  std::set<std::string> names;
  for (const FrameColumn& column : found->second->columns()) {
    physical.push_back({column.name, TypeNameOf(column)});
    if (!names.insert(Lowered(column.name)).second)
      return InvalidArgument(
          fmt::format("two columns differ only in upper and lower case, which the engine takes for one: \"{}\"",
                      column.name),
          source->name, "rename one of them, or hand over the columns that are declared alone");
  }
  const auto raw = FindColumns(*columns, physical, table.name, source->name);
  if (!raw) return raw.error();
  const auto list = SelectList(*columns, *raw);
  if (!list) return list.error();
  const std::string function = NextAlias();
  if (auto shown = ShowFrame(connection_, function, found->second); !shown) return shown.error();
  OpenedTable opened;
  opened.source = *source;
  opened.state = "frame " + found->second->id() + StateOfTable(table, *columns);
  opened.from = QuotedName(function) + "()";
  opened.columns = ReadColumns(*columns, *raw);
  opened.view_sql = CreateView(table.name, *list, opened.from);
  return opened;
}

Result<void> Opener::OpenInPlace(const Table& table, const std::vector<ShownColumn>& columns, OpenedTable* opened) {
  const Source& source = opened->source;
  opened->state = "file";
  for (const std::string& path : source.paths) {
    auto identity = Identify(path);
    if (!identity) return identity.error();
    opened->identities.push_back(*identity);
    opened->state += " " + identity->Text();
  }
  opened->state += " " + source.inner_table;
  return source.kind == SourceKind::kParquet ? OpenParquet(table, columns, opened) : OpenDuckDb(table, columns, opened);
}

Result<OpenedTable> Opener::Open(const Table& table) {
  auto columns = ShownColumns(table, policy_);
  if (!columns) return columns.error();
  auto source = NameSource(table);
  if (!source) return source.error();
  if (source->kind == SourceKind::kFrame) return OpenFrame(table);
  const bool in_place = source->kind != SourceKind::kCsv;
  OpenedTable opened;
  if (in_place) {
    opened.folder = std::filesystem::absolute(policy_.file).parent_path();
    opened.pattern.name = table.name;
    opened.pattern.source = table.source;
    source = ResolveSource(table, opened.folder);
  }
  if (!source) return source.error();
  opened.source = *source;
  auto done = in_place ? OpenInPlace(table, *columns, &opened) : OpenCsv(table, *columns, &opened);
  if (!done) return done.error();
  opened.state += StateOfTable(table, *columns);
  return opened;
}

}  // namespace

std::string ReadParquet(const std::string& path) { return ReadParquet(std::vector<std::string>{path}); }

std::string ReadParquet(const std::vector<std::string>& paths) {
  std::string list;
  for (const std::string& path : paths) list += (list.empty() ? "" : ", ") + QuotedText(path);
  return fmt::format("read_parquet([{}], binary_as_string = false, hive_partitioning = false, union_by_name = false)",
                     list);
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
  if (table.source.kind == SourceKind::kCsv) return true;    // the snapshot is ours and does not change
  if (table.source.kind == SourceKind::kFrame) return true;  // and so is a frame, for its holder
  if (table.source.kind == SourceKind::kParquet && IsPattern(table.pattern.source)) {
    const auto files = ResolveSource(table.pattern, table.folder);
    if (!files || files->paths != table.source.paths) return false;
  }
  for (std::size_t k = 0; k < table.identities.size(); ++k) {
    const auto now = Identify(table.source.paths[k]);
    if (!now || !(*now == table.identities[k])) return false;
  }
  return true;
}

Result<void> CheckUnchanged(const OpenedTable& table) {
  if (IsCurrent(table)) return {};
  return StorageError("the file changed after it was opened; what was read is discarded", table.source.name,
                      "ask again once the file is complete");
}

}  // namespace kith
