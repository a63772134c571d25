#include "analysis/points/isotonic.h"

#include <cstddef>

namespace kith::points {

std::vector<double> Isotonic(const std::vector<double>& noisy) {
  struct Pool {
    double sum;
    std::size_t size;
    double mean() const { return sum / static_cast<double>(size); }
  };
  std::vector<Pool> pools;
  for (const double y : noisy) {
    pools.push_back({y, 1});
    while (pools.size() > 1 && pools[pools.size() - 2].mean() >= pools.back().mean()) {
      pools[pools.size() - 2].sum += pools.back().sum;
      pools[pools.size() - 2].size += pools.back().size;
      pools.pop_back();
    }
  }
  std::vector<double> fit;
  fit.reserve(noisy.size());
  for (const Pool& pool : pools) fit.insert(fit.end(), pool.size, pool.mean());
  return fit;
}

}  // namespace kith::points
