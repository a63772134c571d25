// kith_totals: the aggregate functions in which DuckDB, which reads the rows, has a program (engine/memory/program.h)
// add them up: what it does in one pass takes as many passes in SQL as it has operations.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "engine/duckdb/duckdb_session.h"
#include "engine/memory/program.h"

namespace kith {

/// A program with the columns that it reads: the names after "kith_totals_" and inside its parentheses.
struct TotalsCall {
  memory::Program program;
  std::string signature;             // r for each real column, then w for each of whole numbers
  std::vector<std::size_t> places;   // of these columns in the table
  std::vector<std::string> columns;  // and their names
};

/// Worth it: totals of real columns, of which there are few. A condition on rows is left to DuckDB, which may know
/// parts of files where it never holds; but not if it is only about real columns, by which files are hardly ever
/// sorted: these take ten times as long there.
std::optional<TotalsCall> TotalsCallOf(memory::Program program, const FramedTable& table);

/// Registers the function that the call needs, once for each signature and database. Fails: kInternal.
Result<void> RegisterTotals(const DuckDbConnection& connection, const std::string& signature);

/// What the statement that the program was made from gives. Fails: as DuckDbConnection::Integers.
Result<IntegerTable> RunTotals(const DuckDbConnection& connection, const TotalsCall& call, const sql::Dialect& dialect,
                               const CancelFlag& cancel);

}  // namespace kith
