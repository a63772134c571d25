#include "transfer/field/field_walks.h"

#include "base/meter.h"
#include "transfer/check/walk_losses.h"

namespace kith {
namespace {

/// A component without cycles: every tie brings in as many new nodes as it can. There messages are the recursion
/// itself.
bool HasCycle(const SmallField& field, const std::vector<std::uint32_t>& component) {
  double brought_in = 1;  // nodes
  for (const auto node : component) {
    for (const auto m : field.MembersOf(node)) {
      const double size = field.tie(field.member(m).tie).size;
      brought_in += (size - 1) / size;  // each tie is met once for each of its members
    }
  }
  return brought_in > static_cast<double>(component.size()) + 0.25;
}

}  // namespace

std::vector<int> WalkDepths(const SmallField& field, std::int64_t most_steps) {
  std::vector<int> depths(field.nodes(), 0);
  FieldWalk walk(field, nullptr, nullptr);
  const std::int64_t most = most_steps / static_cast<std::int64_t>(field.nodes());
  std::vector<bool> cycle;
  for (const auto& component : field.components()) cycle.push_back(HasCycle(field, component));
  for (std::uint32_t node = 0; node < field.nodes(); ++node) {
    Meter::Look();
    if (field.hidden(node) || !cycle[field.ComponentOf(node)]) continue;
    std::int64_t last = 0;
    for (int depth = 1; depth <= static_cast<int>(field.nodes()); ++depth) {
      const std::int64_t steps = walk.Steps(node, depth, most);
      if (steps >= most) break;
      depths[node] = depth;
      if (steps == last) break;  // all walks have ended, so that no message is needed
      last = steps;
    }
  }
  return depths;
}

}  // namespace kith
