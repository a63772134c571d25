// The policy as a whole in the keys of stored answers.
#pragma once
#include <string>

#include "policy/policy.h"

namespace kith {

/// `version`: that of the account. Answers older than generations of policies are found under it.
std::string PolicyKey(const Policy& policy, const std::string& version);
/// The same for a policy with this fingerprint.
std::string PolicyKey(const std::string& fingerprint, const std::string& version);

}  // namespace kith
