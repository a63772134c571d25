#include "analysis/synthetic/junction_tree.h"

#include <algorithm>
#include <set>

namespace kith::synthetic {
namespace {

// Columns are taken out one after the other, the one whose table with its neighbours is smallest first; these tables
// are the cliques of a triangulated graph. Those inside others are left out.
std::vector<Scope> CliquesFor(const Sizes& sizes, const std::vector<Scope>& scopes) {
  std::vector<std::set<std::size_t>> near(sizes.size());
  for (const Scope& scope : scopes) {
    for (const std::size_t a : scope) near[a].insert(scope.begin(), scope.end());
  }
  for (std::size_t a = 0; a < sizes.size(); ++a) near[a].insert(a);
  std::set<std::size_t> left;
  for (std::size_t a = 0; a < sizes.size(); ++a) left.insert(a);
  std::vector<Scope> cliques;
  while (!left.empty()) {
    std::size_t best = *left.begin(), least = 0;
    for (const std::size_t a : left) {
      const std::size_t cells = CellsOf(sizes, Scope(near[a].begin(), near[a].end()));
      if (a == *left.begin() || cells < least) best = a, least = cells;
    }
    const std::set<std::size_t> around = near[best];
    const Scope clique(around.begin(), around.end());
    const bool inside =
        std::any_of(cliques.begin(), cliques.end(), [&](const Scope& other) { return Contains(other, clique); });
    if (!inside) cliques.push_back(clique);
    for (const std::size_t a : around) {
      near[a].insert(around.begin(), around.end());
      near[a].erase(best);
    }
    left.erase(best);
  }
  return cliques;
}

std::size_t FirstFor(const std::vector<Scope>& cliques, const Scope& root) {
  for (std::size_t k = 0; k < cliques.size(); ++k) {
    if (Contains(cliques[k], root)) return k;
  }
  return 0;
}

TreeNode NodeBehind(const Sizes& sizes, const Scope& scope, std::size_t parent, const TreeNode& before) {
  TreeNode node{.scope = scope, .cells = CellsOf(sizes, scope), .parent = parent, .separator = {}};
  node.separator = Common(scope, before.scope);
  node.separator_cells = CellsOf(sizes, node.separator);
  node.to_separator = CellIn(sizes, scope, node.separator);
  node.parent_separator = CellIn(sizes, before.scope, node.separator);
  return node;
}

}  // namespace

JunctionTree JunctionTree::Of(const Sizes& sizes, const std::vector<Scope>& scopes, const Scope& root) {
  std::vector<Scope> left = CliquesFor(sizes, scopes);
  JunctionTree tree(sizes);
  const std::size_t first = FirstFor(left, root);
  tree.nodes_.push_back({.scope = left[first], .cells = CellsOf(sizes, left[first])});
  left.erase(left.begin() + static_cast<std::ptrdiff_t>(first));
  // A spanning tree with the most columns in common: that is a junction tree of the cliques.
  while (!left.empty()) {
    std::size_t parent = 0, child = 0, most = 0;
    for (std::size_t p = 0; p < tree.nodes_.size(); ++p) {
      for (std::size_t c = 0; c < left.size(); ++c) {
        const std::size_t common = Common(tree.nodes_[p].scope, left[c]).size();
        if (common > most) parent = p, child = c, most = common;
      }
    }
    tree.nodes_.push_back(NodeBehind(sizes, left[child], parent, tree.nodes_[parent]));
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(child));
  }
  return tree;
}

std::size_t JunctionTree::CellsFor(const Sizes& sizes, const std::vector<Scope>& scopes, std::size_t limit) {
  std::size_t all = 0;
  for (const Scope& clique : CliquesFor(sizes, scopes)) {
    const std::size_t cells = CellsOf(sizes, clique, limit);
    if (cells > limit || all + cells > limit) return limit + 1;
    all += cells;
  }
  return all;
}

std::optional<std::size_t> JunctionTree::NodeOf(const Scope& scope) const {
  std::optional<std::size_t> best;
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    if (Contains(nodes_[k].scope, scope) && (!best || nodes_[k].cells < nodes_[*best].cells)) best = k;
  }
  return best;
}

}  // namespace kith::synthetic
