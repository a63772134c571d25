// A study on rows that a test hands over, as if every cell had paid for everything.
#pragma once
#include <span>

#include "analysis/analysis.h"
#include "kernel/unbooked.h"

namespace kith::testing {

inline Result<Findings> RunOn(const Study& study, const Session& session, std::span<const PlainUnits> shares,
                              BitSource& bits, const CancelFlag& cancel = {}) {
  static const Policy policy;
  const Vault vault(policy, session, bits, cancel);
  Paid paid = Unbooked::All(study.Charged().size());
  return study.Run(vault, paid, shares);
}

}  // namespace kith::testing
