// Groups in which one record's value hardly moves the law of the rest. Source: docs/theory/transfer.md#overlap;
// sharpens identity differential privacy, Lemma 5 and Theorem 4.  Claims: claims/transfer_overlap.md
#include <algorithm>

#include "transfer/functions.h"
#include "transfer/rounding.h"

namespace kith {
namespace {

using namespace rounding;

/// log(e^own (1 - eta) + eta e^all), rounded up, as own + log1p(eta (e^{all - own} - 1)).
/// Ensures [OVERLAP-1]: at least the dependent loss when the laws of the rest, given any two values of the
/// record, have total variation at most eta.
double OverlapLoss(double own, double all, double eta) {
  if (eta == 0) return own;
  const double others = SubtractUp(all, own);
  if (others > 700) return all;
  return std::min(all, AddUp(own, Log1pUp(MulUp(eta, Expm1Up(others)))));
}

class OverlapTransfer final : public TransferFunction {
 public:
  explicit OverlapTransfer(const Overlap& model) : model_(model) {}
  std::size_t records() const override { return static_cast<std::size_t>(model_.size); }
  std::string Assumes(std::size_t) const override {
    return "within a group of at most " + std::to_string(model_.size) +
           ", learning one record moves the probability of anything about the others by at most " +
           AtMostText(model_.eta) + "; groups are independent";
  }
  Result<std::vector<BoundValues>> Bounds(const PlainLosses& plain, std::size_t) const override {
    const double all = plain.SumOver(records());
    std::vector<double> values;
    for (const double own : plain.each()) values.push_back(OverlapLoss(own, all, model_.eta));
    if (plain.uniform()) values = {OverlapLoss(plain[0], all, model_.eta)};
    return std::vector<BoundValues>{{"overlap", Adversary::kNothing, std::move(values)},
                                    {"group", Adversary::kEvidence, {all}}};
  }

 private:
  Overlap model_;
};

}  // namespace

Result<TransferFunctionPtr> MakeTransferFunction(const Overlap& model) {
  return TransferFunctionPtr(std::make_unique<OverlapTransfer>(model));
}

}  // namespace kith
