#include "dependence/model.h"

#include <algorithm>
#include <array>

namespace kith {

std::string Kind(const Model& model) {
  static constexpr std::array<const char*, std::variant_size_v<Model::variant>> kKinds = {
      "independent", "group", "overlap", "field", "chain", "tree", "star",
      "lipschitz",   "joint", "pairs",   "chain", "tree",  "group"};
  return kKinds[model.index()];
}

bool AtLeastAsStrong(const Group& group, std::size_t stronger, std::size_t weaker) {
  const auto& odds = group.classes[stronger].odds_ratio;
  const auto& other = group.classes[weaker].odds_ratio;
  return group.SizeOf(stronger) >= group.SizeOf(weaker) && (!odds || (other && *odds >= *other));
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
