// Pairs of a network that are independent of each other given everybody else.
#include <algorithm>
#include <map>
#include <numeric>

#include "estimate/estimate.h"

namespace kith::estimate {
namespace {

std::vector<std::vector<std::uint32_t>> Neighbours(const Network& network) {
  std::vector<std::vector<std::uint32_t>> of(network.values.size());
  for (const auto& [a, b] : network.edges) {
    of[a].push_back(b);
    of[b].push_back(a);
  }
  return of;
}

}  // namespace

std::vector<std::size_t> ChoosePairs(const Network& network) {
  const auto neighbours = Neighbours(network);
  std::vector<bool> known(neighbours.size());  // the node and all its neighbours have a value
  for (std::size_t i = 0; i < known.size(); ++i) {
    known[i] = network.values[i] >= 0 && std::all_of(neighbours[i].begin(), neighbours[i].end(),
                                                     [&](std::uint32_t j) { return network.values[j] >= 0; });
  }
  std::vector<std::size_t> order(network.edges.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto crowd = [&](std::size_t edge) {
    return neighbours[network.edges[edge].first].size() + neighbours[network.edges[edge].second].size();
  };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) { return crowd(x) < crowd(y); });
  std::vector<bool> taken(neighbours.size(), false);  // an end of a chosen edge, or tied with one
  std::vector<std::size_t> chosen;
  for (const std::size_t edge : order) {
    const auto [a, b] = network.edges[edge];
    if (a == b || taken[a] || taken[b] || !known[a] || !known[b]) continue;
    chosen.push_back(edge);
    for (const std::uint32_t end : {a, b}) {
      taken[end] = true;
      for (const std::uint32_t j : neighbours[end]) taken[j] = true;
    }
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

Ties TiesOf(const Network& network) {
  const auto neighbours = Neighbours(network);
  const auto chosen = ChoosePairs(network);
  // What an end's odds may depend on, given everybody but the two.
  using End = std::array<std::size_t, 3>;  // class, neighbours but the other end, how many of those say yes
  const auto end = [&](std::uint32_t node, std::uint32_t other) {
    End found{network.classes.empty() ? 0 : static_cast<std::size_t>(network.classes[node]), 0, 0};
    for (const std::uint32_t j : neighbours[node]) {
      if (j == other) continue;
      ++found[1];
      found[2] += network.values[j] == 1 ? 1 : 0;
    }
    return found;
  };
  std::map<std::pair<End, End>, PairTable> strata;
  for (const std::size_t edge : chosen) {
    auto [a, b] = network.edges[edge];
    End of_a = end(a, b), of_b = end(b, a);
    if (of_b < of_a || (of_a == of_b && b < a)) {
      std::swap(a, b);
      std::swap(of_a, of_b);
    }
    PairTable& table = strata[{of_a, of_b}];
    const bool left = network.values[a] == 1, right = network.values[b] == 1;
    ++(left ? (right ? table.both : table.left) : (right ? table.right : table.neither));
  }
  Ties ties;
  for (auto& [key, table] : strata) ties.strata.push_back(std::move(table));
  ties.chosen = static_cast<std::int64_t>(chosen.size());
  ties.edges = static_cast<std::int64_t>(network.edges.size());
  return ties;
}

}  // namespace kith::estimate
