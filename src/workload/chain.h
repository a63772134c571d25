// The values of one column, seen more and more coarsely, and the parts into which a question about it falls.
// docs/theory/workload.md
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kith::workload {

/// Partitions of a column's values, each coarser than the one before: level k has blocks of sizes[k] neighbours, from
/// single values (1) to all of them. Each size divides the next. There may be more values than the column has: no
/// record has the others.
struct Chain {
  std::vector<std::size_t> sizes;

  std::size_t top() const { return sizes.size() - 1; }
  std::size_t values() const { return sizes.back(); }
  std::size_t blocks(std::size_t level) const { return values() / sizes[level]; }
};

/// Chains worth trying for this many values; the first has two levels. Requires: values >= 1.
std::vector<Chain> ChainsFor(std::size_t values, bool ordered);

/// Which values of a column count: 0 or 1 each. Shorter than the chain: the others are 0.
using Indicator = std::vector<std::uint8_t>;

/// Per level: the mean of the indicator over each block.
std::vector<std::vector<double>> MeansOf(const Chain& chain, const Indicator& indicator);

/// Per level k: the squared length of the part of the indicator that is constant on blocks of level k and adds up to 0
/// in each block of the next level (at the top: that is constant).
std::vector<double> LengthsOf(const Chain& chain, const std::vector<std::vector<double>>& means);

/// A level for each column: what is measured, or a part of what is asked.
using Levels = std::basic_string<char>;

/// Every level of `finer` is at most that of `coarser`: the coarser one is a sum of the finer one's cells.
inline bool IsWithin(const Levels& finer, const Levels& coarser) {
  for (std::size_t k = 0; k < finer.size(); ++k) {
    if (finer[k] > coarser[k]) return false;
  }
  return true;
}

}  // namespace kith::workload
