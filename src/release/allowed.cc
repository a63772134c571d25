#include "release/allowed.h"

#include <fmt/format.h>

#include <utility>

namespace kith {

// Where records depend on each other by distances, a charge for changes of any size has no transfer function.
Result<void> MayCharge(const Policy& policy, bool loses_by_distance) {
  if (policy.stream) {
    return Unsupported("this policy describes a stream, whose budget is counted step by step", "[stream]",
                       "ask for a release at every step")
        .For("request.stream");
  }
  if (loses_by_distance || !std::holds_alternative<Lipschitz>(policy.dependence.model)) return {};
  return Unsupported(
             "under a lipschitz model only releases whose loss is proportional to distance can be charged; a SQL "
             "question is charged for any change",
             {}, "ask for points; or declare kind = \"group\" and no distance")
      .For("request.points");
}

Result<void> KnowsUnit(const Policy& policy, bool knows_pairs) {
  if (!policy.unit.other_key || knows_pairs) return {};
  return Unsupported("this analysis is not for units that are people in either of two columns", {}, "ask for degrees")
      .For("request.degrees");
}

Result<void> MayLeave(const Policy& policy) {
  if (policy.rows_out) return {};
  return Unsupported("this analysis needs the rows themselves, and the policy keeps them in the engine",
                     "[data] rows_out", "ask questions in SQL, of which only sums and counts leave it");
}

Result<Policy> AskedAbout(const Policy& policy, UnitLevel level) {
  if (level == UnitLevel::kHousehold && !policy.unit.within) {
    const auto& by = policy.dependence.by;
    return InvalidArgument(
        "the policy does not say what a household is", "[unit]",
        fmt::format("add within = \"{}\", size = n to [unit]{}; without it questions are about persons",
                    by.value_or("column"), by ? ", the column that the dependence is by" : ""));
  }
  Policy about = policy;
  about.unit.level = level;
  return about;
}

Result<AskedPolicy> AskedPolicies::About(UnitLevel level) const {
  const std::lock_guard lock(making_);
  std::optional<AskedPolicy>& known = level == UnitLevel::kHousehold ? households_ : persons_;
  if (known) return *known;
  auto about = AskedAbout(policy_, level);
  if (!about) return about.error();
  auto policy = std::make_shared<const Policy>(std::move(*about));
  const Readings readings(*policy);
  known = AskedPolicy{std::move(policy), readings};
  return *known;
}

Result<void> HoldsItsPrice(const Price& price) {
  if (price.none()) return {};
  return InvalidArgument("this release holds its price in the request", {}, "offer no other").For("price");
}

}  // namespace kith
