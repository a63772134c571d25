// The small linear programme that `exact` and `tree` use: the largest ratio of two expectations of one kernel.
// Source: docs/theory/transfer.md#exact.  Claims: claims/transfer_exact.md
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

/// Weights that prove a bound: `ratio` for the normalisation, one for each arc.
struct KernelWeights {
  double ratio = 0;
  std::vector<double> arcs;
};

/// log of the largest E_p[K] / E_q[K] over positive kernels K that obey the arcs.
///
/// Clp finds a solution of the dual programme in floating point. The value returned does not rest on it: any weights
/// that are not negative prove a bound, and the bound that these prove is computed here, rounded up.
/// Requires: p and q are laws on the same values; every value can be reached from every other by arcs.
/// Ensures [EXACT-2]: not below the true value, whatever Clp returns. Infinity if Clp finds nothing,
/// or if kernels could grow beyond 1e150.
/// `proof`, if not null, gets the weights that prove it, if there are any.
double LargestLogRatio(std::span<const double> p, std::span<const double> q, const std::vector<KernelArc>& arcs,
                       KernelWeights* proof = nullptr);

/// What weights prove, whatever they are: infinity if nothing. Rounded up.
double ProvedLogRatio(std::span<const double> p, std::span<const double> q, const std::vector<KernelArc>& arcs,
                      const KernelWeights& weights);

}  // namespace kith
