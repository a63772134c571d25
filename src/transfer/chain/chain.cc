// Markov chains. Source: docs/theory/transfer.md#chain.  Claims: claims/transfer_chain.md
#include <optional>

#include "transfer/chain/chain_limit.h"
#include "transfer/chain/chain_sweep.h"
#include "transfer/check/field_small.h"
#include "transfer/check/field_witness.h"
#include "transfer/functions.h"
#include "transfer/tree/forest.h"

namespace kith {
namespace {

/// Chains of three and more values that do not settle are worked through as trees, up to this length.
constexpr std::int64_t kMostUnsettled = 100'000;
constexpr std::int64_t kMostPerRecord = 1000;

class ChainTransfer final : public TransferFunction {
 public:
  explicit ChainTransfer(const Chain& model) : model_(model) {
    if (model_.length > kMostPerRecord) return;
    auto forest = Forest::Make(AsTree());
    if (!forest) return;
    field_.emplace(forest->AsField());
    if (forest->HasWindows()) windows_.emplace(std::move(*forest));
  }

  std::size_t records() const override { return static_cast<std::size_t>(model_.length); }
  std::string Assumes(std::size_t) const override {
    return "the " + std::to_string(model_.length) + " records follow the declared Markov chain and depend on no others";
  }

  Result<std::vector<BoundValues>> Bounds(const PlainLosses& plain, std::size_t) const override {
    auto tree = Losses(plain);
    if (!tree) return tree.error();
    std::vector<BoundValues> bounds = {{"tree", Adversary::kNothing, std::move(*tree)},
                                       {"group", Adversary::kEvidence, {plain.SumOver(records())}}};
    if (windows_) bounds.push_back({"window", Adversary::kNothing, windows_->WindowLosses(plain)});
    if (field_) {
      const std::vector<double> losses = field_->Plain(plain);
      bounds.push_back({"field", Adversary::kEvidence, MessageLosses(*field_, losses)});
    }
    return bounds;
  }
  double BudgetPrecision() const override {
    return windows_ ? Forest::kWindowPrecision : TransferFunction::BudgetPrecision();
  }

 private:
  /// One loss for each record, or for long chains the largest.
  Result<std::vector<double>> Losses(const PlainLosses& plain) const {
    const bool each = model_.length <= kMostPerRecord;
    if (plain.uniform()) {
      if (auto settled = SettleChain(model_, plain[0], kMostPerRecord)) {
        return each ? std::move(settled->losses) : std::vector<double>{settled->worst};
      }
    }
    if (model_.start.size() == 2) {
      auto swept = SweepChain(model_, plain, each);
      return each ? std::move(swept.losses) : std::vector<double>{swept.worst};
    }
    if (model_.length > kMostUnsettled) {
      return InvalidArgument("this chain forgets too slowly for its length of " + std::to_string(model_.length) +
                                 " (longest: " + std::to_string(kMostUnsettled) + ")",
                             "length",
                             "merge its values into two, divide it into independent parts, or use kind = \"group\"");
    }
    auto forest = Forest::Make(AsTree());
    if (!forest) return forest.error();
    return forest->Losses(plain, forest->Affordable());
  }

  Tree AsTree() const {
    Tree tree;
    for (std::int64_t i = 0; i < model_.length; ++i) {
      tree.parents.push_back(i - 1);
      tree.tables.push_back(i == 0 ? LawTable{model_.start} : model_.transition);
    }
    return tree;
  }

  Chain model_;
  std::optional<SmallField> field_;  // short chains: what only the strength of the table gives
  std::optional<Forest> windows_;    // short chains of several values
};

}  // namespace

Result<TransferFunctionPtr> MakeTransferFunction(const Chain& model) {
  return TransferFunctionPtr(std::make_unique<ChainTransfer>(model));
}

}  // namespace kith
