// Looks for weights that prove a bound on two expectations of one kernel: the dual solution of the programme in
// kernel_lp.h, by Clp, in floating point. Nothing rests on them: kernel_lp.cc computes what they prove.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "transfer/kernel_lp.h"

namespace kith {

/// `largest`: for every value the largest K(z) there can be when E_q[K] = 1. Nothing if Clp is not there or gives up.
std::optional<KernelWeights> FindWeights(std::span<const double> p, std::span<const double> q,
                                         const std::vector<KernelArc>& arcs, const std::vector<double>& largest);

}  // namespace kith
