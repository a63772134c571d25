// kith_coin: the SQL function in which DuckDB throws the exact coin of a one-sided release for every row. Includes
// duckdb.h: only for .cc files of this folder.  Claims: claims/one_sided.md
#pragma once
#include <duckdb.h>

namespace kith {

/// Makes kith_coin(units) known to a database: true with probability exactly 1 - exp(-units * 2^-32). Its argument must
/// be a constant of the statement, at least 1. Volatile: DuckDB evaluates it once for every row. Ensures [OSDP-6]:
/// values for different rows are independent.
duckdb_state RegisterCoin(duckdb_connection connection);

}  // namespace kith
