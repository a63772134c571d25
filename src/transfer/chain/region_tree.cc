// A network that is a forest, with tables that are known up to intervals.
// Source: docs/theory/transfer.md#intervals.  Claims: claims/transfer_region.md
#include <algorithm>

#include "base/meter.h"
#include "dependence/region.h"
#include "transfer/chain/region_messages.h"
#include "transfer/check/field_small.h"
#include "transfer/check/field_witness.h"
#include "transfer/functions.h"

namespace kith {
namespace {

class TreeRegionTransfer final : public TransferFunction {
 public:
  explicit TreeRegionTransfer(const TreeRegion& model) : parents_(model.parents), field_(AsField(model)) {
    const std::size_t n = parents_.size();
    children_.resize(n);
    for (std::size_t j = 0; j < n; ++j) {
      if (parents_[j] == -1) {
        order_.push_back(j);
      } else {
        children_[Parent(j)].push_back(j);
      }
    }
    for (std::size_t k = 0; k < order_.size(); ++k)
      order_.insert(order_.end(), children_[order_[k]].begin(), children_[order_[k]].end());
    two_values_ =
        std::all_of(model.tables.begin(), model.tables.end(), [](const auto& t) { return t.low[0].size() == 2; });
    if (!two_values_) return;
    steps_.resize(n);
    laws_.resize(n);
    for (const std::size_t j : order_) {
      Meter::Look();
      const TableRegion table = Tightened(model.tables[j]);
      if (parents_[j] == -1) {
        laws_[j] = OddsOf(table);
      } else {
        steps_[j] = StepOf(table);
        laws_[j] = NextLaw(laws_[Parent(j)], steps_[j]);
      }
    }
  }

  std::size_t records() const override { return parents_.size(); }
  std::string Assumes(std::size_t) const override {
    return "the " + std::to_string(records()) +
           " records follow the declared tree network, each probability within its declared interval, and depend on no "
           "others";
  }
  Result<std::vector<BoundValues>> Bounds(const PlainLosses& plain, std::size_t) const override {
    const std::vector<double> losses = field_.Plain(plain);
    std::vector<BoundValues> bounds = {{"field", Adversary::kEvidence, MessageLosses(field_, losses)},
                                       {"group", Adversary::kEvidence, field_.ComponentSums(losses)}};
    if (two_values_) bounds.push_back({"tree", Adversary::kNothing, ByTables(plain)});
    return bounds;
  }

 private:
  static Field AsField(const TreeRegion& model) {
    Field field;
    field.nodes = static_cast<std::int64_t>(model.parents.size());
    for (std::size_t j = 0; j < model.parents.size(); ++j) {
      if (model.parents[j] == -1) continue;
      field.edges.push_back({static_cast<std::uint32_t>(model.parents[j]), static_cast<std::uint32_t>(j),
                             LargestStrength(Tightened(model.tables[j]))});
    }
    return field;
  }
  std::size_t Parent(std::size_t j) const { return static_cast<std::size_t>(parents_[j]); }

  /// Messages towards the roots, then away from them: as Forest::Losses, at the worst law of every table.
  std::vector<double> ByTables(const PlainLosses& plain) const {
    const std::size_t n = records();
    std::vector<Excess> below(n);      // a record's own loss and everything below it
    std::vector<Excess> to_parent(n);  // what its parent sees of that
    for (auto it = order_.rbegin(); it != order_.rend(); ++it) {
      Meter::Look();
      const double own = ExcessOf(plain[*it]);
      below[*it] = {own, own};
      for (const std::size_t child : children_[*it]) below[*it] = Joined(below[*it], to_parent[child]);
      if (parents_[*it] != -1) to_parent[*it] = SeenAfter(below[*it], steps_[*it]);
    }
    std::vector<Excess> from_parent(n);
    std::vector<double> losses(n);
    for (const std::size_t j : order_) {
      Meter::Look();
      const Excess all = Joined(below[j], from_parent[j]);
      losses[j] = laws_[j].both() ? std::max(plain[j], LossOf(std::max(all.yes, all.no))) : plain[j];
      const std::vector<std::size_t>& children = children_[j];
      const double own = ExcessOf(plain[j]);
      Excess left = Joined({own, own}, from_parent[j]);
      std::vector<Excess> right(children.size() + 1);
      for (std::size_t k = children.size(); k-- > 0;) right[k] = Joined(right[k + 1], to_parent[children[k]]);
      for (std::size_t k = 0; k < children.size(); ++k) {
        from_parent[children[k]] = SeenBefore(Joined(left, right[k + 1]), steps_[children[k]], laws_[j]);
        left = Joined(left, to_parent[children[k]]);
      }
    }
    return losses;
  }

  std::vector<std::int64_t> parents_;
  SmallField field_;
  bool two_values_ = false;
  std::vector<std::size_t> order_;  // parents first
  std::vector<std::vector<std::size_t>> children_;
  std::vector<StepRegion> steps_;
  std::vector<OddsInterval> laws_;
};

}  // namespace

Result<TransferFunctionPtr> MakeTransferFunction(const TreeRegion& model) {
  return TransferFunctionPtr(std::make_unique<TreeRegionTransfer>(model));
}

}  // namespace kith
