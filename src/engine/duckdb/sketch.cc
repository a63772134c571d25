// Names and types of a file's columns, for a starting policy. Looks at the first part of a file; no value leaves it.
#include "engine/duckdb/sketch.h"

#include <fmt/format.h>

#include <filesystem>

#include "engine/duckdb/lockdown.h"
#include "engine/duckdb/sketch_csv.h"
#include "engine/duckdb/tables.h"
#include "engine/engine.h"

namespace kith {

namespace {

/// The type a policy would declare for a column of this physical type; nothing if it cannot be used.
std::optional<ColumnType> Declared(const std::string& physical) {
  const auto starts = [&physical](const char* with) { return physical.rfind(with, 0) == 0; };
  if (!ReadAs("c", physical, ColumnType::kText)) return std::nullopt;
  if (physical == "BOOLEAN") return ColumnType::kBoolean;
  if (physical == "DATE") return ColumnType::kDate;
  if (starts("TIMESTAMP")) return ColumnType::kTimestamp;
  if (physical == "FLOAT" || physical == "DOUBLE") return ColumnType::kReal;
  if (starts("DECIMAL")) return physical.find(",0)") != std::string::npos ? ColumnType::kInteger : ColumnType::kReal;
  if (physical.find("INT") != std::string::npos && !starts("ENUM")) return ColumnType::kInteger;
  return ColumnType::kText;
}

/// Reals, where a long first part is all whole?
Result<bool> HoldsWholeNumbers(const DuckDbConnection& connection, const std::string& from,
                               const PhysicalColumn& column, const CancelFlag& cancel) {
  if (column.type != "DOUBLE" && column.type != "FLOAT") return false;
  auto counted = connection.Integers(
      fmt::format(
          "SELECT count(v), count(*) FILTER (v = floor(v) AND abs(v) < 1e15) FROM (SELECT {} AS v FROM {} LIMIT 10000)",
          QuotedName(column.name), from),
      cancel);
  if (!counted && counted.error().code == Code::kCancelled) return counted.error();
  return counted && counted->rows[0][0].value_or(0) > 0 && counted->rows[0][0] == counted->rows[0][1];
}

Result<FileSketch> SketchInPlace(const Source& source, const CancelFlag& cancel) {
  auto database = OpenSmall();
  if (!database) return database.error();
  auto connection = database->Connect();
  if (!connection) return connection.error();
  std::string from = ReadParquet(source.path);
  if (source.kind == SourceKind::kDuckDb) {
    const std::string attach = fmt::format("ATTACH {} AS kith_0 (READ_ONLY)", QuotedText(source.path));
    if (auto done = connection->Execute(attach, cancel); !done) return done.error();
    from = "kith_0." + source.inner_table;
  }
  auto physical = Describe(*connection, from, cancel);
  if (!physical && physical.error().code == Code::kCancelled) return physical.error();
  if (!physical) return StorageError("the file cannot be read, or has no such table", source.name);
  FileSketch sketch;
  for (const PhysicalColumn& column : *physical) {
    ColumnSketch found{.name = column.name, .type = ColumnType::kText};
    if (const auto type = Declared(column.type)) {
      found.type = *type;
    } else {
      found.skipped = true;
      found.remark = "it contains lists, structures or binary data, which cannot be used";
    }
    if (const auto whole = HoldsWholeNumbers(*connection, from, column, cancel); !whole) {
      return whole.error();
    } else if (*whole) {
      found.type = ColumnType::kInteger;
      found.remark = "whole numbers, stored as reals, as pandas does where some are missing";
    }
    sketch.columns.push_back(std::move(found));
  }
  if (source.paths.size() > 1)
    sketch.remarks.push_back(fmt::format("the columns are those of the first of {} files", source.paths.size()));
  return sketch;
}

}  // namespace

Result<FileSketch> SketchSource(const Source& source, Look look, const CancelFlag& cancel) {
  return source.kind == SourceKind::kCsv ? SketchCsv(source, look, cancel) : SketchInPlace(source, cancel);
}

Result<FileSketch> SketchFile(const std::string& path, const CancelFlag& cancel) {
  try {
    Table table;
    table.name = std::filesystem::path(path).stem().string();
    table.source = path;
    auto source = ResolveSource(table, {});
    if (!source) return source.error();
    return SketchSource(*source, Look::kForFormat, cancel);
  } catch (const std::exception&) {
    return StorageError("the file could not be looked at: memory or the file system failed", path);
  }
}

}  // namespace kith
