// The transfer function of a file.
#pragma once
#include <string>

#include "base/call.h"
#include "transfer/transfer.h"

namespace kith::cli {

/// A model as JSON, or a policy (.toml): its strongest class. Fails: kInvalidArgument, kStorage, kCancelled.
Result<Transfer> TransferOf(const std::string& path, bool gaussian, const Call& call);

}  // namespace kith::cli
