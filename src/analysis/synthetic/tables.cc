#include "analysis/synthetic/tables.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace kith::synthetic {

std::size_t CellsOf(const Sizes& sizes, const Scope& scope, std::size_t limit) {
  std::size_t cells = 1;
  for (const std::size_t column : scope) {
    if (cells > limit / std::max<std::size_t>(sizes[column], 1)) return limit + 1;
    cells *= sizes[column];
  }
  return cells;
}

bool Contains(const Scope& all, const Scope& part) {
  return std::includes(all.begin(), all.end(), part.begin(), part.end());
}

Scope Common(const Scope& a, const Scope& b) {
  Scope out;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
  return out;
}

Scope Both(const Scope& a, const Scope& b) {
  Scope out;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
  return out;
}

std::vector<std::uint32_t> CellIn(const Sizes& sizes, const Scope& all, const Scope& part) {
  std::vector<std::size_t> stride(all.size());  // of a column of `all`, in cells of `part`
  std::size_t step = 1;
  for (std::size_t k = part.size(); k-- > 0;) {
    const auto at = std::lower_bound(all.begin(), all.end(), part[k]) - all.begin();
    stride[static_cast<std::size_t>(at)] = step;
    step *= sizes[part[k]];
  }
  std::vector<std::uint32_t> out = {0};
  for (std::size_t k = 0; k < all.size(); ++k) {
    std::vector<std::uint32_t> longer;
    longer.reserve(out.size() * sizes[all[k]]);
    for (const std::uint32_t base : out) {
      for (std::size_t value = 0; value < sizes[all[k]]; ++value)
        longer.push_back(base + static_cast<std::uint32_t>(value * stride[k]));
    }
    out = std::move(longer);
  }
  return out;
}

std::vector<double> SumTo(std::span<const double> table, std::span<const std::uint32_t> cell_in, std::size_t cells) {
  std::vector<double> out(cells);
  for (std::size_t k = 0; k < table.size(); ++k) out[cell_in[k]] += table[k];
  return out;
}

std::vector<double> LogSumTo(std::span<const double> table, std::span<const std::uint32_t> cell_in, std::size_t cells) {
  std::vector<double> most(cells, -std::numeric_limits<double>::infinity()), out(cells);
  for (std::size_t k = 0; k < table.size(); ++k) most[cell_in[k]] = std::max(most[cell_in[k]], table[k]);
  for (std::size_t k = 0; k < table.size(); ++k) out[cell_in[k]] += std::exp(table[k] - most[cell_in[k]]);
  for (std::size_t k = 0; k < cells; ++k) out[k] = most[k] + std::log(out[k]);
  return out;
}

}  // namespace kith::synthetic
