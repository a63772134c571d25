#include "engine/duckdb/lattice_steps.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "engine/duckdb/duckdb_state.h"

namespace kith {
namespace {

using OwnedFunction = DuckDbOwned<duckdb_scalar_function, duckdb_destroy_scalar_function>;

bool IsFinite(double x) { return std::abs(x) <= std::numeric_limits<double>::max(); }

const double* Reals(duckdb_data_chunk chunk, idx_t column) {
  return static_cast<const double*>(duckdb_vector_get_data(duckdb_data_chunk_get_vector(chunk, column)));
}

// NULL where the first argument is NULL or not finite.
void MarkMissing(duckdb_data_chunk chunk, idx_t count, bool finite, duckdb_vector output) {
  const double* x = Reals(chunk, 0);
  const std::uint64_t* present = duckdb_vector_get_validity(duckdb_data_chunk_get_vector(chunk, 0));
  if (finite && present == nullptr) return;
  duckdb_vector_ensure_validity_writable(output);
  std::uint64_t* valid = duckdb_vector_get_validity(output);
  if (present != nullptr) std::copy_n(present, (count + 63) / 64, valid);
  for (idx_t i = 0; !finite && i < count; ++i) {
    if (!IsFinite(x[i])) duckdb_validity_set_row_invalid(valid, i);
  }
}

// DuckDB hands over flat vectors, constants spread out to all rows.
void StepsOfChunk(duckdb_function_info, duckdb_data_chunk chunk, duckdb_vector output) {
  const idx_t count = duckdb_data_chunk_get_size(chunk);
  if (count == 0) return;
  const StepRule rule = {*Reals(chunk, 1), *Reals(chunk, 2), *Reals(chunk, 3), *Reals(chunk, 4)};
  const auto steps = static_cast<std::int32_t*>(duckdb_vector_get_data(output));
  MarkMissing(chunk, count, ToSteps(Reals(chunk, 0), count, rule, steps), output);
}

void ClampOfChunk(duckdb_function_info, duckdb_data_chunk chunk, duckdb_vector output) {
  const idx_t count = duckdb_data_chunk_get_size(chunk);
  if (count == 0) return;
  const ClampRule rule = {*Reals(chunk, 1), *Reals(chunk, 2), *Reals(chunk, 3)};
  const auto clamped = static_cast<double*>(duckdb_vector_get_data(output));
  MarkMissing(chunk, count, ToClamped(Reals(chunk, 0), count, rule, clamped), output);
}

// A function of `arguments` real numbers.
duckdb_state Register(duckdb_connection connection, const char* name, idx_t arguments, duckdb_type result,
                      duckdb_scalar_function_t of_chunk) {
  const OwnedFunction function(duckdb_create_scalar_function());
  const OwnedType real(duckdb_create_logical_type(DUCKDB_TYPE_DOUBLE)), returned(duckdb_create_logical_type(result));
  duckdb_scalar_function_set_name(function.get(), name);
  for (idx_t i = 0; i < arguments; ++i) duckdb_scalar_function_add_parameter(function.get(), real.get());
  duckdb_scalar_function_set_return_type(function.get(), returned.get());
  duckdb_scalar_function_set_special_handling(function.get());  // NULL is handled here
  duckdb_scalar_function_set_function(function.get(), of_chunk);
  return duckdb_register_scalar_function(connection, function.get());
}

}  // namespace

bool ToSteps(const double* x, std::size_t count, const StepRule& rule, std::int32_t* steps) {
  constexpr double kEnd = std::numeric_limits<std::int32_t>::max();
  // Numbers of this size are 1 apart: adding it rounds, and the sum's last 32 bits are the integer.
  constexpr double kRound = 0x1.8p52;
  const auto [low, high, shift, inverse] = rule;
  unsigned odd = 0;
  for (std::size_t i = 0; i < count; ++i) {
    odd |= static_cast<unsigned>(!IsFinite(x[i]));
    double value = x[i] < low ? low : x[i];
    value = value > high ? high : value;
    value = (value - shift) * inverse;
    value = value < -kEnd ? -kEnd : value;
    value = value > kEnd ? kEnd : value;
    steps[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(value + kRound)));
  }
  return odd == 0;
}

bool ToClamped(const double* x, std::size_t count, const ClampRule& rule, double* clamped) {
  const auto [low, high, tiny] = rule;
  const double zero = std::clamp(0.0, low, high);
  unsigned odd = 0;
  for (std::size_t i = 0; i < count; ++i) {
    odd |= static_cast<unsigned>(!IsFinite(x[i]));
    double value = std::abs(x[i]) < tiny ? zero : x[i];
    value = x[i] <= low ? low : value;
    clamped[i] = x[i] >= high ? high : value;
  }
  return odd == 0;
}

duckdb_state RegisterSteps(duckdb_connection connection) {
  return Register(connection, "kith_steps", 5, DUCKDB_TYPE_INTEGER, StepsOfChunk);
}

duckdb_state RegisterClamp(duckdb_connection connection) {
  return Register(connection, "kith_clamp", 4, DUCKDB_TYPE_DOUBLE, ClampOfChunk);
}

}  // namespace kith
