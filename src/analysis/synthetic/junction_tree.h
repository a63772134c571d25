// A tree of tables in which every measured table has a place: sums over a graphical model are exact on it. Made only
// from scopes; no numbers are used.
// Source: Lauritzen, Spiegelhalter 1988; McKenna, Sheldon, Miklau 2019 (private marginals).
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/synthetic/tables.h"

namespace kith::synthetic {

struct TreeNode {
  Scope scope;
  std::size_t cells = 1;
  // Nothing for the first node. Otherwise an earlier one, and what both have in common (perhaps no column at all).
  std::optional<std::size_t> parent = std::nullopt;
  Scope separator = {};
  std::size_t separator_cells = 1;
  std::vector<std::uint32_t> to_separator;      // from this node's cells
  std::vector<std::uint32_t> parent_separator;  // from the parent's cells
};

/// Every column is in a node, and nodes that have a column in common are connected through nodes that have it.
class JunctionTree {
 public:
  /// A tree in which each scope is in a node. The first node holds `root` (one of the scopes, or empty).
  static JunctionTree Of(const Sizes& sizes, const std::vector<Scope>& scopes, const Scope& root = {});
  /// The cells that the nodes of such a tree have together, without making it; more than `limit` is `limit` + 1.
  static std::size_t CellsFor(const Sizes& sizes, const std::vector<Scope>& scopes, std::size_t limit);

  const Sizes& sizes() const { return sizes_; }
  const std::vector<TreeNode>& nodes() const { return nodes_; }
  /// The smallest node that holds the scope; nothing if none does.
  std::optional<std::size_t> NodeOf(const Scope& scope) const;

 private:
  explicit JunctionTree(Sizes sizes) : sizes_(std::move(sizes)) {}
  Sizes sizes_;
  std::vector<TreeNode> nodes_;
};

}  // namespace kith::synthetic
