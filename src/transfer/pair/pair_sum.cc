// Sums over pairs: the dependent perturbation mechanism with its coefficient by Equation 14, for the worst question of
// a given plain loss, which is r(t)/t; or by Equation 18. Source: Liu, Chakraborty, Mittal 2016, Equations 14, 18,
// 22-25; docs/theory/published.md#sums-over-pairs.  Claims: claims/transfer_pair_sum.md
#include <algorithm>
#include <cmath>

#include "dependence/check.h"
#include "transfer/functions.h"
#include "transfer/pair/pair.h"
#include "transfer/pair/pair_world.h"
#include "transfer/star/star_degrees.h"

namespace kith {
namespace {

/// How far each value is from the farthest point of the domain, over the diameter of the domain: from 1/2 to 1.
std::vector<double> Farthest(const PairLaws& model) {
  std::vector<std::vector<double>> axes = model.axes;
  if (axes.empty()) {
    axes.emplace_back(model.table.size());
    for (std::size_t v = 0; v < model.table.size(); ++v) axes[0][v] = static_cast<double>(v);
  }
  double diameter = 0;
  for (const auto& axis : axes) diameter += axis.back() - axis.front();
  std::vector<double> far(model.table.size(), 0.0);
  for (std::size_t v = 0; v < far.size(); ++v) {
    std::size_t rest = v;
    for (std::size_t k = axes.size(); k-- > 0; rest /= axes[k].size()) {
      const double at = axes[k][rest % axes[k].size()];
      far[v] += std::max(at - axes[k].front(), axes[k].back() - at) / diameter;
    }
  }
  return far;
}

class PairSumTransfer final : public TransferFunction {
 public:
  explicit PairSumTransfer(const PairLaws& model) : degree_(LargestDegree(model)), listed_(!model.links.empty()) {
    for (const auto& law : model.table) table_.push_back(Normalised(law));
    if (model.coefficient == PairCoefficient::kEq18) far_ = Farthest(model);
    for (const std::string& column : model.columns) columns_ += (columns_.empty() ? "" : " and ") + column;
    if (degree_ < 2 && far_.empty()) return;
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
           (columns_.empty() ? ""
                             : ", for the cells of a grid over " + columns_ +
                                   "; where in its cell a record lies says nothing about others") +
           (degree_ < 2 ? "; pairs are independent of each other" : "");
  }

  /// Ensures [PAIR-SUM-1]: at least the dependent loss if no record has more than one link, also for somebody who knows
  /// the linked record. Where it is not proved, it is what the paper says of somebody who knows no record.
  Result<std::vector<BoundValues>> Bounds(const PlainLosses& plain, std::size_t) const override {
    const double largest = plain.Largest();
    if (!far_.empty()) {
      return std::vector<BoundValues>{{"pair sum, Eq. 18",
                                       Adversary::kNothing,
                                       {StarLoss(largest, Eq18(largest), static_cast<std::uint64_t>(degree_))}}};
    }
    double worst = 0;
    for (const auto& p : table_) {
      for (const auto& q : table_) worst = std::max(worst, PairLoss(largest, p, q));
    }
    return std::vector<BoundValues>{{"pair sum",
                                     degree_ == 1 ? Adversary::kNeighbours : Adversary::kNothing,
                                     {StarLoss(largest, worst, static_cast<std::uint64_t>(degree_))}}};
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
  /// The dependent part of Eq. 20: never above the plain loss.
  double Eq18(double plain) const {
    if (!(plain > 0) || !std::isfinite(plain)) return plain;
    double worst = 0;
    for (const Law& law : table_) {
      double sum = 0;
      for (std::size_t v = 0; v < law.size(); ++v) sum += law[v] * std::exp((far_[v] - 1) * plain);
      worst = std::max(worst, plain + std::log(sum));
    }
    return std::min(plain, worst * (1 + 1e-12) + 1e-15);
  }

  LawTable table_;
  std::int64_t degree_;
  bool listed_;
  std::vector<double> far_;    // Eq. 18 only
  std::string columns_;        // whose places are divided into cells
  TransferFunctionPtr world_;  // nothing: no exact audit
};

}  // namespace

std::string UnprovenOn(const Model& model) {
  const auto* pairs = std::get_if<PairLaws>(&model);
  if (pairs == nullptr) return {};
  if (pairs->coefficient == PairCoefficient::kEq18) {
    return "UNPROVEN: the dependent loss is a published sum over pairs of records by Eq. 18, which is not proved for "
           "every question; the true loss can be larger";
  }
  if (LargestDegree(*pairs) == 1) return {};  // 0: the links are in a file that has not been read yet
  return "UNPROVEN: the dependent loss is a published sum over pairs of records, which is not proved where a record "
         "has two "
         "or more links; the true loss can be larger";
}

Result<TransferFunctionPtr> MakeTransferFunction(const PairLaws& model) {
  return TransferFunctionPtr(std::make_unique<PairSumTransfer>(model));
}

}  // namespace kith
