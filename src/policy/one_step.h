// The policy as a question about one step of a stream sees it.
#pragma once
#include <cstdint>

#include "policy/policy.h"

namespace kith {

/// Step 0 of its stream is step `tick` of the policy's: rows of this step are read, and no others. Requires: a policy
/// with a stream, and one of its steps.
Policy OneStep(const Policy& policy, std::int64_t tick);
bool IsOneStep(const Policy& policy);

}  // namespace kith
