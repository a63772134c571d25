// `kith leakage policy.toml`: rules and epsilons from the policy, what was released from its ledger, and the law of
// dependent attributes from a model or counted in a table that is public or consented. Of the ledger only charges are
// read, which do not follow from data; no protected row is read.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/call.h"
#include "base/result.h"
#include "leakage/leak_input.h"

namespace kith::leakage {

/// What was asked besides the policy. Without `from`: the policy's own `law`.
struct PolicyLaw {
  std::string policy;
  std::string from;                  // a table that has the columns of the rules
  std::string source;                // "public" or "consented": what somebody says that it is
  std::vector<std::string> secrets;  // "hours=hours < 5": attributes that are served to nobody
  std::string about;                 // what follows GROUP BY: the law of these values is counted too
  double confidence = 0.95;
};

/// Fails: kInvalidArgument: no [one_sided], no law, a law without an attribute of the policy, a protected file, a rule
/// that cannot be counted; kStorage, kCancelled.
/// Ensures [OSDP-13]: with probability at least `confidence` the law of the counted table's rows is within all limits
/// at once, if the rows are independent.
Result<LeakageModel> ReadPolicyModel(const PolicyLaw& asked, const Call& call);

/// Exact limits for every cell, all of them right at once, except with probability `alpha` [OSDP-13].
/// Requires: counts of 0 or more, not all 0; 0 < alpha < 1. Fails: too many cells.
Result<one_sided::LawSet> CountedLimits(const std::vector<std::int64_t>& counts, double alpha);

/// What was written.
struct WrittenEpsilons {
  std::string file;
  std::vector<std::string> changed;  // lines: ChangedLines
  std::vector<std::string> spent;    // attributes whose ledger is beyond what was chosen: they release nothing more
};
/// Puts the epsilons into the policy, in place or into a new file beside it, in one step; everything else stays.
/// Fails: kInvalidArgument: as WithEpsilons; another file that exists; another folder, where the policy's paths would
/// mean other files; a policy that its ledger would not take. kStorage.
Result<WrittenEpsilons> WriteEpsilons(const LeakageModel& model, const std::string& policy, const std::string& target,
                                      const std::vector<std::pair<std::string, double>>& epsilons, const Call& call);

}  // namespace kith::leakage
