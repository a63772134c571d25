// Sums over pairs: the dependent perturbation mechanism with its coefficient (Equation 14) for the worst question of a
// given plain loss, which is r(t)/t. Source: Liu, Chakraborty, Mittal 2016, Equations 14 and 22 to 25;
// docs/theory/published.md#sums-over-pairs.  Claims: claims/transfer_pair_sum.md
#include <algorithm>

#include "dependence/check.h"
#include "transfer/functions.h"
#include "transfer/pair/pair.h"
#include "transfer/pair/pair_world.h"
#include "transfer/star/star_degrees.h"

namespace kith {
namespace {

class PairSumTransfer final : public TransferFunction {
 public:
  explicit PairSumTransfer(const PairLaws& model) : degree_(LargestDegree(model)), listed_(!model.links.empty()) {
    for (const auto& law : model.table) table_.push_back(Normalised(law));
    if (degree_ < 2) return;
    const auto world = MarkovWorld(model);
    if (!world) return;
    auto tree = MakeTransferFunction(*world);
    if (!tree) return;
    world_ = std::move(*tree);
  }

  std::size_t records() const override { return 0; }

  std::string Assumes(std::size_t) const override {
    return "no record has more than " + std::to_string(degree_) + (degree_ == 1 ? " link" : " links") +
           ", and the law of a linked record is the declared table, whichever of the two is given" +
           (degree_ < 2 ? "; pairs are independent of each other" : "");
  }

  /// Ensures [PAIR-SUM-1]: at least the dependent loss if no record has more than one link.
  Result<std::vector<BoundValues>> Bounds(const PlainLosses& plain, std::size_t) const override {
    const double largest = plain.Largest();
    double worst = 0;
    for (const auto& p : table_) {
      for (const auto& q : table_) worst = std::max(worst, PairLoss(largest, p, q));
    }
    return std::vector<BoundValues>{
        {"pair sum", Adversary::kNeighbours, {StarLoss(largest, worst, static_cast<std::uint64_t>(degree_))}}};
  }

  std::optional<Audit> AuditAt(const PlainLosses& plain) const override {
    if (!world_) return std::nullopt;
    const auto bounds = world_->Bounds(PlainLosses::All(plain.Largest()), 0);
    if (!bounds) return std::nullopt;
    for (const BoundValues& bound : *bounds) {
      if (bound.name != "tree") continue;
      const std::string records = std::to_string(world_->records());
      return Audit{*std::max_element(bound.values.begin(), bound.values.end()), table_.size() == 2,
                   "against somebody who knows no record, " +
                       (listed_ ? "if the " + records + " records form the Markov tree of these links and laws"
                                : "in one world that fits, a Markov tree of " + records + " records with at most " +
                                      std::to_string(degree_) + " links each")};
    }
    return std::nullopt;
  }

 private:
  LawTable table_;
  std::int64_t degree_;
  bool listed_;
  TransferFunctionPtr world_;  // nothing: no exact audit
};

}  // namespace

std::string UnprovenOn(const Model& model) {
  const auto* pairs = std::get_if<PairLaws>(&model);
  if (pairs == nullptr || LargestDegree(*pairs) < 2) return {};
  return "UNPROVEN: the dependent loss is a published sum over pairs of records, which is not proved where a record "
         "has two "
         "or more links; the true loss can be larger";
}

Result<TransferFunctionPtr> MakeTransferFunction(const PairLaws& model) {
  return TransferFunctionPtr(std::make_unique<PairSumTransfer>(model));
}

}  // namespace kith
