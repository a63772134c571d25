// Models that clients describe. Internal to server.
#pragma once

#include "base/json.h"
#include "base/result.h"
#include "dependence/model.h"

namespace kith::server {

/// Fails: kInvalidArgument; also if it names more records than a request can have links for, each of which takes
/// memory.
Result<Model> ModelIn(const Json& described);

}  // namespace kith::server
