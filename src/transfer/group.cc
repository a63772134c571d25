// Groups, with or without odds ratios: the bounds group, association and block. Source: docs/theory/transfer.md.
#include <cmath>
#include <limits>
#include <optional>

#include "transfer/association.h"
#include "transfer/functions.h"
#include "transfer/rounding.h"

namespace kith {
namespace {

class GroupTransfer final : public TransferFunction {
 public:
  explicit GroupTransfer(const Group& model) : model_(model) {
    for (const auto& c : model_.classes) {
      Strength strength;
      if (c.odds_ratio) {
        strength.theta = rounding::LogUp(*c.odds_ratio);
        if (model_.size <= Association::kMaxSize) strength.association.emplace(model_.size, *strength.theta);
      }
      strengths_.push_back(std::move(strength));
    }
  }

  std::size_t classes() const override { return strengths_.size(); }
  std::size_t records() const override { return static_cast<std::size_t>(model_.size); }

  std::string Assumes(std::size_t of_class) const override {
    const GroupClass& c = model_.classes[of_class];
    const std::string size = std::to_string(model_.size);
    const std::string which = c.label.empty() ? "" : " for " + c.label;
    const std::string start = "within a group of at most " + size + " records, ";
    if (!c.odds_ratio) return start + "they may depend on each other in any way" + which + "; groups are independent";
    return start + "given everybody else, having a relative with it multiplies the odds by at most " +
           AtMostText(*c.odds_ratio) + which + "; groups are independent";
  }

  Result<std::vector<BoundValues>> Bounds(const PlainLosses& plain, std::size_t of_class) const override {
    const Strength& strength = strengths_[of_class];
    std::vector<BoundValues> bounds;
    if (strength.association) {
      // Unequal plain losses: the recursion takes the largest for all.
      bounds.push_back({"association", Adversary::kEvidence, {strength.association->Loss(plain.Largest())}});
    }
    if (strength.theta) bounds.push_back({"block", Adversary::kEvidence, Block(plain, *strength.theta)});
    bounds.push_back({"group", Adversary::kEvidence, {plain.SumOver(records())}});
    return bounds;
  }

 private:
  struct Strength {
    std::optional<double> theta;  // nothing: anything goes
    std::optional<Association> association;
  };

  std::vector<double> Block(const PlainLosses& plain, double theta) const {
    const double strength = rounding::MulUp(theta, static_cast<double>(model_.size - 1));
    if (plain.uniform()) return {BlockLoss(plain[0], plain.SumOver(records() - 1), strength)};
    const double all = plain.SumOver(records());
    std::vector<double> values;
    for (const double own : plain.each()) {
      values.push_back(BlockLoss(own, rounding::SubtractUp(all, own), strength));
    }
    return values;
  }

  Group model_;
  std::vector<Strength> strengths_;
};

}  // namespace

Result<TransferFunctionPtr> MakeTransferFunction(const Group& model) {
  return TransferFunctionPtr(std::make_unique<GroupTransfer>(model));
}

}  // namespace kith
