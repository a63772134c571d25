// Dense tables over some of the columns of a finite domain, and how cells of one are found in another.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kith::synthetic {

/// How many values each column has.
using Sizes = std::vector<std::size_t>;
/// Columns of a table, ascending. Its cells are in mixed radix, the first column slowest.
using Scope = std::vector<std::size_t>;

/// The product of the sizes; `limit` + 1 if it is more than that.
std::size_t CellsOf(const Sizes& sizes, const Scope& scope, std::size_t limit = std::size_t{1} << 40);

bool Contains(const Scope& all, const Scope& part);
Scope Common(const Scope& a, const Scope& b);
Scope Both(const Scope& a, const Scope& b);

/// For each cell over `all`: the cell over `part` that it is in. Requires: Contains(all, part).
std::vector<std::uint32_t> CellIn(const Sizes& sizes, const Scope& all, const Scope& part);

/// Adds up the cells of a table over `all` in those of a part; `cell_in` as CellIn gives it.
std::vector<double> SumTo(std::span<const double> table, std::span<const std::uint32_t> cell_in, std::size_t cells);
/// log of the sums of exp: the same for logarithms.
std::vector<double> LogSumTo(std::span<const double> table, std::span<const std::uint32_t> cell_in, std::size_t cells);

}  // namespace kith::synthetic
