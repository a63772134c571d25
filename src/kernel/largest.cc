#include "kernel/largest.h"

#include <algorithm>

namespace kith {

Result<PermuteAndFlip> LawOfLargest(std::int64_t spread, std::size_t wanted, PlainUnits share) {
  const auto all = Sensitivity::Make(spread * static_cast<std::int64_t>(wanted));
  if (!all) return all.error();
  return PermuteAndFlip::Make(*all, share);
}

std::vector<std::size_t> ChooseLargest(std::span<const std::int64_t> counts, std::size_t wanted,
                                       const PermuteAndFlip& law, BitSource& bits) {
  std::vector<std::size_t> left, chosen;
  for (std::size_t k = 0; k < counts.size(); ++k) left.push_back(k);
  for (std::size_t choice = 0; choice < wanted; ++choice) {
    std::vector<std::int64_t> distances;
    for (const std::size_t k : left) distances.push_back(kMostUnits - std::min(counts[k], kMostUnits));
    const std::size_t at = law.Choose(distances, bits);
    chosen.push_back(left[at]);
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(at));
  }
  return chosen;
}

}  // namespace kith
