// Names and types of a file's columns, for a starting policy. Looks at the first part of a file; no value leaves this
// file.
#include "engine/duckdb/sketch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>

#include "engine/duckdb/csv_scan.h"
#include "engine/duckdb/lockdown.h"
#include "engine/duckdb/tables.h"
#include "engine/engine.h"

namespace kith {

namespace {

constexpr std::int64_t kSampleBytes = std::int64_t{1} << 20;  // of a CSV file

bool IsNumeric(const std::string& text) {
  const bool digits = std::any_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  return digits && text.find_first_not_of("0123456789+-.eE ") == std::string::npos;
}

/// A first line that cannot be a header would show somebody's record as column names.
Result<void> CheckHeader(const CsvFile& csv) {
  std::set<std::string> seen;
  for (const std::string& name : csv.header()) {
    if (name.empty() || IsNumeric(name) || !seen.insert(name).second) {
      return InvalidArgument("the first line is not a header: it has an empty, a numeric or a repeated name",
                             csv.path(), "put a line with the names of the columns at the top of the file");
    }
  }
  return {};
}

/// SQL that counts the values of a text column which look like each type, from the narrowest on. The first that fits
/// all wins.
struct Guess {
  ColumnType type;
  const char* fits;  // {0}: the column
};
constexpr Guess kGuesses[] = {
    {ColumnType::kBoolean, "lower({0}) IN ('true', 'false')"},
    {ColumnType::kInteger, "regexp_full_match({0}, '[+-]?[0-9]+') AND TRY_CAST({0} AS BIGINT) IS NOT NULL"},
    {ColumnType::kReal, "TRY_CAST({0} AS DOUBLE) IS NOT NULL"},
    {ColumnType::kDate, "regexp_full_match({0}, '[0-9]+-[0-9]+-[0-9]+') AND TRY(TRY_CAST({0} AS DATE)) IS NOT NULL"},
    {ColumnType::kTimestamp, "TRY(TRY_CAST({0} AS TIMESTAMP WITH TIME ZONE)) IS NOT NULL"},
};

Result<DuckDb> OpenSmall() {
  EngineOptions options;
  options.threads = 1;
  return DuckDb::Open("", LockedSettings(options, {}));
}

// DuckDB's memory grows with the square of the aggregates in one SELECT.
constexpr std::size_t kColumnsAtATime = 30;

/// The types of the columns at `wanted`, from one pass over the sample.
Result<std::vector<ColumnType>> GuessTypes(const CsvFile& csv, const std::vector<std::size_t>& wanted,
                                           const CancelFlag& cancel) {
  const Progress silent;
  CsvScan scan(csv, wanted, cancel, silent, CsvScan::Cut{kSampleBytes, 1});
  auto database = OpenSmall();
  if (!database) return database.error();
  auto connection = database->Connect();
  if (!connection) return connection.error();
  if (auto locked = LockDown(*connection, {}, cancel); !locked) return locked.error();
  if (auto registered = scan.Register(*connection, "kith_csv"); !registered) return registered.error();
  std::string counts;
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    const std::string name = fmt::format("c{}", k);
    counts += fmt::format("{}count({})", k == 0 ? "" : ", ", name);
    for (const Guess& guess : kGuesses) {
      counts += fmt::format(", count(*) FILTER ({})", fmt::format(fmt::runtime(guess.fits), name));
    }
  }
  auto counted = connection->Integers("SELECT " + counts + " FROM kith_csv()", cancel);
  if (const auto error = scan.error()) return *error;
  if (!counted) return counted.error();
  std::vector<ColumnType> types;
  const std::size_t width = 1 + std::size(kGuesses);
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    const auto count = [&](std::size_t j) { return counted->rows[0][k * width + j].value_or(0); };
    ColumnType type = ColumnType::kText;
    for (std::size_t j = std::size(kGuesses); j > 0 && count(0) > 0; --j) {
      if (count(j) == count(0)) type = kGuesses[j - 1].type;
    }
    types.push_back(type);
  }
  return types;
}

Result<std::vector<ColumnSketch>> SketchCsv(const Source& source, const CancelFlag& cancel) {
  auto csv = CsvFile::Open(source.path, source.delimiter);
  if (!csv) return csv.error();
  if (auto checked = CheckHeader(*csv); !checked) return checked.error();
  std::vector<ColumnSketch> sketch;
  while (sketch.size() < csv->header().size()) {
    std::vector<std::size_t> wanted(std::min(kColumnsAtATime, csv->header().size() - sketch.size()));
    for (std::size_t k = 0; k < wanted.size(); ++k) wanted[k] = sketch.size() + k;
    auto types = GuessTypes(*csv, wanted, cancel);
    if (!types) return types.error();
    for (std::size_t k = 0; k < wanted.size(); ++k) sketch.push_back({csv->header()[wanted[k]], (*types)[k]});
  }
  return sketch;
}

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

Result<std::vector<ColumnSketch>> SketchInPlace(const Source& source, const CancelFlag& cancel) {
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
  std::vector<ColumnSketch> sketch;
  for (const PhysicalColumn& column : *physical) {
    if (const auto type = Declared(column.type)) sketch.push_back({column.name, *type});
  }
  return sketch;
}

}  // namespace

Result<std::vector<ColumnSketch>> SketchSource(const Source& source, const CancelFlag& cancel) {
  return source.kind == SourceKind::kCsv ? SketchCsv(source, cancel) : SketchInPlace(source, cancel);
}

Result<std::vector<ColumnSketch>> SketchFile(const std::string& path, const CancelFlag& cancel) {
  try {
    auto source = ResolveSource(path, std::filesystem::path(path).stem().string(), {});
    if (!source) return source.error();
    return SketchSource(*source, cancel);
  } catch (const std::exception&) {
    return StorageError("the file could not be looked at: memory or the file system failed", path);
  }
}

}  // namespace kith
