// What a policy's history gives away: the exact audit's readings (audit/history) next to the loss that certificates
// state (release/accountant). The one place where both are seen.
#pragma once
#include <cstddef>
#include <optional>
#include <string>

#include "audit/history/policy_leak.h"
#include "base/call.h"
#include "base/result.h"
#include "policy/distance.h"
#include "release/guarantee.h"
#include "release/release.h"

namespace kith {

/// A policy's history.
struct PolicyAudit {
  std::string file;
  audit::PolicyLeak leak;
  double epsilon_total = 0;
  std::optional<double> epsilon;     // of one more answer
  std::size_t answers = 0;           // noisy ones, so far
  std::string dependence;            // kind of the model
  Guarantee guarantee;               // of the answers so far, as certificates state it
  std::string stay;                  // of a stream: what its totals are about
  std::optional<Distance> distance;  // of a metric unit: losses are for moves of its delta
  double steps = 1;                  // how many such moves any change of a unit takes; infinite: no number is enough
  double any = 0;                    // the part of every loss that is for any change already
  double largest = 0;                // dependent loss of any stratum

  /// What a loss for moves means for any change of a unit within its region.
  double AnyChange(double loss) const { return loss <= any ? loss : (loss - any) * steps + any; }
};

/// `epsilon`: the price of one more answer that charges everybody. Opens no table; a graph in a file is read.
/// Fails: kInvalidArgument if a price is named for a stream, or is not one; as Curator::Budget and audit::LeakOf.
Result<PolicyAudit> AuditPolicy(const Curator& curator, std::optional<double> epsilon, const Call& call);

}  // namespace kith
