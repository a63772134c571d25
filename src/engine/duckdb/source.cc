#include "engine/duckdb/source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fnmatch.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "engine/duckdb/duckdb_session.h"
#include "engine/frame.h"

namespace kith {

namespace {

std::string Lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

bool EndsWith(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

std::int64_t Nanoseconds(const timespec& time) { return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec; }

Result<FileIdentity> FromStat(int failed, const struct stat& info, const std::string& path) {
  if (failed != 0) {
    if (errno == ENOENT || errno == ENOTDIR) {
      return InvalidArgument("there is no such file", path, "check the path under [data] in the policy");
    }
    return StorageError(fmt::format("the file cannot be looked at ({})", std::strerror(errno)), path);
  }
  if (!S_ISREG(info.st_mode)) return StorageError("this is not a regular file", path);
  FileIdentity identity;
  identity.device = static_cast<std::uint64_t>(info.st_dev);
  identity.inode = static_cast<std::uint64_t>(info.st_ino);
  identity.size = std::int64_t{info.st_size};
  identity.modified_ns = Nanoseconds(info.st_mtim);
  identity.changed_ns = Nanoseconds(info.st_ctim);
  return identity;
}

/// Splits "folder/x.duckdb:main.people" after the file's extension.
struct NamedFile {
  std::string file, rest;
};
std::optional<NamedFile> SplitDuckDb(const std::string& source) {
  const std::string lower = Lower(source);
  if (EndsWith(lower, ".duckdb")) return NamedFile{source, {}};
  const std::size_t at = lower.rfind(".duckdb:");
  if (at == std::string::npos) return std::nullopt;
  return NamedFile{source.substr(0, at + 7), source.substr(at + 8)};
}

Result<std::string> QuoteInnerTable(const std::string& name, const std::string& source) {
  const std::size_t dot = name.find('.');
  if (name.empty() || dot == 0 || dot + 1 == name.size() || name.find('.', dot + 1) != std::string::npos) {
    return InvalidArgument("the table inside a DuckDB file is written as file.duckdb:table or file.duckdb:schema.table",
                           source);
  }
  if (dot == std::string::npos) return QuotedName("main") + "." + QuotedName(name);
  return QuotedName(name.substr(0, dot)) + "." + QuotedName(name.substr(dot + 1));
}

}  // namespace

std::string FileIdentity::Text() const {
  return fmt::format("{}:{}:{}:{}:{}", device, inode, size, modified_ns, changed_ns);
}

Result<FileIdentity> Identify(const std::string& path) {
  struct stat info {};
  return FromStat(::stat(path.c_str(), &info), info, path);
}

Result<FileIdentity> Identify(int descriptor, const std::string& path) {
  struct stat info {};
  return FromStat(::fstat(descriptor, &info), info, path);
}

bool IsCsv(const Table& table) {
  const auto source = NameSource(table);
  return source && source->kind == SourceKind::kCsv;
}

Result<Source> NameSource(const std::string& source, const std::string& table) {
  Source resolved;
  resolved.name = source;
  const std::string lower = Lower(source);
  if (!FrameNamed(source).empty()) {
    resolved.kind = SourceKind::kFrame;
  } else if (IsCsvName(source)) {
    resolved.kind = SourceKind::kCsv;
    resolved.csv.packing = PackingOf(source);
    const std::size_t packed = resolved.csv.packing == Packing::kNone ? std::string::npos : lower.rfind('.');
    resolved.csv.separator = EndsWith(lower.substr(0, packed), ".tsv") ? '\t' : ',';
  } else if (EndsWith(lower, ".parquet")) {
    resolved.kind = SourceKind::kParquet;
  } else if (const auto named = SplitDuckDb(source)) {
    resolved.kind = SourceKind::kDuckDb;
    auto inner = named->rest.empty() && !EndsWith(source, ":")
                     ? Result<std::string>(QuotedName("main") + "." + QuotedName(table))
                     : QuoteInnerTable(named->rest, source);
    if (!inner) return inner.error();
    resolved.inner_table = *inner;
  } else {
    return InvalidArgument(
        "unknown kind of data file", source,
        "use a file that ends in .csv, .tsv (also .gz or .zst behind it) or .parquet, or file.duckdb:table");
  }
  return resolved;
}

Result<Source> ResolveSource(const std::string& source, const std::string& table, const std::filesystem::path& folder) {
  auto named = NameSource(source, table);
  if (!named) return named;
  Source& resolved = *named;
  if (resolved.kind == SourceKind::kFrame) {
    return InvalidArgument("this table is in the memory of a program, not in a file", source,
                           "open the policy in the program that hands it over");
  }
  const std::string file = resolved.kind == SourceKind::kDuckDb ? SplitDuckDb(source)->file : source;
  std::error_code failed;
  const std::filesystem::path real = std::filesystem::canonical(folder / file, failed);
  if (failed) {
    const std::string next = fmt::format("check the path: it is taken relative to {}",
                                         folder.empty() ? "the current folder" : folder.string());
    if (failed == std::errc::no_such_file_or_directory || failed == std::errc::not_a_directory) {
      return InvalidArgument("there is no such file", source, next);
    }
    return StorageError(fmt::format("the file cannot be looked at ({})", failed.message()), source, next);
  }
  resolved.path = real.string();
  resolved.paths = {resolved.path};
  if (resolved.kind == SourceKind::kParquet && resolved.path.find_first_of("*?[]{}") != std::string::npos) {
    return InvalidArgument("the path of a Parquet file may not contain any of * ? [ ] { }", resolved.path,
                           "rename it: the engine would read it as a pattern for several files");
  }
  return named;
}

Result<Source> NameSource(const Table& table) {
  auto source = NameSource(table.source, table.name);
  if (!source) return source;
  if (table.format.separator) source->csv.separator = *table.format.separator;
  source->csv.encoding = table.format.encoding;
  source->csv.row_names = table.format.row_names;
  return source;
}

namespace {

constexpr std::size_t kMostFiles = 1000;

/// The files that match a pattern in the last part of a path, in the order of their names. Fails: kInvalidArgument,
/// kStorage.
Result<std::vector<std::string>> Matching(const std::string& pattern, const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  const fs::path whole = folder / pattern;
  const fs::path parent = whole.parent_path().empty() ? fs::path(".") : whole.parent_path();
  const std::string wanted = whole.filename().string();
  std::vector<std::string> files;
  std::error_code failed;
  for (fs::directory_iterator entry(parent, failed), end; !failed && entry != end; entry.increment(failed)) {
    const std::string name = entry->path().filename().string();
    if (::fnmatch(wanted.c_str(), name.c_str(), FNM_PERIOD | FNM_NOESCAPE) != 0) continue;
    files.push_back((fs::path(pattern).parent_path() / name).string());
  }
  if (failed) return InvalidArgument("the folder of this pattern cannot be looked at", pattern, "check the path");
  if (files.empty()) return InvalidArgument("no file fits this pattern", pattern, "check the path");
  if (files.size() > kMostFiles) {
    return InvalidArgument(fmt::format("more than {} files fit this pattern", kMostFiles), pattern,
                           "put some of them together");
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

Result<Source> ResolveSource(const Table& table, const std::filesystem::path& folder) {
  auto named = NameSource(table);
  if (!named) return named;
  std::vector<std::string> files = {table.source};
  files.insert(files.end(), table.more_sources.begin(), table.more_sources.end());
  if (named->kind == SourceKind::kParquet && IsPattern(table.source)) {
    auto matching = Matching(table.source, folder);
    if (!matching) return matching.error();
    files = std::move(*matching);
  }
  Source& resolved = *named;
  for (const std::string& file : files) {
    auto one = ResolveSource(file, table.name, folder);
    if (!one) return one;
    if (std::find(resolved.paths.begin(), resolved.paths.end(), one->path) != resolved.paths.end()) {
      return InvalidArgument("a file belongs to the table twice", file, "name it once: a link to it counts as well");
    }
    resolved.paths.push_back(one->path);
  }
  resolved.path = resolved.paths.front();
  if (files.size() > 1 && !IsPattern(table.source))
    resolved.name = fmt::format("{} and {} more", table.source, files.size() - 1);
  return named;
}

namespace {

void Append(std::string* text, const std::string& part) { *text += fmt::format("{}:{} ", part.size(), part); }

std::string HowToRead(const Table& table, const ColumnReading& reading) {
  std::string how;
  const FileFormat& format = table.format;
  if (!(format == FileFormat{})) {
    Append(&how, fmt::format("{} {} {}", format.separator.value_or(0), format.encoding, format.row_names));
  }
  if (reading == ColumnReading{}) return how;
  Append(&how, fmt::format("{}{}", reading.decimal, reading.dates));
  for (const std::string& mark : reading.missing) Append(&how, mark);
  return how;
}

}  // namespace

std::string ShownColumn::Text() const {
  return fmt::format("{}:{} {}{}{}", name.size(), name, type ? DuckDbType(*type) : "", how.empty() ? "" : " ", how);
}

Result<std::vector<ShownColumn>> ShownColumns(const Table& table, const Policy& policy) {
  std::vector<ShownColumn> shown;
  const auto add = [&](const std::string& name, std::optional<ColumnType> type, const ColumnReading& reading) {
    const auto same = [&name](const ShownColumn& column) { return column.name == name; };
    if (std::none_of(shown.begin(), shown.end(), same))
      shown.push_back({name, type, reading, HowToRead(table, reading)});
  };
  for (const Column& column : table.columns) add(column.name, column.type, column.reading);
  if (table.name == policy.unit.table) {
    if (policy.unit.key) add(*policy.unit.key, std::nullopt, table.Undeclared());
    if (policy.dependence.by) add(*policy.dependence.by, std::nullopt, table.Undeclared());
    if (policy.dependence.strength_column) add(*policy.dependence.strength_column, std::nullopt, table.Undeclared());
  }
  if (shown.empty()) {
    return InvalidArgument("the table has no declared column", table.name,
                           fmt::format("list at least one under [columns.{}]", table.name));
  }
  std::vector<std::string> lower;
  for (const ShownColumn& column : shown) lower.push_back(Lower(column.name));
  std::sort(lower.begin(), lower.end());
  const auto twice = std::adjacent_find(lower.begin(), lower.end());
  if (twice != lower.end()) {
    return InvalidArgument("two columns differ only in upper and lower case", table.name + "." + *twice,
                           "rename one in the file and in the policy");
  }
  return shown;
}

std::string DuckDbType(ColumnType type) {
  switch (type) {
    case ColumnType::kBoolean:
      return "BOOLEAN";
    case ColumnType::kInteger:
      return "BIGINT";
    case ColumnType::kReal:
      return "DOUBLE";
    case ColumnType::kText:
      return "VARCHAR";
    case ColumnType::kDate:
      return "DATE";
    case ColumnType::kTimestamp:
      return "TIMESTAMP";
  }
  return "VARCHAR";
}

std::string TryCast(const std::string& expression, const std::string& type) {
  return fmt::format("TRY(TRY_CAST({} AS {}))", expression, type);
}

namespace {

/// The values of a time type that are read. Far enough from the ends of every type that each cast, part and truncation
/// that a question can ask for exists; comparing needs no cast.
struct TimeRange {
  const char* physical;
  const char* first;
  const char* last;
};
constexpr char kFirstDay[] = "289001-01-01 (BC)";
constexpr char kLastDay[] = "289000-01-01";
constexpr TimeRange kTimes[] = {
    {"DATE", kFirstDay, kLastDay},
    {"TIMESTAMP", kFirstDay, kLastDay},
    {"TIMESTAMP_S", kFirstDay, kLastDay},
    {"TIMESTAMP_MS", kFirstDay, kLastDay},
    {"TIMESTAMP_NS", "1677-09-22", "2262-04-11"},
    {"TIMESTAMP WITH TIME ZONE", "289001-01-01 (BC) 00:00:00+00", "289000-01-01 00:00:00+00"},
    {"TIME", "00:00:00", "24:00:00"},
};

const TimeRange* FindTime(const std::string& physical) {
  for (const TimeRange& range : kTimes) {
    if (physical == range.physical) return &range;
  }
  return nullptr;
}

std::string Within(const std::string& expression, const TimeRange& range) {
  return fmt::format("CASE WHEN {0} BETWEEN {1} '{2}' AND {1} '{3}' THEN {0} END", expression, range.physical,
                     range.first, range.last);
}

bool IsNumber(const std::string& physical) {
  static const char* const kNumbers[] = {"TINYINT",   "SMALLINT", "INTEGER", "BIGINT",   "HUGEINT", "UTINYINT",
                                         "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT", "FLOAT",   "DOUBLE"};
  return physical.rfind("DECIMAL(", 0) == 0 ||
         std::find(std::begin(kNumbers), std::end(kNumbers), physical) != std::end(kNumbers);
}

/// A whole number that every number type can be compared with?
bool IsWhole(const std::string& text) {
  const std::string digits = text.substr(!text.empty() && text[0] == '-' ? 1 : 0);
  return !digits.empty() && digits.size() <= 9 && digits.find_first_not_of("0123456789") == std::string::npos;
}

/// NULL where the value is a mark for what is missing.
std::string WithoutMarks(const std::string& expression, const std::string& physical, const ColumnReading& reading) {
  std::string marks;
  const bool number = IsNumber(physical);
  for (const std::string& mark : reading.missing) {
    if (number ? IsWhole(mark) : physical == "VARCHAR") {
      marks += fmt::format("{}{}", marks.empty() ? "" : ", ", number ? mark : QuotedText(mark));
    }
  }
  if (marks.empty()) return expression;
  const std::string looked_at = number ? expression : fmt::format("trim({})", expression);
  return fmt::format("CASE WHEN {} NOT IN ({}) THEN {} END", looked_at, marks, expression);
}

/// Text, as the casts below understand it.
std::string Readable(const std::string& expression, ColumnType type, const ColumnReading& reading) {
  const bool number = type == ColumnType::kInteger || type == ColumnType::kReal;
  if (number && reading.decimal == ',') {
    return fmt::format("CASE WHEN NOT contains({0}, '.') THEN replace({0}, ',', '.') END", expression);
  }
  return expression;
}

}  // namespace

Result<std::string> ReadAs(const std::string& expression, const std::string& physical, std::optional<ColumnType> type,
                           const ColumnReading& reading) {
  static const char* const kOthers[] = {"BOOLEAN",  "TINYINT",   "SMALLINT", "INTEGER", "BIGINT",
                                        "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "HUGEINT",
                                        "UHUGEINT", "FLOAT",     "DOUBLE",   "VARCHAR", "UUID"};
  const TimeRange* time = FindTime(physical);
  const bool other = std::find(std::begin(kOthers), std::end(kOthers), physical) != std::end(kOthers);
  const bool list = EndsWith(physical, "]");
  const bool parametric = physical.rfind("DECIMAL(", 0) == 0 || physical.rfind("ENUM(", 0) == 0;
  if (list || !(time != nullptr || other || parametric)) {
    return InvalidArgument("the column contains lists, structures or binary data, which cannot be used");
  }
  // Checked before any cast: some casts of times beyond stop the whole query, and of TIME the whole database.
  std::string value = time != nullptr ? Within(expression, *time) : expression;
  if (time == nullptr) value = WithoutMarks(value, physical, reading);
  if (!type) return value;
  const bool text = physical == "VARCHAR";
  if (text) value = Readable(value, *type, reading);
  const std::string target = DuckDbType(*type);
  if (physical == target) return value;
  const bool to_time = *type == ColumnType::kDate || *type == ColumnType::kTimestamp;
  if (text && to_time && !reading.dates.empty()) {
    const std::string read = fmt::format("TRY(try_strptime(trim({}), {}))", value, QuotedText(reading.dates));
    return Within(*type == ColumnType::kTimestamp ? read : TryCast(read, target), *FindTime(target));
  }
  if (*type == ColumnType::kTimestamp && text) {
    const auto read = TryCast(fmt::format("TRY_CAST({} AS TIMESTAMP WITH TIME ZONE)", value), target);
    return Within(read, *FindTime(target));
  }
  const std::string read = TryCast(value, target);
  return to_time && time == nullptr ? Within(read, *FindTime(target)) : read;
}

}  // namespace kith
