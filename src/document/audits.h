// What the audit of a policy's history found, with the words that accompany the numbers.
#pragma once
#include <string>
#include <vector>

#include "audit/policy_audit.h"

namespace kith::document {

using kith::PolicyAudit;

std::string Verdict(const PolicyAudit& audit);
/// The strata that lose most come first.
std::vector<const audit::StratumLeak*> WorstStrata(const PolicyAudit& audit);
/// "no bound" where there is none.
std::string BitsText(double bits);

}  // namespace kith::document
