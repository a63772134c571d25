// A comparison of two policies, as text and as JSON.
#pragma once
#include <string_view>

#include "base/json.h"
#include "release/upkeep/policy_diff.h"

namespace kith::document {

/// "accepted", "review", "refused".
std::string_view NameOf(GrowthVerdict verdict);

Json ToJson(const PolicyDiff& diff);

}  // namespace kith::document
