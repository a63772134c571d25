// Is this file what a policy protects? Strengths are estimated from other people's data, never from the protected ones:
// the size of the noise would itself be a release.
#pragma once
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"

namespace kith::estimate {

/// Refuses a file that is the source of a table with secrets, in any spelling or through a link. Checked: the policy
/// that is named (may be empty), and every policy (*.toml) beside the file and in the present folder. A file that has
/// all the columns of a protected table of the named policy is refused as well, since it is most likely a copy. Tables
/// that a policy declares to be public may be used. No protected data are read: comparing a file with them would show
/// somebody who can change the file what is in them.
/// Ensures [ESTIMATE-6]. Fails: kInvalidArgument: refused, or the policy or a file cannot be read; kStorage,
/// kCancelled.
Result<void> RefuseProtected(const std::vector<std::string>& files, const std::string& policy,
                             const CancelFlag& cancel);

/// The same by name only, for a sample that somebody says is public or consented: it may have the columns of the
/// protected table, since rules about them are counted in it. Nothing is opened. Ensures [ESTIMATE-6] except for
/// copies.
/// Fails: kInvalidArgument: refused, or the policy cannot be read.
Result<void> RefuseSources(const std::vector<std::string>& files, const std::string& policy);

}  // namespace kith::estimate
