// What is guaranteed once that much is spent, with every label that belongs to it. Anything that shows a total
// (explanation, certificate, budget, stream, audit) holds one of these, so that no label can be forgotten.
#pragma once
#include <kith/guarantee.h>

#include <string>
#include <vector>

#include "base/result.h"
#include "ledger/ledger.h"
#include "policy/policy.h"
#include "release/accountant.h"
#include "transfer/transfer.h"

namespace kith {

using v1::Guarantee;

/// What is said with every total under this declaration: the last alarm that still applies. Empty: none does.
/// Ensures [CHECK-4]: as check::Contradicts; words alone apply while the declaration is the same.
std::string AlarmUnder(const std::vector<AlarmLine>& alarms, const Dependence& declared);

/// Sets the plain loss, of both kinds of neighbours; `presence`: for a unit that comes or goes.
void SetPlain(const Policy& policy, double plain, double presence, Guarantee& guarantee);

/// The model's assumption, and how certain it is that the declared strength is large enough.
std::string WithConfidence(const Policy& policy, std::string of_model);

/// The pairs of databases that the loss compares, in words.
std::string NeighboursOf(const Policy& policy);

/// `dependent`: what the totals amount to. All of it, whenever a total is stated again: a bound that won at a smaller
/// total may cover more than the one that wins now.
/// Ensures [PAIR-SUM-2]: where the dependent loss is not proved on the policy's model, the guarantee says so.
/// Requires: a model that is not proved was accepted by the policy.
Guarantee MakeGuarantee(const Policy& policy, const Transferred& dependent, const Totals& totals);

/// The same, transferred as well. Fails: as Accountant::Dependent.
Result<Guarantee> GuaranteeOf(const Policy& policy, const Accountant& account, const Totals& totals);

}  // namespace kith
