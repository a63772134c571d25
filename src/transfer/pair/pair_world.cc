#include "transfer/pair/pair_world.h"

#include <cmath>
#include <cstddef>

#include "base/meter.h"
#include "dependence/check.h"

namespace kith {
namespace {

constexpr std::int64_t kMostRecords = 1000;
constexpr std::size_t kMostValues = 16;
constexpr std::size_t kRegularRecords = 127;  // a tree of degree 3 six links deep, or a path

/// The law with law[a] table[a][b] = law[b] table[b][a] for all a and b; nothing if there is none.
std::optional<Law> BalancedLaw(const LawTable& table) {
  const std::size_t n = table.size();
  Law law(n, 0.0);
  std::vector<bool> known(n, false);
  std::vector<std::size_t> waiting = {0};
  law[0] = 1;
  known[0] = true;
  while (!waiting.empty()) {
    const std::size_t a = waiting.back();
    waiting.pop_back();
    for (std::size_t b = 0; b < n; ++b) {
      if (known[b] || !(table[a][b] > 0)) continue;
      if (!(table[b][a] > 0)) return std::nullopt;
      law[b] = law[a] * table[a][b] / table[b][a];
      known[b] = true;
      waiting.push_back(b);
    }
  }
  for (std::size_t a = 0; a < n; ++a) {
    if (!known[a] || !std::isfinite(law[a])) return std::nullopt;
  }
  law = Normalised(law);
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < n; ++b) {
      const double there = law[a] * table[a][b], back = law[b] * table[b][a];
      if (std::abs(there - back) > 1e-9 * (there + back)) return std::nullopt;
    }
  }
  return law;
}

/// Parents of the listed links, every component rooted at its first record; nothing if there is a cycle.
std::optional<std::vector<std::int64_t>> ParentsOf(const PairLaws& model) {
  const auto n = static_cast<std::size_t>(model.nodes);
  std::vector<std::vector<std::uint32_t>> linked(n);
  for (const auto& [a, b] : model.links) {
    linked[a].push_back(b);
    linked[b].push_back(a);
  }
  constexpr std::int64_t kNotMet = -2;
  std::vector<std::int64_t> parents(n, kNotMet);
  std::size_t roots = 0;
  for (std::size_t first = 0; first < n; ++first) {
    if (parents[first] != kNotMet) continue;
    parents[first] = -1;
    ++roots;
    std::vector<std::size_t> waiting = {first};
    while (!waiting.empty()) {
      Meter::Look();
      const std::size_t node = waiting.back();
      waiting.pop_back();
      for (const auto next : linked[node]) {
        if (parents[next] != kNotMet) continue;
        parents[next] = static_cast<std::int64_t>(node);
        waiting.push_back(next);
      }
    }
  }
  if (model.links.size() + roots != n) return std::nullopt;  // a forest has one link fewer than records in each tree
  return parents;
}

/// A tree whose inner records all have `degree` links, filled level by level.
std::vector<std::int64_t> RegularParents(std::int64_t degree) {
  std::vector<std::int64_t> parents = {-1};
  if (degree == 1) return {-1, 0};
  for (std::size_t node = 0; parents.size() < kRegularRecords; ++node) {
    const std::int64_t children = node == 0 ? degree : degree - 1;
    for (std::int64_t k = 0; k < children && parents.size() < kRegularRecords; ++k)
      parents.push_back(static_cast<std::int64_t>(node));
  }
  return parents;
}

}  // namespace

std::optional<Tree> MarkovWorld(const PairLaws& model) {
  if (model.table.size() > kMostValues || model.nodes > kMostRecords) return std::nullopt;
  LawTable table;
  for (const auto& law : model.table) table.push_back(Normalised(law));
  const auto root = BalancedLaw(table);
  if (!root) return std::nullopt;
  auto parents = model.links.empty() ? std::optional(RegularParents(model.degree)) : ParentsOf(model);
  if (!parents) return std::nullopt;
  Tree tree{std::move(*parents), {}};
  for (const auto parent : tree.parents) tree.tables.push_back(parent == -1 ? LawTable{*root} : table);
  return tree;
}

}  // namespace kith
