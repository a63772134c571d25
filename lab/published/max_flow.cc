#include "published/max_flow.h"

#include <algorithm>
#include <limits>

namespace kith::published {
namespace {

/// Less than this is rounding, and would keep the search busy for nothing.
constexpr double kNothing = 1e-300;

}  // namespace

void MaxFlow::Add(std::size_t from, std::size_t to, double capacity) {
  arcs_of_[from].push_back(arcs_.size());
  arcs_.push_back({to, capacity});
  arcs_of_[to].push_back(arcs_.size());
  arcs_.push_back({from, 0.0});
}

bool MaxFlow::Layer(std::size_t source, std::size_t sink) {
  layer_.assign(arcs_of_.size(), -1);
  layer_[source] = 0;
  std::vector<std::size_t> queue = {source};
  for (std::size_t k = 0; k < queue.size(); ++k) {
    for (const std::size_t a : arcs_of_[queue[k]]) {
      if (arcs_[a].left <= kNothing || layer_[arcs_[a].to] >= 0) continue;
      layer_[arcs_[a].to] = layer_[queue[k]] + 1;
      queue.push_back(arcs_[a].to);
    }
  }
  return layer_[sink] >= 0;
}

double MaxFlow::Push(std::size_t node, std::size_t sink, double most) {
  if (node == sink) return most;
  for (; next_[node] < arcs_of_[node].size(); ++next_[node]) {
    const std::size_t a = arcs_of_[node][next_[node]];
    if (arcs_[a].left <= kNothing || layer_[arcs_[a].to] != layer_[node] + 1) continue;
    const double pushed = Push(arcs_[a].to, sink, std::min(most, arcs_[a].left));
    if (pushed <= kNothing) continue;
    arcs_[a].left -= pushed;
    arcs_[a ^ 1].left += pushed;
    return pushed;
  }
  return 0;
}

double MaxFlow::Run(std::size_t source, std::size_t sink) {
  double flow = 0;
  while (Layer(source, sink)) {
    next_.assign(arcs_of_.size(), 0);
    for (;;) {
      const double pushed = Push(source, sink, std::numeric_limits<double>::infinity());
      if (pushed <= kNothing) break;
      flow += pushed;
    }
  }
  return flow;
}

}  // namespace kith::published
