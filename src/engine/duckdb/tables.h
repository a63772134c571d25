// Shows the policy's tables to DuckDB: attaches their files or snapshots and makes one typed view for each.
#pragma once
#include <string>
#include <vector>

#include "engine/duckdb/duckdb_engine.h"
#include "engine/duckdb/duckdb_session.h"
#include "engine/duckdb/folder.h"
#include "engine/duckdb/source.h"

namespace kith {

/// How a shown column is stored, and how it is read: expressions over OpenedTable::from.
struct ReadColumn {
  ShownColumn shown;
  std::string physical;  // DuckDB's type of what is stored
  std::string stored;    // NULL exactly where nothing is stored
  std::string text_of;   // what is stored, NULL also where it is not text
  std::string read;      // as the declared type, or NULL
};

/// One table, ready to be shown.
struct OpenedTable {
  Source source;
  std::string state;                     // identity of the data for marks of finished checks
  std::vector<FileIdentity> identities;  // of the files that are read in place (source.paths), when they were opened
  std::string view_sql;                  // CREATE VIEW
  std::vector<std::string> parquet;      // the Parquet files that it reads: the source, or copies (parquet_file.h)
  // The folder of a pattern's policy: whether other files now match is checked again.
  Table pattern = {};
  std::filesystem::path folder;
  std::string from;  // what the view reads
  std::vector<ReadColumn> columns;
};

/// Opens every table of the policy on this connection. Requires: not locked down yet.
/// Fails: kInvalidArgument, kStorage, kCancelled.
Result<std::vector<OpenedTable>> OpenTables(const DuckDbConnection& connection, const Policy& policy,
                                            const KithFolder& folder, const EngineOptions& options, const Call& call);

/// Are the files that are read in place still the same, and unchanged since they were opened? Fails: kStorage.
Result<void> CheckUnchanged(const OpenedTable& table);

/// The same, as yes or no. A snapshot is always what it was.
bool IsCurrent(const OpenedTable& table);

/// "read_parquet(...)" for one file, or several with the same columns, with all guessing switched off.
std::string ReadParquet(const std::string& path);
std::string ReadParquet(const std::vector<std::string>& paths);

/// Names and DuckDB types of the columns of a FROM item.
struct PhysicalColumn {
  std::string name, type;
};
Result<std::vector<PhysicalColumn>> Describe(const DuckDbConnection& connection, const std::string& from,
                                             const CancelFlag& cancel);

}  // namespace kith
