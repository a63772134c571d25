#include "dependence/model.h"

#include <array>

namespace kith {

std::string Kind(const Model& model) {
  static constexpr std::array<const char*, std::variant_size_v<Model>> kKinds = {
      "independent", "group", "overlap", "field", "chain", "tree", "star", "lipschitz", "joint"};
  return kKinds[model.index()];
}

}  // namespace kith
