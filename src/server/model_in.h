// Models that clients describe. Internal to server: includes nlohmann's.
#pragma once
#include <nlohmann/json.hpp>

#include "base/result.h"
#include "dependence/model.h"

namespace kith::server {

/// Fails: kInvalidArgument; also if it names more records than a request can have links for, each of which takes
/// memory.
Result<Model> ModelIn(const nlohmann::json& described);

}  // namespace kith::server
