#include "kernel/cost.h"

#include <algorithm>

#include "base/check.h"
#include "base/int128.h"
#include "loss/loss_kinds.h"

namespace kith {

Result<PlainUnits> JointTotal(const Plan& plan, std::span<const JointMove> moves, std::span<const PlainUnits> shares) {
  KITH_CHECK(!moves.empty() && shares.size() == plan.statistics.size());
  Int128 most = 0;
  for (const PlainUnits share : shares) most = std::max<Int128>(most, share.count());
  for (const JointMove& move : moves) {
    Int128 sum = 0;
    for (const std::size_t k : plan.noisy()) {
      const Int128 change = plan.statistics[k].change.l1().steps();
      sum += (Int128{move[k]} * shares[k].count() + change - 1) / change;
    }
    most = std::max(most, sum);
  }
  if (most > PlainUnits::kMax)
    return BudgetExhausted("this precision would cost more than any budget", {}, "accept a larger error");
  return PlainUnits::Of(static_cast<std::int64_t>(most));
}

Int128 LostByPresence(const Plan& plan, std::span<const JointMove> moves, std::span<const PlainUnits> shares) {
  const auto noisy = plan.noisy();
  const auto lost = [&](auto change_of) {
    Int128 sum = 0;
    for (const std::size_t k : noisy) {
      const Int128 any = plan.statistics[k].change.l1().steps();
      sum += (Int128{change_of(k)} * shares[k].count() + any - 1) / any;
    }
    return sum;
  };
  if (moves.empty()) return lost([&](std::size_t k) { return plan.statistics[k].OfPresence().l1().steps(); });
  Int128 most = 0;
  for (const JointMove& move : moves) most = std::max(most, lost([&](std::size_t k) { return move[k]; }));
  return most;
}

PlainUnits PresenceTotal(const Plan& plan, std::span<const JointMove> moves, std::span<const PlainUnits> shares,
                         PlainUnits total) {
  KITH_CHECK(shares.size() == plan.statistics.size());
  const Int128 half = (total.count() + 1) / 2;  // any change loses at most twice as much
  const Int128 lost = std::max(LostByPresence(plan, moves, shares), half);
  return PlainUnits::Of(static_cast<std::int64_t>(std::min<Int128>(lost, total.count())));
}

std::int64_t JointMuSquared(const Plan& plan, std::span<const JointMove> moves, std::span<const std::int64_t> parts) {
  const Int128 beyond = Int128{Loss::Largest(LossKind::kMu)} + 1;
  Int128 apart = 0;
  for (const std::int64_t part : parts) apart = std::min(apart + part, beyond);
  Int128 together = 0;
  for (const JointMove& move : moves) {
    Int128 sum = 0;
    for (const std::size_t k : plan.noisy()) {
      // A change in L2 is at most that in L1, which is at most 2^31.
      const Int128 squared = Int128{move[k]} * move[k], of_all = plan.statistics[k].change.l2_squared();
      if (squared == 0 || parts[k] == 0) continue;
      sum = std::min(sum + (Int128{parts[k]} * squared + of_all - 1) / of_all, beyond);
    }
    together = std::max(together, sum);
  }
  return static_cast<std::int64_t>(moves.empty() ? apart : std::min(apart, together));
}

Result<Cost> CostOf(const Plan& plan, const NoiseTerms& terms) {
  const std::span<const JointMove> any = terms.moves ? std::span(terms.moves->any) : std::span<const JointMove>();
  Cost cost;
  if (!terms.mu_shares.empty()) {
    cost.mu = JointMuSquared(plan, any, terms.mu_shares);
    return cost;
  }
  const auto total = any.empty() ? PlainUnits::Sum(terms.shares) : JointTotal(plan, any, terms.shares);
  if (!total) return total.error();
  const std::span<const JointMove> presence =
      terms.moves ? std::span(terms.moves->presence) : std::span<const JointMove>();
  // A replacement is a removal and an addition.
  const Int128 twice = 2 * LostByPresence(plan, presence, terms.shares);
  cost.any = PlainUnits::Of(static_cast<std::int64_t>(std::min<Int128>(total->count(), twice)));
  cost.presence = PresenceTotal(plan, presence, terms.shares, cost.any);
  return cost;
}

}  // namespace kith
