// Parquet files read in place, and what is done about the few that DuckDB's reader cannot read to their end.
#pragma once
#include <string>
#include <vector>

#include "engine/duckdb/duckdb_session.h"
#include "engine/duckdb/folder.h"
#include "engine/duckdb/source.h"

namespace kith {

/// A shown column of a Parquet file before it is given its declared type.
struct RawColumn {
  std::string name;
  std::string type;        // DuckDB's, as the file's annotations say
  std::string expression;  // SQL of this type
};

/// The file that is to be read for `source`: itself, if every shown value can be read. Otherwise a copy in the policy's
/// folder without the annotations that stop the reader (parquet_footer.h); the expressions then give NULL for text
/// that is not UTF-8 and for times that do not exist. Done once for a state of the file.
/// Fails: kStorage (a damaged page; no room for the copy), kCancelled.
/// Requires: the connection is not locked down yet.
Result<std::string> ReadableParquet(const DuckDbConnection& connection, const Source& source,
                                    const FileIdentity& identity, const std::string& table, const KithFolder& folder,
                                    std::vector<RawColumn>* columns, const Call& call);

}  // namespace kith
