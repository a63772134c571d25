#include "transfer/check/node_losses.h"

#include <algorithm>

#include "transfer/pair/pair.h"
#include "transfer/rounding.h"

namespace kith {

NodeLosses::NodeLosses(const Graph& graph, std::span<const std::uint32_t> hidden, const PlainLosses& plain)
    : graph_(graph) {
  if (plain.uniform() && hidden.empty() && !graph.has_hard_edges()) {
    all_ = plain[0];
    return;
  }
  by_node_.assign(graph.nodes(), 0);
  if (!hidden.empty()) concealed_.assign(graph.nodes(), true);
  for (std::uint32_t record = 0; record < graph.records(); ++record) {
    if (std::binary_search(hidden.begin(), hidden.end(), record)) continue;
    double& sum = by_node_[graph.NodeOf(record)];
    sum = rounding::AddUp(sum, plain[record]);
    if (!hidden.empty()) concealed_[graph.NodeOf(record)] = false;
  }
  of_component_.assign(graph.component_records().size(), 0);
  for (std::uint32_t node = 0; node < graph.nodes(); ++node) {
    double& sum = of_component_[graph.ComponentOf(node)];
    sum = rounding::AddUp(sum, by_node_[node]);
  }
}

double NodeLosses::Group(std::uint32_t node) const {
  const std::uint32_t component = graph_.ComponentOf(node);
  if (!of_component_.empty()) return of_component_[component];
  return rounding::MulUp(all_, graph_.component_records()[component]);
}

double NodeLosses::Strength(std::uint32_t node) const {
  const std::uint64_t begin = graph_.offsets()[node];
  const std::uint64_t end = graph_.offsets()[node + 1];
  if (begin == end) return 0;
  if (graph_.strengths().empty()) return rounding::MulUp(graph_.thetas()[0], static_cast<double>(end - begin));
  double sum = 0;
  for (std::uint64_t slot = begin; slot < end; ++slot) sum = rounding::AddUp(sum, graph_.Theta(slot));
  return sum;
}

double NodeLosses::Block(std::uint32_t node) const {
  const double own = Of(node);
  // The group's sum may have been rounded up by more than this node's part: subtracting it stays on the safe side.
  const double rest = std::max(0.0, rounding::SubtractUp(Group(node), own));
  return rounding::AddUp(own, Phi(Strength(node), rest));
}

double NodeLosses::LargestGroup() const {
  double largest = 0;
  for (std::uint32_t node = 0; node < graph_.nodes(); ++node) {
    if (Counts(node)) largest = std::max(largest, Group(node));
  }
  return largest;
}

double NodeLosses::LargestBlock() const {
  double largest = 0;
  for (std::uint32_t node = 0; node < graph_.nodes(); ++node) {
    if (!Counts(node)) continue;
    // Never above either of these, which are cheap.
    if (Group(node) <= largest || rounding::AddUp(Of(node), Strength(node)) <= largest) continue;
    largest = std::max(largest, Block(node));
  }
  return largest;
}

}  // namespace kith
