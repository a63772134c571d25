// Models that state strengths but no law: the largest coefficient that they allow.
#pragma once
#include "audit/rho/rho.h"

namespace kith::audit {

/// rho_ij by Eq. 14, where a change of record j itself is worth a loss of t, is the loss about record i of one release
/// that looks only at record j and has plain loss t, divided by t. The model's transfer function bounds that loss.
/// Records are taken to move the answer equally far.
/// Fails: kInvalidArgument for a model or target that cannot be used.
Result<RhoReport> RhoAllowed(const Model& model, const Target& target);

}  // namespace kith::audit
