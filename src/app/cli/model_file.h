// Dependence models from files.
#pragma once
#include <string>

#include "base/call.h"
#include "base/result.h"
#include "dependence/model.h"

namespace kith::cli {

/// A model as JSON. A separate file of edges is relative to it.
Result<Model> ModelOfFile(const std::string& path, const Call& call);

/// The model of a policy; if its edges are in a file, with the edges read.
Result<Model> ModelOfPolicy(const std::string& path, const Call& call);

}  // namespace kith::cli
