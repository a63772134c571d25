// A network that is a forest, with its tables. Source: docs/theory/transfer.md#tree.  Claims: claims/transfer_tree.md
#include <optional>

#include "transfer/check/field_small.h"
#include "transfer/check/field_witness.h"
#include "transfer/functions.h"
#include "transfer/tree/forest.h"

namespace kith {
namespace {

/// Up to this many records the bound against somebody who knows other records is shown next to it.
constexpr std::size_t kMostForField = 1000;

class TreeTransfer final : public TransferFunction {
 public:
  explicit TreeTransfer(Forest forest) : forest_(std::move(forest)) {
    if (records() <= kMostForField) field_.emplace(forest_.AsField());
  }

  std::size_t records() const override { return forest_.records(); }
  std::string Assumes(std::size_t) const override {
    return "the " + std::to_string(records()) + " records follow the declared tree network and depend on no others";
  }
  Result<std::vector<BoundValues>> Bounds(const PlainLosses& plain, std::size_t) const override {
    std::vector<BoundValues> bounds = {{"tree", Adversary::kNothing, forest_.Losses(plain, forest_.Affordable())},
                                       {"group", Adversary::kEvidence, forest_.ComponentSums(plain)}};
    if (forest_.HasWindows()) bounds.push_back({"window", Adversary::kNothing, forest_.WindowLosses(plain)});
    if (field_) {
      const std::vector<double> losses = field_->Plain(plain);
      bounds.push_back({"field", Adversary::kEvidence, MessageLosses(*field_, losses)});
    }
    return bounds;
  }
  double BudgetPrecision() const override {
    return forest_.HasWindows() ? Forest::kWindowPrecision : TransferFunction::BudgetPrecision();
  }

 private:
  Forest forest_;
  std::optional<SmallField> field_;  // what only the strengths of the tables give: larger, against more knowledge
};

}  // namespace

Result<TransferFunctionPtr> MakeTransferFunction(const Tree& model) {
  auto forest = Forest::Make(model);
  if (!forest) return forest.error();
  return TransferFunctionPtr(std::make_unique<TreeTransfer>(std::move(*forest)));
}

}  // namespace kith
