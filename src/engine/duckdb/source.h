// Where a table's data are: the file named by the policy, its kind, its identity, and the columns of it that the engine
// shows.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/duckdb/csv_plain.h"
#include "policy/policy.h"

namespace kith {

/// What distinguishes one state of a file from another without reading it.
struct FileIdentity {
  std::uint64_t device = 0, inode = 0;
  std::int64_t size = 0, modified_ns = 0, changed_ns = 0;  // changed: also by setting owner, mode or times

  bool operator==(const FileIdentity&) const = default;
  std::string Text() const;
};

/// Fails: kInvalidArgument if there is no such file, kStorage if it is not a regular file or cannot be examined.
Result<FileIdentity> Identify(const std::string& path);
/// The same for an open file.
Result<FileIdentity> Identify(int descriptor, const std::string& path);

enum class SourceKind { kCsv, kParquet, kDuckDb, kFrame };

/// How a CSV file is written, as far as it concerns the division into fields and strings.
struct CsvShape {
  char separator = ',';
  std::string encoding = "utf-8";  // one of Encodings()
  bool row_names = false;          // records have a first field that the header does not name
  Packing packing = Packing::kNone;
};

struct Source {
  SourceKind kind = SourceKind::kCsv;
  std::string path;                // absolute, without links; of several files the first
  std::string name;                // as the policy writes it, for messages
  CsvShape csv;                    // kCsv
  std::vector<std::string> paths;  // kParquet: all files
  std::string inner_table;         // kDuckDb: quoted for SQL, with its schema if one was given
};

/// What the policy itself says about a source: everything but `path`. Looks at no file.
/// Fails: kInvalidArgument (unknown kind).
Result<Source> NameSource(const std::string& source, const std::string& table);
/// Read from a snapshot, never in place.
bool IsCsv(const Table& table);

/// "people.csv", "people.tsv", either of them with .gz or .zst, "people.parquet", "people.duckdb:table",
/// "people.duckdb:schema.table"; relative to `folder`. "people.duckdb" alone means the table in it that is called
/// `table`. One file: patterns are for tables. A frame in memory has no file.
/// Fails: kInvalidArgument (unknown kind, no such file), kStorage.
Result<Source> ResolveSource(const std::string& source, const std::string& table, const std::filesystem::path& folder);

/// The same for a table of a policy: as its format says, and with all of its files.
Result<Source> NameSource(const Table& table);
Result<Source> ResolveSource(const Table& table, const std::filesystem::path& folder);

/// A column the engine shows. Without a type: a key or group column that the policy names but does not describe.
struct ShownColumn {
  std::string name;
  std::optional<ColumnType> type;
  ColumnReading reading = {};
  std::string how;  // all that the policy says about reading it, as text; empty: nothing unusual

  /// Name, type and reading as one line: two columns are read alike if and only if these lines are equal.
  std::string Text() const;
};

/// The declared columns, then whatever unit and dependence need beyond them.
/// Fails: kInvalidArgument if there are none, or if two names differ only in case.
Result<std::vector<ShownColumn>> ShownColumns(const Table& table, const Policy& policy);

/// DuckDB's name of a type.
std::string DuckDbType(ColumnType type);

/// A cast that gives NULL where it cannot be done, whatever the value. TRY_CAST by itself throws for some times (DuckDB
/// 1.4.4); TRY by itself handles every ordinary failure row by row, which takes fifteen times as long.
std::string TryCast(const std::string& expression, const std::string& type);

/// SQL that reads `expression`, of DuckDB type `physical`, as `type`: NULL where it cannot, never an error; the
/// expression itself if nothing has to be done. Infinite dates and times, and those more than 289,000 years away, read
/// as NULL; times with a zone move to UTC. Without a type: as it is. What `reading` says about decimals and dates
/// applies to text; its marks for what is missing apply to text and numbers.
/// Fails: kInvalidArgument if the physical type holds no single value (lists, structures, binary).
Result<std::string> ReadAs(const std::string& expression, const std::string& physical, std::optional<ColumnType> type,
                           const ColumnReading& reading = {});

}  // namespace kith
