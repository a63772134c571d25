#include "experiment/network_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "attack/kmeans.h"

namespace kith::experiment {
namespace {

struct Spot {
  double x = 0, y = 0;
};
using Edges = std::vector<std::pair<std::size_t, std::size_t>>;

std::vector<Spot> Arrange(std::size_t nodes, const Edges& edges, std::mt19937_64& engine) {
  std::vector<Spot> at(nodes);
  for (Spot& spot : at) spot = {attack::Uniform(engine), attack::Uniform(engine)};
  const double ideal = 0.6 / std::sqrt(static_cast<double>(nodes));
  constexpr int kSteps = 150;
  for (int step = 0; step < kSteps; ++step) {
    std::vector<Spot> push(nodes);
    for (std::size_t a = 0; a < nodes; ++a) {
      push[a] = {0.5 - at[a].x, 0.5 - at[a].y};  // nobody drifts away
      for (std::size_t b = 0; b < nodes; ++b) {
        const double x = at[a].x - at[b].x, y = at[a].y - at[b].y, square = std::max(1e-8, x * x + y * y);
        push[a].x += x * ideal * ideal / square;
        push[a].y += y * ideal * ideal / square;
      }
    }
    for (const auto& [a, b] : edges) {
      const double x = at[a].x - at[b].x, y = at[a].y - at[b].y, far = std::sqrt(x * x + y * y) / ideal * 0.15;
      push[a] = {push[a].x - x * far, push[a].y - y * far};
      push[b] = {push[b].x + x * far, push[b].y + y * far};
    }
    const double most = 0.08 * (1 - static_cast<double>(step) / kSteps) + 1e-4;
    for (std::size_t a = 0; a < nodes; ++a) {
      const double length = std::sqrt(push[a].x * push[a].x + push[a].y * push[a].y);
      const double factor = length > most ? most / length : 1;
      at[a] = {at[a].x + factor * push[a].x, at[a].y + factor * push[a].y};
    }
  }
  return at;
}

}  // namespace

std::string NetworkTable(const attack::Friends& friends, const std::vector<std::uint32_t>& clusters, std::size_t people,
                         std::size_t edges, std::uint64_t seed) {
  std::vector<std::size_t> order(friends.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return friends[a].size() > friends[b].size(); });
  order.resize(std::min(people, order.size()));
  std::vector<std::size_t> number(friends.size(), friends.size());
  for (std::size_t k = 0; k < order.size(); ++k) number[order[k]] = k;
  Edges drawn;
  for (const std::size_t a : order) {
    for (const std::uint32_t b : friends[a]) {
      if (number[b] < friends.size() && a < b) drawn.emplace_back(number[a], number[b]);
    }
  }
  std::mt19937_64 engine(seed);
  for (std::size_t k = 0; k < std::min(edges, drawn.size()); ++k)
    std::swap(drawn[k],
              drawn[k + static_cast<std::size_t>(attack::Uniform(engine) * static_cast<double>(drawn.size() - k))]);
  drawn.resize(std::min(edges, drawn.size()));
  const auto at = Arrange(order.size(), drawn, engine);
  std::vector<std::string> friends_of(order.size());
  for (const auto& [a, b] : drawn) friends_of[a] += fmt::format("{}{}", friends_of[a].empty() ? "" : " ", b);
  std::string csv = "person,cluster,x,y,friends\n";
  for (std::size_t k = 0; k < order.size(); ++k)
    csv += fmt::format("{},{},{:.4f},{:.4f},{}\n", k, clusters[order[k]], at[k].x, at[k].y, friends_of[k]);
  return csv;
}

}  // namespace kith::experiment
