#include "policy/group_size.h"

#include <algorithm>
#include <variant>

namespace kith {

std::optional<std::int64_t> DeclaredGroupSize(const Policy& policy, const std::string& column) {
  if (policy.unit.within == column) return policy.unit.size;
  if (policy.dependence.by != column || policy.dependence.of_households) return std::nullopt;
  const Model& model = policy.dependence.model;
  if (const auto* overlap = std::get_if<Overlap>(&model)) return overlap->size;
  const auto* group = std::get_if<Group>(&model);
  if (group == nullptr) return std::nullopt;
  std::int64_t most = 0;
  for (std::size_t k = 0; k < group->classes.size(); ++k) most = std::max(most, group->SizeOf(k));
  return most;
}

}  // namespace kith
