#include "engine/duckdb/coin.h"

#include <optional>

#include "engine/duckdb/duckdb_state.h"
#include "mechanism/record_release.h"
#include "random/bits.h"

namespace kith {
namespace {

using OwnedFunction = DuckDbOwned<duckdb_scalar_function, duckdb_destroy_scalar_function>;

/// The coin of this statement; bounds of e^-epsilon are computed once for each thread.
const RecordRelease* CoinFor(std::int64_t units) {
  thread_local std::optional<RecordRelease> coin;
  if (coin && coin->epsilon().count() == units) return &*coin;
  if (units < 1 || units > PlainUnits::kMax) return nullptr;
  const auto made = RecordRelease::Make(PlainUnits::Of(units));
  if (!made) return nullptr;
  coin = *made;
  return &*coin;
}

// DuckDB hands over flat vectors, constants spread out to all rows.
void CoinsOfChunk(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_vector output) {
  const idx_t count = duckdb_data_chunk_get_size(chunk);
  if (count == 0) return;
  const auto* units = static_cast<const std::int64_t*>(duckdb_vector_get_data(duckdb_data_chunk_get_vector(chunk, 0)));
  const RecordRelease* coin = CoinFor(units[0]);
  if (coin == nullptr) {
    duckdb_scalar_function_set_error(info, "no such coin");
    return;
  }
  coin->DrawAll({static_cast<bool*>(duckdb_vector_get_data(output)), count}, SystemBits::ForThisThread());
}

}  // namespace

duckdb_state RegisterCoin(duckdb_connection connection) {
  const OwnedFunction function(duckdb_create_scalar_function());
  const OwnedType whole(duckdb_create_logical_type(DUCKDB_TYPE_BIGINT));
  const OwnedType truth(duckdb_create_logical_type(DUCKDB_TYPE_BOOLEAN));
  duckdb_scalar_function_set_name(function.get(), "kith_coin");
  duckdb_scalar_function_add_parameter(function.get(), whole.get());
  duckdb_scalar_function_set_return_type(function.get(), truth.get());
  duckdb_scalar_function_set_volatile(function.get());
  duckdb_scalar_function_set_function(function.get(), CoinsOfChunk);
  return duckdb_register_scalar_function(connection, function.get());
}

}  // namespace kith
