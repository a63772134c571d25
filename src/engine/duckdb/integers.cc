// DuckDB's vectors to 128-bit integers. The types decide whether a result is accepted, never the values.
#include <optional>

#include "engine/duckdb/duckdb_state.h"

namespace kith {

namespace {

constexpr Int128 kLargest = static_cast<Int128>(~UInt128{0} >> 1);

Int128 ToInt128(duckdb_hugeint value) {
  // Built unsigned, because a shift of a negative number is not what we mean.
  return static_cast<Int128>((static_cast<UInt128>(static_cast<std::uint64_t>(value.upper)) << 64) | value.lower);
}

/// Saturates: only the upper half of the unsigned range has no signed counterpart.
Int128 ToInt128(duckdb_uhugeint value) {
  const UInt128 wide = (static_cast<UInt128>(value.upper) << 64) | value.lower;
  return wide > static_cast<UInt128>(kLargest) ? kLargest : static_cast<Int128>(wide);
}

template <class Integer>
Int128 ToInt128(Integer value) {
  return static_cast<Int128>(value);
}

template <class Physical>
void CopyColumn(duckdb_vector vector, idx_t size, std::size_t column, std::size_t first_row, IntegerTable* table) {
  const auto* data = static_cast<const Physical*>(duckdb_vector_get_data(vector));
  std::uint64_t* validity = duckdb_vector_get_validity(vector);
  for (idx_t row = 0; row < size; ++row) {
    if (!duckdb_validity_row_is_valid(validity, row)) continue;  // stays nullopt
    table->rows[first_row + row][column] = ToInt128(data[row]);
  }
}

using Copier = void (*)(duckdb_vector, idx_t, std::size_t, std::size_t, IntegerTable*);

Copier CopierFor(duckdb_type type) {
  switch (type) {
    case DUCKDB_TYPE_BOOLEAN:
      return CopyColumn<bool>;
    case DUCKDB_TYPE_TINYINT:
      return CopyColumn<std::int8_t>;
    case DUCKDB_TYPE_SMALLINT:
      return CopyColumn<std::int16_t>;
    case DUCKDB_TYPE_INTEGER:
      return CopyColumn<std::int32_t>;
    case DUCKDB_TYPE_BIGINT:
      return CopyColumn<std::int64_t>;
    case DUCKDB_TYPE_UTINYINT:
      return CopyColumn<std::uint8_t>;
    case DUCKDB_TYPE_USMALLINT:
      return CopyColumn<std::uint16_t>;
    case DUCKDB_TYPE_UINTEGER:
      return CopyColumn<std::uint32_t>;
    case DUCKDB_TYPE_UBIGINT:
      return CopyColumn<std::uint64_t>;
    case DUCKDB_TYPE_HUGEINT:
      return CopyColumn<duckdb_hugeint>;
    case DUCKDB_TYPE_UHUGEINT:
      return CopyColumn<duckdb_uhugeint>;
    default:
      return nullptr;
  }
}

Copier CopierForColumn(duckdb_result* result, idx_t column) {
  const OwnedType type(duckdb_column_logical_type(result, column));
  const duckdb_type id = duckdb_get_type_id(type.get());
  if (id != DUCKDB_TYPE_DECIMAL) return CopierFor(id);
  return duckdb_decimal_scale(type.get()) == 0 ? CopierFor(duckdb_decimal_internal_type(type.get())) : nullptr;
}

}  // namespace

Result<IntegerTable> ToIntegers(duckdb_result* result) {
  IntegerTable table;
  table.columns = duckdb_column_count(result);
  std::vector<Copier> copiers;
  for (std::size_t column = 0; column < table.columns; ++column) {
    copiers.push_back(CopierForColumn(result, column));
    if (copiers.back() == nullptr) return InternalError("the engine was asked for something that is not an integer");
  }
  while (true) {
    const OwnedChunk chunk(duckdb_fetch_chunk(*result));
    if (chunk.get() == nullptr) return table;
    const idx_t size = duckdb_data_chunk_get_size(chunk.get());
    const std::size_t first_row = table.rows.size();
    table.rows.resize(first_row + size, std::vector<std::optional<Int128>>(table.columns));
    for (std::size_t column = 0; column < table.columns; ++column) {
      copiers[column](duckdb_data_chunk_get_vector(chunk.get(), column), size, column, first_row, &table);
    }
  }
}

}  // namespace kith
