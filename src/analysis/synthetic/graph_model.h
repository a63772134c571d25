// A law of all columns that is a product of small tables, with the probabilities of its nodes, and its best fit to
// noisy counts. Everything here is made of numbers that were released: it costs nothing, whatever it computes.
// Source: McKenna, Sheldon, Miklau 2019, "Graphical-model based estimation and inference for differential privacy".
#pragma once
#include <span>
#include <vector>

#include "analysis/synthetic/junction_tree.h"
#include "base/cancel.h"
#include "base/result.h"

namespace kith::synthetic {

/// Noisy counts of the cells over some columns.
struct Measurement {
  Scope scope;
  std::vector<double> counts;
  double variance = 1;  // of each count; above 0
};

/// How many rows there are, by all measurements, weighted by variance; at least 1.
double TotalOf(std::span<const Measurement> measured);

class GraphModel {
 public:
  /// Every row is as likely as any other.
  static GraphModel Uniform(const Sizes& sizes) { return GraphModel(JunctionTree::Of(sizes, {})); }
  /// The law of least squares (weighted by variances) among all that are products of tables over the measured scopes,
  /// approached by mirror descent from the same law as `before`, whose measurements are the first of these.
  /// Fails: kCancelled.
  static Result<GraphModel> Fit(const Sizes& sizes, std::span<const Measurement> measured, const GraphModel& before,
                                const Scope& root, std::size_t steps, const CancelFlag& cancel);

  const JunctionTree& tree() const { return tree_; }
  /// Probabilities of the cells of a node. They agree on what two nodes have in common.
  const std::vector<double>& Node(std::size_t node) const { return beliefs_[node]; }
  /// Of one column or of all columns of a node. Requires: a node holds the scope.
  std::vector<double> Of(const Scope& scope) const;
  /// Of the pairs {column, other} for every other column, in their order (an empty table for the column itself); the
  /// smaller column of the pair is slower.
  std::vector<std::vector<double>> PairsWith(std::size_t column) const;

 private:
  explicit GraphModel(JunctionTree tree);
  void Calibrate();

  JunctionTree tree_;
  std::vector<std::vector<double>> potentials_;  // of each node, logarithms
  std::vector<std::vector<double>> beliefs_;
  std::vector<std::vector<double>> weights_;  // of each measurement: its part of the potentials

  friend class Descent;
};

}  // namespace kith::synthetic
