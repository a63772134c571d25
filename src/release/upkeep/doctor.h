// Whether this machine can keep what kith promises: its engine, randomness, clock, and the disk under the ledger. For
// curators; reads no data.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/call.h"

namespace kith {

enum class Health { kGood, kDoubtful, kBad };

struct Finding {
  std::string about;  // "engine", "randomness", "clock", "policy", "sources", "disk", "ledger", "permissions"
  Health health = Health::kGood;
  std::string what;
  std::string next;  // what to do; empty if it is good
};

/// Of the machine only, or, with a policy, of its files too. Never fails: what cannot be examined is a finding.
std::vector<Finding> Examine(const std::filesystem::path& policy, const Call& call);

}  // namespace kith
