#include "analysis/synthetic/graph_model.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace kith::synthetic {

double TotalOf(std::span<const Measurement> measured) {
  double sum = 0, weights = 0;
  for (const Measurement& each : measured) {
    double total = 0;
    for (const double count : each.counts) total += count;
    const double weight = 1 / (each.variance * static_cast<double>(each.counts.size()));
    sum += weight * total;
    weights += weight;
  }
  return weights > 0 ? std::max(1.0, sum / weights) : 1;
}

GraphModel::GraphModel(JunctionTree tree) : tree_(std::move(tree)) {
  for (const TreeNode& node : tree_.nodes()) potentials_.emplace_back(node.cells, 0.0);
  Calibrate();
}

void GraphModel::Calibrate() {
  const auto& nodes = tree_.nodes();
  beliefs_ = potentials_;
  std::vector<std::vector<double>> up(nodes.size());
  for (std::size_t k = nodes.size(); k-- > 1;) {
    up[k] = LogSumTo(beliefs_[k], nodes[k].to_separator, nodes[k].separator_cells);
    std::vector<double>& parent = beliefs_[*nodes[k].parent];
    for (std::size_t cell = 0; cell < parent.size(); ++cell) parent[cell] += up[k][nodes[k].parent_separator[cell]];
  }
  for (std::size_t k = 1; k < nodes.size(); ++k) {
    std::vector<double> down =
        LogSumTo(beliefs_[*nodes[k].parent], nodes[k].parent_separator, nodes[k].separator_cells);
    for (std::size_t cell = 0; cell < down.size(); ++cell) down[cell] -= up[k][cell];
    for (std::size_t cell = 0; cell < beliefs_[k].size(); ++cell)
      beliefs_[k][cell] += down[nodes[k].to_separator[cell]];
  }
  for (std::vector<double>& belief : beliefs_) {
    const double most = *std::max_element(belief.begin(), belief.end());
    double sum = 0;
    for (double& cell : belief) sum += cell = std::exp(cell - most);
    for (double& cell : belief) cell /= sum;
  }
}

std::vector<double> GraphModel::Of(const Scope& scope) const {
  const auto node = tree_.NodeOf(scope);
  KITH_CHECK(node.has_value());
  const auto cell_in = CellIn(tree_.sizes(), tree_.nodes()[*node].scope, scope);
  return SumTo(beliefs_[*node], cell_in, CellsOf(tree_.sizes(), scope));
}

namespace {

/// Of joint[a][cell], over the values of one column and the cells of a node: the pair of that column and another one of
/// the node, in the order of the columns.
std::vector<double> PairIn(const std::vector<std::vector<double>>& joint, const Sizes& sizes, const Scope& scope,
                           std::size_t column, std::size_t other) {
  const auto cell_in = CellIn(sizes, scope, {other});
  const std::size_t values = joint.size(), others = sizes[other];
  std::vector<double> pair(values * others);
  for (std::size_t a = 0; a < values; ++a) {
    const std::vector<double> row = SumTo(joint[a], cell_in, others);
    for (std::size_t b = 0; b < others; ++b) pair[column < other ? a * others + b : b * values + a] = row[b];
  }
  return pair;
}

}  // namespace

std::vector<std::vector<double>> GraphModel::PairsWith(std::size_t column) const {
  const Sizes& sizes = tree_.sizes();
  const auto& nodes = tree_.nodes();
  std::vector<std::vector<double>> pairs(sizes.size());
  const std::size_t start = tree_.NodeOf({column}).value();
  // joint[node][value of the column][cell]; nodes are visited along the tree, in both directions.
  std::vector<std::vector<std::vector<double>>> joint(nodes.size());
  const auto found = [&](std::size_t node) {
    for (const std::size_t other : nodes[node].scope) {
      if (other != column && pairs[other].empty())
        pairs[other] = PairIn(joint[node], sizes, nodes[node].scope, column, other);
    }
  };
  const auto value_in = CellIn(sizes, nodes[start].scope, {column});
  joint[start].assign(sizes[column], std::vector<double>(nodes[start].cells));
  for (std::size_t cell = 0; cell < nodes[start].cells; ++cell)
    joint[start][value_in[cell]][cell] = beliefs_[start][cell];
  found(start);
  std::vector<std::size_t> queue = {start};
  const auto pass = [&](std::size_t from, std::size_t to, const TreeNode& edge, bool downwards) {
    if (!joint[to].empty()) return;
    const auto& from_in = downwards ? edge.parent_separator : edge.to_separator;
    const auto& to_in = downwards ? edge.to_separator : edge.parent_separator;
    const std::vector<double> whole = SumTo(beliefs_[to], to_in, edge.separator_cells);
    for (const std::vector<double>& row : joint[from]) {
      const std::vector<double> part = SumTo(row, from_in, edge.separator_cells);
      std::vector<double>& next = joint[to].emplace_back(beliefs_[to]);
      for (std::size_t cell = 0; cell < next.size(); ++cell) {
        const double all = whole[to_in[cell]];
        next[cell] = all > 0 ? next[cell] * part[to_in[cell]] / all : 0;
      }
    }
    found(to);
    queue.push_back(to);
  };
  for (std::size_t at = 0; at < queue.size(); ++at) {
    const std::size_t node = queue[at];
    if (nodes[node].parent) pass(node, *nodes[node].parent, nodes[node], false);
    for (std::size_t k = node + 1; k < nodes.size(); ++k) {
      if (nodes[k].parent == node) pass(node, k, nodes[k], true);
    }
  }
  return pairs;
}

}  // namespace kith::synthetic
