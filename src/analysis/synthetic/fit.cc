// The fit of a graphical model to noisy counts: mirror descent with a step that is searched for.
#include <algorithm>
#include <cmath>

#include "analysis/synthetic/graph_model.h"

namespace kith::synthetic {

/// One fit: where the measurements are in the tree, and steps along the gradient of the squared errors.
class Descent {
 public:
  Descent(GraphModel& model, std::span<const Measurement> measured)
      : model_(model), measured_(measured), total_(TotalOf(measured)) {
    const JunctionTree& tree = model.tree();
    for (const Measurement& each : measured) {
      node_of_.push_back(tree.NodeOf(each.scope).value());
      cell_in_.push_back(CellIn(tree.sizes(), tree.nodes()[node_of_.back()].scope, each.scope));
    }
  }

  /// Starts from the weights that the model has.
  void Begin() {
    Spread();
    loss_ = Look();
    step_ = 1;
    double largest = 0;  // of the gradient: the first step changes no logarithm by more than 1
    for (const auto& part : gradient_)
      for (const double cell : part) largest = std::max(largest, std::fabs(cell));
    if (largest > 0) step_ = 1 / largest;
  }

  /// False: no step makes the errors smaller.
  bool Step() {
    const auto before = model_.weights_;
    const auto gradient = gradient_;
    const auto marginals = marginals_;
    const double loss = loss_;
    for (int tries = 0; tries < 40; ++tries, step_ /= 2) {
      for (std::size_t m = 0; m < before.size(); ++m) {
        for (std::size_t cell = 0; cell < before[m].size(); ++cell)
          model_.weights_[m][cell] = before[m][cell] - step_ * gradient[m][cell];
      }
      Spread();
      loss_ = Look();
      double expected = 0;
      for (std::size_t m = 0; m < before.size(); ++m) {
        for (std::size_t cell = 0; cell < before[m].size(); ++cell)
          expected += gradient[m][cell] * (marginals[m][cell] - marginals_[m][cell]);
      }
      if (loss - loss_ >= expected / 2) {
        if (tries == 0) step_ *= 1.5;
        return loss - loss_ > 1e-9 * loss;
      }
    }
    model_.weights_ = before;
    Spread();
    loss_ = Look();
    return false;
  }

 private:
  void Spread() {
    for (auto& node : model_.potentials_) std::fill(node.begin(), node.end(), 0.0);
    for (std::size_t m = 0; m < measured_.size(); ++m) {
      std::vector<double>& node = model_.potentials_[node_of_[m]];
      for (std::size_t cell = 0; cell < node.size(); ++cell) node[cell] += model_.weights_[m][cell_in_[m][cell]];
    }
    model_.Calibrate();
  }

  // The squared errors, and their gradient by the probabilities.
  double Look() {
    gradient_.clear();
    marginals_.clear();
    double loss = 0;
    for (std::size_t m = 0; m < measured_.size(); ++m) {
      const Measurement& each = measured_[m];
      marginals_.push_back(SumTo(model_.beliefs_[node_of_[m]], cell_in_[m], each.counts.size()));
      std::vector<double>& part = gradient_.emplace_back(each.counts.size());
      for (std::size_t cell = 0; cell < part.size(); ++cell) {
        const double off = total_ * marginals_[m][cell] - each.counts[cell];
        loss += off * off / (2 * each.variance);
        part[cell] = total_ * off / each.variance;
      }
    }
    return loss;
  }

  GraphModel& model_;
  std::span<const Measurement> measured_;
  double total_;
  std::vector<std::size_t> node_of_;
  std::vector<std::vector<std::uint32_t>> cell_in_;
  std::vector<std::vector<double>> gradient_, marginals_;
  double loss_ = 0, step_ = 1;
};

Result<GraphModel> GraphModel::Fit(const Sizes& sizes, std::span<const Measurement> measured, const GraphModel& before,
                                   const Scope& root, std::size_t steps, const CancelFlag& cancel) {
  std::vector<Scope> scopes = {root};
  for (const Measurement& each : measured) scopes.push_back(each.scope);
  GraphModel model(JunctionTree::Of(sizes, scopes, root));
  for (std::size_t m = 0; m < measured.size(); ++m) {
    const bool known = m < before.weights_.size() && before.weights_[m].size() == measured[m].counts.size();
    model.weights_.push_back(known ? before.weights_[m] : std::vector<double>(measured[m].counts.size()));
  }
  Descent descent(model, measured);
  descent.Begin();
  for (std::size_t step = 0; step < steps; ++step) {
    if (cancel.cancelled()) return Cancelled("stopped while the model was fitted");
    if (!descent.Step()) break;
  }
  return model;
}

}  // namespace kith::synthetic
