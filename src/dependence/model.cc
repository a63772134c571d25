#include "dependence/model.h"

#include <algorithm>
#include <array>

namespace kith {

std::string Kind(const Model& model) {
  static constexpr std::array<const char*, std::variant_size_v<Model>> kKinds = {
      "independent", "group", "overlap", "field", "chain", "tree", "star",
      "lipschitz",   "joint", "pairs",   "chain", "tree",  "group"};
  return kKinds[model.index()];
}

std::int64_t LargestDegree(const PairLaws& model) {
  if (model.links.empty()) return model.degree;
  std::vector<std::int64_t> degrees(static_cast<std::size_t>(model.nodes), 0);
  for (const auto& [a, b] : model.links) {
    ++degrees[a];
    ++degrees[b];
  }
  return *std::max_element(degrees.begin(), degrees.end());
}

}  // namespace kith
