#include "release/guarantee.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "release/one_sided.h"

namespace kith {
namespace {

std::string NeighboursOfStream(const Policy& policy) {
  const bool secret = policy.unit.presence == Presence::kSecret;
  if (std::holds_alternative<Chain>(policy.dependence.model)) {
    return fmt::format("replace one unit's record at one step{}; public columns are kept",
                       secret ? ", absence included" : "");
  }
  return fmt::format("replace all that one unit does in at most {} consecutive steps{}; public columns are kept",
                     policy.stream->window, secret ? ", its presence included" : " (when it is present is public)");
}

}  // namespace

std::string NeighboursOf(const Policy& policy) {
  if (policy.stream) return NeighboursOfStream(policy);
  if (policy.unit.distance) return NeighboursText(*policy.unit.distance);
  if (policy.unit.other_key) {
    return fmt::format("replace all rows that name one person in {} or {}, absence included", *policy.unit.key,
                       *policy.unit.other_key);
  }
  return policy.unit.presence == Presence::kSecret
             ? "replace one unit's record, absence included; public columns are kept"
             : "replace one unit's record; public columns are kept";
}

Guarantee MakeGuarantee(const Policy& policy, const Transferred& dependent, PlainUnits plain,
                        const std::vector<OneSidedAccount>& released) {
  Guarantee g;
  g.plain = plain.epsilon();
  g.dependent = dependent.dependent;
  g.bound = dependent.bound;
  g.adversary = dependent.adversary;
  g.assumes = dependent.assumes;
  g.source = policy.dependence.source;
  g.neighbours = NeighboursOf(policy);
  if (policy.unit.distance) {
    g.moves = MovesText(*policy.unit.distance, g.dependent);
    const auto steps = StandardStepsOf(*policy.unit.distance).replace;
    if (steps) g.standard = static_cast<double>(*steps) * g.dependent;
  }
  g.unproven = UnprovenOn(policy.dependence.model);
  KITH_CHECK(g.unproven.empty() || policy.dependence.accept_unproven);
  g.audit = dependent.audit;
  g.one_sided = OneSidedWarning(released);
  return g;
}

Result<Guarantee> GuaranteeOf(const Policy& policy, const Account& account, const std::vector<PlainUnits>& spent,
                              const std::vector<OneSidedAccount>& released) {
  const auto dependent = account.Dependent(spent);
  if (!dependent) return dependent.error();
  const auto largest = std::max_element(spent.begin(), spent.end());
  return MakeGuarantee(policy, *dependent, largest == spent.end() ? PlainUnits() : *largest, released);
}

}  // namespace kith
