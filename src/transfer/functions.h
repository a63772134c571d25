// All transfer functions, one for each kind of dependence model. To add one: docs/howto/add_a_transfer_function.md.
#pragma once
#include <memory>

#include "dependence/model.h"
#include "transfer/transfer_function.h"

namespace kith {

using TransferFunctionPtr = std::unique_ptr<const TransferFunction>;

// Requires: the model has passed Check.
TransferFunctionPtr MakeTransferFunction(const Independent& model);
TransferFunctionPtr MakeTransferFunction(const Group& model);
TransferFunctionPtr MakeTransferFunction(const Overlap& model);
TransferFunctionPtr MakeTransferFunction(const Star& model);
TransferFunctionPtr MakeTransferFunction(const Lipschitz& model);
TransferFunctionPtr MakeTransferFunction(const Joint& model);

}  // namespace kith
