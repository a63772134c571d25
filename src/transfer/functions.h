// All transfer functions, one for each kind of dependence model. To add one: docs/howto/add_a_transfer_function.md.
#pragma once
#include <memory>

#include "dependence/known.h"
#include "dependence/model.h"
#include "transfer/transfer_function.h"

namespace kith {

using TransferFunctionPtr = std::unique_ptr<const TransferFunction>;

// Requires: the model has passed Check.
// Fails: kInvalidArgument for what only shows when the function is made ready, such as probabilities too small to
// compute with.
Result<TransferFunctionPtr> MakeTransferFunction(const Independent& model);
Result<TransferFunctionPtr> MakeTransferFunction(const Group& model);
Result<TransferFunctionPtr> MakeTransferFunction(const Overlap& model);
Result<TransferFunctionPtr> MakeTransferFunction(const Field& model);
Result<TransferFunctionPtr> MakeTransferFunction(const Chain& model);
Result<TransferFunctionPtr> MakeTransferFunction(const Tree& model);
Result<TransferFunctionPtr> MakeTransferFunction(const Star& model);
Result<TransferFunctionPtr> MakeTransferFunction(const Lipschitz& model);
Result<TransferFunctionPtr> MakeTransferFunction(const Joint& model);
Result<TransferFunctionPtr> MakeTransferFunction(const PairLaws& model);
Result<TransferFunctionPtr> MakeTransferFunction(const ChainRegion& model);
Result<TransferFunctionPtr> MakeTransferFunction(const TreeRegion& model);
Result<TransferFunctionPtr> MakeTransferFunction(const HiddenCause& model);

/// Whether a field is worked through as a compact graph, or record by record.
bool IsLarge(const Field& model);

/// Where exact totals are known as well. Fails: kInvalidArgument with the reason where no bound is proved.
Result<TransferFunctionPtr> MakeTransferFunction(const Model& model, const KnownTotals& known);
/// Whom these bounds cover, in words.
std::string Words(Adversary adversary, const KnownTotals& known);

}  // namespace kith
