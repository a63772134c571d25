// Groups with a hidden common cause. Source: docs/theory/transfer.md#hidden-causes.  Claims: claims/transfer_region.md
#include <algorithm>
#include <cmath>

#include "transfer/functions.h"
#include "transfer/pair/pair.h"
#include "transfer/rounding.h"

namespace kith {
namespace {

/// The field on a star whose middle is nobody's record: messages in closed form.
class HiddenTransfer final : public TransferFunction {
 public:
  explicit HiddenTransfer(const HiddenCause& model) : model_(model) {}

  std::size_t records() const override { return static_cast<std::size_t>(model_.size); }
  std::string Assumes(std::size_t) const override {
    return "within a group of at most " + std::to_string(model_.size) +
           " records, all dependence comes from one hidden cause: given its state members are independent, and between "
           "two states of it the odds of a member's values change by at most a factor " +
           AtMostText(std::exp(model_.theta)) + "; groups are independent";
  }

  Result<std::vector<BoundValues>> Bounds(const PlainLosses& plain, std::size_t) const override {
    // Ensures [HIDDEN-1]: the cause passes on what it sees of all others.
    std::vector<double> values;
    if (plain.uniform()) {
      const double others = rounding::MulUp(Phi(model_.theta, plain[0]), static_cast<double>(records() - 1));
      values.push_back(rounding::AddUp(plain[0], Phi(model_.theta, others)));
    } else {
      double all = 0;
      for (const double own : plain.each()) all = rounding::AddUp(all, Phi(model_.theta, own));
      for (const double own : plain.each()) {
        // All but one's own, rounded up: what a subtraction loses is at most an ulp of the sum.
        const double others = std::max(0.0, rounding::Widen(all, 2) - Phi(model_.theta, own));
        values.push_back(rounding::AddUp(own, Phi(model_.theta, others)));
      }
    }
    return std::vector<BoundValues>{{"field", Adversary::kEvidence, std::move(values)},
                                    {"group", Adversary::kEvidence, {plain.SumOver(records())}}};
  }

 private:
  HiddenCause model_;
};

}  // namespace

Result<TransferFunctionPtr> MakeTransferFunction(const HiddenCause& model) {
  return TransferFunctionPtr(std::make_unique<HiddenTransfer>(model));
}

}  // namespace kith
