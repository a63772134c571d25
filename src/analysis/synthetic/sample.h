// Rows drawn from a graphical model: every table of the tree is met as closely as whole rows can, so that drawing
// itself adds hardly any error.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/synthetic/graph_model.h"
#include "random/bits.h"

namespace kith::synthetic {

/// Values of a row, by column.
using DrawnRow = std::vector<std::uint32_t>;

/// Whole numbers that add up to `total`, each one of the two nearest to total * weight / (sum of weights). Weights that
/// are all 0 count as equal ones. Requires: at least one weight, none below 0.
std::vector<std::size_t> Shares(std::span<const double> weights, std::size_t total, BitSource& bits);

/// Fills in the columns that are not `given` (they are set already, and in the first node of the tree), in random
/// order among rows that are alike.
void Fill(const GraphModel& model, const Scope& given, std::vector<DrawnRow>& rows, BitSource& bits);

}  // namespace kith::synthetic
