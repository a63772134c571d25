// A network that is a forest, with its tables. Source: MODEL section 3, `tree`.  Claims: claims/transfer_tree.md
#include "transfer/forest.h"
#include "transfer/functions.h"

namespace kith {
namespace {

/// Beyond this many linear programmes for one evaluation (0.1 ms each), the closed form stands in for them.
constexpr std::int64_t kMostProgrammes = 2000;

class TreeTransfer final : public TransferFunction {
 public:
  explicit TreeTransfer(Forest forest) : forest_(std::move(forest)) {}

  std::size_t records() const override { return forest_.records(); }
  std::string Assumes(std::size_t) const override {
    return "the " + std::to_string(records()) + " records follow the declared tree network and depend on no others";
  }
  Result<std::vector<BoundValues>> Bounds(const PlainLosses& plain, std::size_t) const override {
    const auto how =
        forest_.programmes() <= kMostProgrammes ? SeveralValues::kLinearProgramme : SeveralValues::kLargest;
    return std::vector<BoundValues>{{"tree", Adversary::kNothing, forest_.Losses(plain, how)},
                                    {"group", Adversary::kEvidence, forest_.ComponentSums(plain)}};
  }

 private:
  Forest forest_;
};

}  // namespace

Result<TransferFunctionPtr> MakeTransferFunction(const Tree& model) {
  auto forest = Forest::Make(model);
  if (!forest) return forest.error();
  return TransferFunctionPtr(std::make_unique<TreeTransfer>(std::move(*forest)));
}

}  // namespace kith
