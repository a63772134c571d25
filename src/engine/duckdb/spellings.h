// The most frequent strings of columns, for the curator's report.
#pragma once
#include <string>
#include <vector>

#include "engine/data_report.h"
#include "engine/duckdb/duckdb_session.h"

namespace kith {

struct SpelledColumn {
  std::string test;  // SQL: which rows are looked at
  std::string text;  // SQL of type VARCHAR: what is counted in them, if it is not NULL
  Spellings* into;
};

/// One pass over `from` for all columns. Long strings are cut. Fails: as DuckDbConnection::Integers.
Result<void> Spell(const DuckDbConnection& connection, const std::string& from,
                   const std::vector<SpelledColumn>& columns, const CancelFlag& cancel);

}  // namespace kith
