// How one policy differs from another, judged as the ledger would, before anything is accepted.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/call.h"
#include "base/result.h"
#include "policy/growth.h"

namespace kith {

struct PolicyDiff {
  std::string before, after;  // the files
  Growth growth;
  std::vector<std::string> columns;        // that divide units into cells afterwards
  std::optional<std::int64_t> generation;  // that the new policy would be; nothing: nothing was asked under the old one
  bool accepted = false;                   // the ledger would accept it now
  bool reviewed = false;                   // what needs a review has had it
  std::string reason;                      // why not; or what else to know
  std::string alarm;                       // what a check found that still applies under the new policy; empty: nothing
};

/// Reads both policies, and the ledger of the old one if there is one. Touches no data and writes nothing.
/// Fails: kInvalidArgument if a policy is wrong, or the old one is not what its ledger was used under.
Result<PolicyDiff> DiffPolicies(const std::filesystem::path& before, const std::filesystem::path& after,
                                const Call& call = {});

}  // namespace kith
