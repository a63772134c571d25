// DuckDB's chunks to columns of 64-bit integers, one chunk at a time.
#include <algorithm>
#include <vector>

#include "engine/duckdb/duckdb_state.h"

namespace kith {

namespace {

/// Copies a column to `out`. False: a value is NULL.
using Widener = bool (*)(duckdb_vector, idx_t size, std::vector<std::int64_t>& out);

template <class Physical>
bool Widen(duckdb_vector vector, idx_t size, std::vector<std::int64_t>& out) {
  std::uint64_t* validity = duckdb_vector_get_validity(vector);
  for (idx_t row = 0; validity != nullptr && row < size; ++row) {
    if (!duckdb_validity_row_is_valid(validity, row)) return false;
  }
  const auto* data = static_cast<const Physical*>(duckdb_vector_get_data(vector));
  out.assign(data, data + size);
  return true;
}

Widener WidenerFor(duckdb_type type) {
  switch (type) {
    case DUCKDB_TYPE_BOOLEAN:
      return Widen<bool>;
    case DUCKDB_TYPE_TINYINT:
      return Widen<std::int8_t>;
    case DUCKDB_TYPE_SMALLINT:
      return Widen<std::int16_t>;
    case DUCKDB_TYPE_INTEGER:
      return Widen<std::int32_t>;
    case DUCKDB_TYPE_BIGINT:
      return Widen<std::int64_t>;
    case DUCKDB_TYPE_UTINYINT:
      return Widen<std::uint8_t>;
    case DUCKDB_TYPE_USMALLINT:
      return Widen<std::uint16_t>;
    case DUCKDB_TYPE_UINTEGER:
      return Widen<std::uint32_t>;
    default:
      return nullptr;
  }
}

}  // namespace

Result<void> StreamIntegers(duckdb_result* result, const IntegerSink& sink, const CancelFlag& cancel) {
  std::vector<Widener> wideners;
  for (idx_t column = 0; column < duckdb_column_count(result); ++column) {
    wideners.push_back(WidenerFor(duckdb_column_type(result, column)));
    if (wideners.back() == nullptr) return InternalError("the engine was asked to stream something wider than 64 bits");
  }
  std::vector<std::vector<std::int64_t>> values(wideners.size());
  std::vector<std::span<const std::int64_t>> columns(wideners.size());
  while (true) {
    const OwnedChunk chunk(duckdb_fetch_chunk(*result));
    if (cancel.cancelled()) return Cancelled("stopped while rows were read");
    if (chunk.get() == nullptr) break;
    const idx_t size = duckdb_data_chunk_get_size(chunk.get());
    for (std::size_t k = 0; k < wideners.size(); ++k) {
      if (!wideners[k](duckdb_data_chunk_get_vector(chunk.get(), k), size, values[k])) {
        return InternalError("the engine was asked to stream a column that has NULL");
      }
      columns[k] = values[k];
    }
    if (auto taken = sink(columns); !taken) return taken.error();
  }
  // A stream that fails ends early; its error shows only here.
  const char* failed = duckdb_result_error(result);
  if (failed != nullptr && *failed != '\0') return FromDuckDb(failed);
  return {};
}

}  // namespace kith
