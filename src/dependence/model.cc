#include "dependence/model.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace kith {

std::string Kind(const Model& model) {
  static constexpr std::array<const char*, std::variant_size_v<Model::variant>> kKinds = {
      "independent", "group", "overlap", "field", "chain", "tree", "star",
      "lipschitz",   "joint", "pairs",   "chain", "tree",  "group"};
  return kKinds[model.index()];
}

// Second derivatives of the logarithm of a joint law are averages of the cause's variance: at most that of a normal
// law, by Brascamp and Lieb, or a quarter of the squared range, by Popoviciu.
double OddsRatioOf(SharedBy shared, double strength) {
  if (shared != SharedBy::kSd && shared != SharedBy::kRange) return strength;
  const double theta = strength * strength / (shared == SharedBy::kRange ? 4 : 1);
  return theta == 0 ? 1 : std::exp(theta) * (1 + (theta + 8) * 0x1p-51);  // rounded up
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
