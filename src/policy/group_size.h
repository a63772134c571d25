// How many units a group has at most, where the policy declares it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "policy/policy.h"

namespace kith {

/// The most units that have one value of the column: [unit] size where `within` names it, otherwise that of a
/// dependence inside its groups. Nothing: it is not declared.
std::optional<std::int64_t> DeclaredGroupSize(const Policy& policy, const std::string& column);

}  // namespace kith
