#include "workload/chain.h"

namespace kith::workload {

std::vector<Chain> ChainsFor(std::size_t values, bool ordered) {
  if (values == 1) return {Chain{{1}}};
  std::vector<Chain> chains = {Chain{{1, values}}};
  if (!ordered || values < 4) return chains;
  for (const std::size_t base : {2, 3, 4, 6, 8, 10, 16}) {
    Chain chain{{1}};
    for (std::size_t size = base; 2 * size <= values; size *= base) {
      chain.sizes.push_back(size);
      Chain whole = chain;
      whole.sizes.push_back((values + size - 1) / size * size);
      const bool last = 2 * size * base > values;
      if (last || chain.sizes.size() == 2) chains.push_back(std::move(whole));
    }
  }
  return chains;
}

std::vector<std::vector<double>> MeansOf(const Chain& chain, const Indicator& indicator) {
  std::vector<std::vector<double>> means;
  for (std::size_t level = 0; level < chain.sizes.size(); ++level) {
    const std::size_t size = chain.sizes[level];
    auto& of_blocks = means.emplace_back(chain.blocks(level), 0.0);
    if (level == 0) {
      for (std::size_t k = 0; k < indicator.size(); ++k) of_blocks[k] = indicator[k];
      continue;
    }
    const std::size_t ratio = size / chain.sizes[level - 1];
    for (std::size_t block = 0; block < of_blocks.size(); ++block) {
      for (std::size_t part = 0; part < ratio; ++part) of_blocks[block] += means[level - 1][block * ratio + part];
      of_blocks[block] /= static_cast<double>(ratio);
    }
  }
  return means;
}

std::vector<double> LengthsOf(const Chain& chain, const std::vector<std::vector<double>>& means) {
  std::vector<double> lengths;
  for (std::size_t level = 0; level < chain.sizes.size(); ++level) {
    const auto size = static_cast<double>(chain.sizes[level]);
    double sum = 0;
    const std::size_t ratio = level == chain.top() ? 1 : chain.sizes[level + 1] / chain.sizes[level];
    for (std::size_t block = 0; block < means[level].size(); ++block) {
      const double above = level == chain.top() ? 0 : means[level + 1][block / ratio];
      const double part = means[level][block] - above;
      sum += part * part;
    }
    lengths.push_back(sum * size);
  }
  return lengths;
}

}  // namespace kith::workload
