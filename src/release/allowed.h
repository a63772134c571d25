// What a policy accepts at all, whatever it costs.
#pragma once
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/result.h"
#include "policy/growth.h"
#include "policy/policy.h"
#include "release/request.h"

namespace kith {

/// Ensures [DISTANCE-3]: under a lipschitz model nothing but losses by distance is charged.
/// Fails: kUnsupportedQuery; also for a policy with a stream, whose budget is counted step by step.
Result<void> MayCharge(const Policy& policy, bool loses_by_distance);

/// Everything else bounds what a unit's own rows change, and assumes that a row has one unit.
/// Fails: kUnsupportedQuery if units are people in either of two columns and that is not known.
Result<void> KnowsUnit(const Policy& policy, bool knows_pairs);

/// For anything that scans rows. Fails: kUnsupportedQuery if the policy keeps them in the engine.
Result<void> MayLeave(const Policy& policy);
/// What is said where rows leave a server.
inline constexpr char kRowsLeave[] =
    "rows leave the database server for this: kith reads them as a stream and keeps none";
/// The same for a graph in a table, whatever is asked.
inline constexpr char kGraphLeaves[] =
    "the public graph of the policy leaves the database server: kith reads its edges as a stream and keeps them in "
    "memory for as long as its bound is computed";

/// The policy as a question about persons or households is planned with. Fails: kInvalidArgument if it nests no units.
Result<Policy> AskedAbout(const Policy& policy, UnitLevel level);

/// The same, with what questions can read of it.
struct AskedPolicy {
  std::shared_ptr<const Policy> policy;
  Readings readings;
};

/// Both, for a policy that lives longer, each made when it is first asked for. Safe to share between threads.
class AskedPolicies {
 public:
  explicit AskedPolicies(const Policy& policy) : policy_(policy) {}
  /// Fails: as AskedAbout.
  Result<AskedPolicy> About(UnitLevel level) const;

 private:
  const Policy& policy_;
  mutable std::mutex making_;
  mutable std::optional<AskedPolicy> persons_, households_;
};

/// Fails: kInvalidArgument if a price is offered with a request that holds its own.
Result<void> HoldsItsPrice(const Price& price);

}  // namespace kith
