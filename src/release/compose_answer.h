// From noisy integers to the answer: post-processing only. Nothing here may touch data.
#pragma once
#include "ledger/ledger.h"
#include "release/noisy.h"
#include "release/pricing.h"
#include "release/release.h"

namespace kith {

/// Rows, error bars, order and limit.
Answer ComposeAnswer(const Plan& plan, const NoisyGroups& noisy, const Priced& priced);

/// The part of a certificate that speaks of all answers so far. Whole, whenever the total is stated anew: a bound that
/// won at a smaller total may cover more than the one that wins now.
void CertifyTotal(const Policy& policy, const Transferred& dependent, PlainUnits spent, Answer& answer);

/// Two tables that are hard to tell apart, in words.
std::string NeighboursOf(const Policy& policy);

/// Fills the certificate.
/// Ensures [PAIR-SUM-2]: where the dependent loss is no theorem on the policy's model, the certificate says so.
void Certify(const Policy& policy, const Priced& priced, const Transferred& dependent, PlainUnits spent,
             const LedgerEntry& entry, Answer& answer);

}  // namespace kith
