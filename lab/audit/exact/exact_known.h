// What one answer reveals to somebody who knows some of the other records: none, every set, all of them.
// Source: Yang, Sato, Nakagawa 2015; docs/theory/published.md#known-records.  Claims: claims/audit.md
#pragma once
#include "audit/exact/exact_loss.h"

namespace kith::audit {

/// Every set of known records is tried for laws of at most this many records and rows.
inline constexpr std::size_t kMostRecordsForSets = 12;
inline constexpr std::size_t kMostRowsForSets = 4096;

/// A loss, the records that the adversary knows there, and their values.
struct KnownLoss {
  Worst worst;
  std::vector<std::size_t> known;
  std::vector<std::size_t> values;  // of the known records
};

struct AdversaryLosses {
  KnownLoss none;                // knows no other record
  KnownLoss all;                 // knows every other record: plain loss on possible databases
  std::optional<KnownLoss> any;  // the worst set of other records; nothing if there are too many to try them all
};

/// One entry for each scale. Ensures [AUDIT-6]: exact up to rounding, for the worst values that can occur.
/// Fails: as ExactAudit::Loss.
Result<std::vector<AdversaryLosses>> LossesOfAdversaries(const FiniteLaw& law, const Additive& question,
                                                         const ExactAudit& audit, std::span<const double> scales);

}  // namespace kith::audit
