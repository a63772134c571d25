// The small linear programme behind `exact` and `tree`: the largest ratio of two expectations of one kernel.
// Source: MODEL section 2 (definition of g).  Claims: claims/transfer_exact.md
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace kith {

/// K(upper) <= factor * K(lower), factor >= 1 (rounded up if it is not exact: that only admits more kernels).
struct KernelArc {
  std::uint32_t upper = 0;
  std::uint32_t lower = 0;
  double factor = 1;
};

/// log of the largest E_p[K] / E_q[K] over positive kernels K that obey the arcs.
///
/// Clp finds a solution of the dual programme in floating point. The value returned does not rest on it: any
/// non-negative dual weights prove a bound, and the bound proved by these is computed here with rounding towards more
/// loss. Requires: p and q are laws on the same values; every value can be reached from every other by arcs. Ensures
/// [TRANSFER-LP]: not below the true value, whatever Clp returns. Infinity if Clp finds nothing.
double LargestLogRatio(std::span<const double> p, std::span<const double> q, const std::vector<KernelArc>& arcs);

}  // namespace kith
