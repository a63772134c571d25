// kith_steps and kith_clamp: the SQL functions in which DuckDB reads a real column as whole steps of a lattice, or
// within its bounds, in one pass over a chunk; sql::Feature::kLatticeSteps covers both. Includes duckdb.h: only for
// .cc files of this folder.
#pragma once
#include <duckdb.h>

#include <cstddef>
#include <cstdint>

namespace kith {

/// The arguments that are the same for all rows of a statement.
struct StepRule {
  double low = 0, high = 0;  // the column's declared bounds
  double shift = 0;          // taken off after clamping
  double inverse = 1;        // 1 / step, a power of two
};

/// steps[i] = (x[i] clamped to [low, high] - shift) * inverse, rounded to the nearest integer, halves to even; beyond
/// 32 bits it stays at the end (-2^31 + 1 or 2^31 - 1). Total: any bits are allowed for x.
/// Ensures: false if some x[i] is infinite or not a number; steps[i] is then meaningless.
bool ToSteps(const double* x, std::size_t count, const StepRule& rule, std::int32_t* steps);

/// The arguments of kith_clamp that are the same for all rows of a statement.
struct ClampRule {
  double low = 0, high = 0;  // the column's declared bounds
  double tiny = 0;           // numbers closer to 0 are taken for it
};

/// clamped[i] = x[i] clamped to [low, high]; between the bounds numbers closer to 0 than tiny are 0, or the bound
/// nearest to it. Total: any bits are allowed for x. Ensures: false if some x[i] is infinite or not a number;
/// clamped[i] is then meaningless.
bool ToClamped(const double* x, std::size_t count, const ClampRule& rule, double* clamped);

/// Makes kith_steps(x, low, high, shift, inverse) known to a database: ToSteps, and NULL where x is NULL, infinite or
/// not a number. All arguments but x must be constants of the statement.
duckdb_state RegisterSteps(duckdb_connection connection);

/// The same for kith_clamp(x, low, high, tiny): ToClamped.
duckdb_state RegisterClamp(duckdb_connection connection);

}  // namespace kith
