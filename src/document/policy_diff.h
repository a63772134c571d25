// A comparison of two policies, as text and as JSON.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "release/policy_diff.h"

namespace kith::document {

/// "accepted", "review", "refused".
std::string_view NameOf(GrowthVerdict verdict);

nlohmann::json ToJson(const PolicyDiff& diff);

}  // namespace kith::document
