// Independent records: what is lost about a record is what was spent on it.
// Source: docs/theory/transfer.md#independent.
#include "transfer/functions.h"

namespace kith {
namespace {

class IndependentTransfer final : public TransferFunction {
 public:
  std::size_t records() const override { return 0; }
  std::string Assumes(std::size_t) const override { return "records are independent of each other"; }
  Result<std::vector<BoundValues>> Bounds(const PlainLosses& plain, std::size_t) const override {
    std::vector<double> values(plain.each().begin(), plain.each().end());
    if (plain.uniform()) values = {plain[0]};
    return std::vector<BoundValues>{{"independent", Adversary::kEvidence, std::move(values)}};
  }
};

}  // namespace

Result<TransferFunctionPtr> MakeTransferFunction(const Independent&) {
  return TransferFunctionPtr(std::make_unique<IndependentTransfer>());
}

}  // namespace kith
