// Maximum flow in a small network with real capacities (Dinic's algorithm).
#pragma once
#include <cstddef>
#include <vector>

namespace kith::published {

class MaxFlow {
 public:
  explicit MaxFlow(std::size_t nodes) : arcs_of_(nodes) {}
  /// Requires: capacity >= 0.
  void Add(std::size_t from, std::size_t to, double capacity);
  /// The flow that gets through. Uses the network up.
  double Run(std::size_t source, std::size_t sink);

 private:
  struct Arc {
    std::size_t to;
    double left;  // capacity that is not used; the reverse arc is the neighbour in the list (index ^ 1)
  };
  bool Layer(std::size_t source, std::size_t sink);
  double Push(std::size_t node, std::size_t sink, double most);

  std::vector<Arc> arcs_;
  std::vector<std::vector<std::size_t>> arcs_of_;
  std::vector<int> layer_;
  std::vector<std::size_t> next_;
};

}  // namespace kith::published
