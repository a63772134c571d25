// Everything that kith says, as JSON. Field names are stable; docs/schema/kith.schema.json describes them.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "base/result.h"

namespace kith::document {

/// {"error": {...}}
nlohmann::json ToJson(const Error& error);

}  // namespace kith::document
