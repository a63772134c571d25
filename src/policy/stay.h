// What the totals of a stream are about, in words.
#pragma once
#include <string>

#include "policy/policy.h"

namespace kith {

/// What the totals of a stream are about, as the rest of a sentence; empty without one.
std::string StayOf(const Policy& policy);

}  // namespace kith
