#include "release/presence_price.h"

#include <algorithm>

#include "base/check.h"
#include "base/int128.h"
#include "release/joint_price.h"

namespace kith {
namespace {

/// The same question with the changes of presence in place of any.
Plan ByPresence(const Plan& plan) {
  Plan out = plan;
  for (Statistic& statistic : out.statistics) statistic.change = statistic.OfPresence();
  return out;
}

/// Shares of presence as those of any change by the same noise, or a little more of it.
std::vector<PlainUnits> OfAnyChange(const Plan& plan, const std::vector<PlainUnits>& of_presence) {
  std::vector<PlainUnits> shares(of_presence.size());
  for (const std::size_t k : plan.noisy()) {
    const Statistic& statistic = plan.statistics[k];
    const Int128 scaled =
        Int128{of_presence[k].count()} * statistic.change.l1().steps() / statistic.OfPresence().l1().steps();
    shares[k] = PlainUnits::Of(static_cast<std::int64_t>(std::min<Int128>(scaled, PlainUnits::kMax)));
  }
  return shares;
}

Result<PlainUnits> TotalOf(const Plan& plan, const std::vector<JointMove>& moves,
                           const std::vector<PlainUnits>& shares) {
  if (!moves.empty()) return JointTotal(plan, moves, shares);
  return PlainUnits::Sum(shares);
}

/// The noise that an epsilon of presence buys, and what it loses by any change.
Result<void> PayByPresence(const Plan& plan, const MovesOfBoth& moves, const Pricing& pricing, Priced& priced) {
  const auto by_presence = PriceJointly(ByPresence(plan), moves.presence, pricing.price, pricing.epsilon_total,
                                        pricing.budget, pricing.everybody);
  if (!by_presence) return by_presence.error();
  priced.shares = OfAnyChange(plan, by_presence->shares);
  const auto total = TotalOf(plan, moves.any, priced.shares);
  if (!total) return total.error();
  // A replacement is a removal and an addition.
  const Int128 twice = 2 * LostByPresence(plan, moves.presence, priced.shares);
  priced.total = PlainUnits::Of(static_cast<std::int64_t>(std::min<Int128>(total->count(), twice)));
  auto laws = MechanismsOf(plan, priced.shares);
  if (!laws) return laws.error();
  priced.laws = std::move(*laws);
  for (std::size_t k = 0; k < plan.statistics.size(); ++k)
    priced.noise[k] = NoiseOf(plan.statistics[k], priced.laws[k], priced.shares[k], plan.groups());
  return {};
}

}  // namespace

Result<Priced> PriceBoth(const Plan& plan, const MovesOfBoth& moves, const Pricing& pricing) {
  auto priced = PriceJointly(plan, moves.any, pricing.price, pricing.epsilon_total, pricing.budget, pricing.everybody);
  if (!priced) return priced;
  const bool alike = std::none_of(plan.statistics.begin(), plan.statistics.end(),
                                  [](const Statistic& statistic) { return statistic.presence.has_value(); });
  if (alike && moves.presence.empty()) return priced;
  if (pricing.counts_presence && pricing.price.epsilon && !plan.noisy().empty()) {
    if (auto paid = PayByPresence(plan, moves, pricing, *priced); !paid) return paid.error();
  }
  priced->presence = PresenceTotal(plan, moves.presence, priced->shares, priced->total);
  return priced;
}

}  // namespace kith
