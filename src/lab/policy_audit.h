// What a policy's history gives away: the exact audit's readings (audit/history) next to the loss that certificates
// state (release/account). The one place where both are seen.
#pragma once
#include <optional>

#include "base/call.h"
#include "base/result.h"
#include "document/audits.h"
#include "release/release.h"

namespace kith {

using document::PolicyAudit;

/// `epsilon`: the price of one more answer that charges everybody. Opens no table; a graph in a file is read.
/// Fails: kInvalidArgument if a price is named for a stream, or is not one; as Curator::Budget and audit::LeakOf.
Result<PolicyAudit> AuditPolicy(const Curator& curator, std::optional<double> epsilon, const Call& call);

}  // namespace kith
