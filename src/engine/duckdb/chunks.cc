// DuckDB's chunks to columns of 64-bit integers, or of strings with a number, one chunk at a time.
#include <algorithm>
#include <string_view>
#include <vector>

#include "engine/duckdb/duckdb_state.h"
#include "engine/duckdb/key_stream.h"

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

/// False: a value is NULL. The views are of the vector.
bool ViewTexts(duckdb_vector vector, idx_t size, std::vector<std::string_view>& out) {
  std::uint64_t* validity = duckdb_vector_get_validity(vector);
  auto* strings = static_cast<duckdb_string_t*>(duckdb_vector_get_data(vector));
  out.clear();
  for (idx_t row = 0; row < size; ++row) {
    if (!duckdb_validity_row_is_valid(validity, row)) return false;
    out.emplace_back(duckdb_string_t_data(&strings[row]), duckdb_string_t_length(strings[row]));
  }
  return true;
}

/// A stream that fails ends early; its error shows only here.
Result<void> EndOf(duckdb_result* result) {
  const char* failed = duckdb_result_error(result);
  if (failed != nullptr && *failed != '\0') return FromDuckDb(failed);
  return {};
}

Error HasNull() { return InternalError("the engine was asked to stream a column that has NULL"); }

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
      if (!wideners[k](duckdb_data_chunk_get_vector(chunk.get(), k), size, values[k])) return HasNull();
      columns[k] = values[k];
    }
    if (auto taken = sink(columns); !taken) return taken.error();
  }
  return EndOf(result);
}

Result<void> StreamKeys(duckdb_result* result, const KeySink& sink, const CancelFlag& cancel) {
  const idx_t keys = duckdb_column_count(result) - 1;
  const Widener widen = WidenerFor(duckdb_column_type(result, keys));
  bool fits = keys > 0 && widen != nullptr;
  for (idx_t column = 0; column < keys; ++column)
    fits = fits && duckdb_column_type(result, column) == DUCKDB_TYPE_VARCHAR;
  if (!fits) return InternalError("the engine was asked for something else than texts and a number");
  std::vector<std::vector<std::string_view>> texts(keys);
  std::vector<std::span<const std::string_view>> columns(keys);
  std::vector<std::int64_t> counts;
  while (true) {
    const OwnedChunk chunk(duckdb_fetch_chunk(*result));
    if (cancel.cancelled()) return Cancelled("stopped while rows were read");
    if (chunk.get() == nullptr) break;
    const idx_t size = duckdb_data_chunk_get_size(chunk.get());
    for (idx_t k = 0; k < keys; ++k) {
      if (!ViewTexts(duckdb_data_chunk_get_vector(chunk.get(), k), size, texts[k])) return HasNull();
      columns[k] = texts[k];
    }
    if (!widen(duckdb_data_chunk_get_vector(chunk.get(), keys), size, counts)) return HasNull();
    if (auto taken = sink({columns, counts}); !taken) return taken.error();
  }
  return EndOf(result);
}

}  // namespace kith
