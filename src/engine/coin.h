// kith_coin and kith_place: the SQL functions in which DuckDB throws the exact coin of a one-sided release for every
// row, and gives what is released a random place. Includes duckdb.h: only for .cc files of this folder. Claims:
// claims/one_sided.md
#pragma once
#include <duckdb.h>

namespace kith {

/// Makes two functions known to a database, both volatile: DuckDB evaluates them once for every row. kith_coin(units)
/// is true with probability exactly 1 - exp(-units * 2^-32); its argument must be a constant of the statement, at
/// least 1. kith_place(any) is a whole number of 63 random bits. Ensures [OSDP-6]: values for different rows are
/// independent.
duckdb_state RegisterCoin(duckdb_connection connection);

}  // namespace kith
