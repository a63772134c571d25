#include "release/joint_price.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/check.h"
#include "base/int128.h"

namespace kith {
namespace {

constexpr double kResolution = 0x1p20;  // of the chosen shares: what is left of rounding in doubles must not show

/// In parts of the price, of the noisy statistics.
using Parts = std::vector<double>;

/// For each move and noisy statistic: the part of its own change.
std::vector<Parts> PartsOfMoves(const Plan& plan, std::span<const JointMove> moves,
                                const std::vector<std::size_t>& noisy) {
  std::vector<Parts> parts;
  for (const JointMove& move : moves) {
    Parts& of_move = parts.emplace_back();
    for (const std::size_t k : noisy)
      of_move.push_back(static_cast<double>(move[k]) / static_cast<double>(plan.statistics[k].change.l1().steps()));
  }
  return parts;
}

double Lost(const Parts& move, const Parts& shares) {
  return std::inner_product(move.begin(), move.end(), shares.begin(), 0.0);
}

double MostLost(const std::vector<Parts>& moves, const Parts& shares) {
  double most = *std::max_element(shares.begin(), shares.end());
  for (const Parts& move : moves) most = std::max(most, Lost(move, shares));
  return most;
}

/// How many times what the rows of a unit add one unit can change the statistic.
double TimesOfRows(const Statistic& statistic) {
  const double change = static_cast<double>(statistic.change.l1().steps()) * statistic.lattice.step();
  const double rows = std::max(std::abs(statistic.unit_low), std::abs(statistic.unit_high));
  return !statistic.quantile && rows > 0 && rows < change ? change / rows : 1;
}

/// The shares rise together, in proportion to `times` and from an equal part of the price on; a share that meets a move
/// that costs the whole price stops there, and the others continue to rise.
Parts Chosen(const std::vector<Parts>& moves, const Parts& times) {
  const std::size_t n = times.size();
  Parts shares(n, 1 / static_cast<double>(n));
  std::vector<bool> stopped(n, false);
  const auto at = [&](double level) {
    Parts raised = shares;
    for (std::size_t k = 0; k < n; ++k) {
      if (!stopped[k]) raised[k] = std::clamp(level * times[k], shares[k], 1.0);
    }
    return raised;
  };
  while (std::find(stopped.begin(), stopped.end(), false) != stopped.end()) {
    double low = 0, high = 1;  // times are at least 1
    for (int i = 0; i < 40; ++i) {
      const double middle = (low + high) / 2;
      (MostLost(moves, at(middle)) <= 1 ? low : high) = middle;
    }
    const double level = MostLost(moves, at(1)) <= 1 ? 1 : low;
    shares = at(level);
    constexpr double kTight = 1 - 1e-9;
    const auto before = stopped;
    for (std::size_t k = 0; k < n; ++k) stopped[k] = stopped[k] || shares[k] >= kTight || level == 1;
    for (const Parts& move : moves) {
      if (Lost(move, shares) < kTight) continue;
      for (std::size_t k = 0; k < n; ++k) stopped[k] = stopped[k] || move[k] > 0;
    }
    if (stopped == before) break;  // none can rise by as much as doubles distinguish
  }
  for (double& share : shares) share = std::round(share * kResolution) / kResolution;
  return shares;
}

/// The noisy statistics by name: the same question with its columns in another order has the same shares.
std::vector<std::size_t> ByName(const Plan& plan) {
  std::vector<std::size_t> noisy = plan.noisy();
  std::stable_sort(noisy.begin(), noisy.end(),
                   [&](std::size_t a, std::size_t b) { return plan.statistics[a].name < plan.statistics[b].name; });
  return noisy;
}

/// As large as the price allows. Nothing if one of them is less than a unit.
std::optional<std::vector<PlainUnits>> SharesFor(const Plan& plan, std::span<const JointMove> moves, const Price& price,
                                                 PlainUnits whole) {
  const auto noisy = ByName(plan);
  const auto parts = PartsOfMoves(plan, moves, noisy);
  Parts wanted;
  if (price.split.empty()) {
    Parts times;
    for (const std::size_t k : noisy) times.push_back(TimesOfRows(plan.statistics[k]));
    wanted = Chosen(parts, times);
  } else {
    std::vector<double> weight(plan.statistics.size());
    const auto in_order = plan.noisy();
    for (std::size_t i = 0; i < in_order.size(); ++i) weight[in_order[i]] = price.split[i];
    for (const std::size_t k : noisy) wanted.push_back(weight[k]);
    const double most = MostLost(parts, wanted);
    for (double& share : wanted) share /= most;
  }
  std::vector<PlainUnits> shares(plan.statistics.size());
  for (std::size_t i = 0; i < noisy.size(); ++i) {
    const double units = std::floor(wanted[i] * static_cast<double>(whole.count()));
    shares[noisy[i]] = PlainUnits::Of(std::min(static_cast<std::int64_t>(units), whole.count()));
  }
  // What rounding made too large, in whole numbers.
  for (int i = 0; i < 16; ++i) {
    const auto total = JointTotal(plan, moves, shares);
    if (!total) return std::nullopt;
    if (*total <= whole) break;
    if (i == 15) return std::nullopt;
    const Int128 less =
        std::max<Int128>(0, Int128{whole.count()} - 2 * Int128{static_cast<std::int64_t>(noisy.size())});
    for (const std::size_t k : noisy)
      shares[k] = PlainUnits::Of(static_cast<std::int64_t>(Int128{shares[k].count()} * less / total->count()));
  }
  const bool all = std::all_of(noisy.begin(), noisy.end(), [&](std::size_t k) { return shares[k].count() > 0; });
  return all ? std::optional(std::move(shares)) : std::nullopt;
}

}  // namespace

Result<Priced> PriceJointly(const Plan& plan, std::span<const JointMove> moves, const Price& price,
                            double epsilon_total, PlainUnits budget, std::optional<double> everybody) {
  auto priced = PriceQuestion(plan, price, epsilon_total, budget, everybody);
  if (!priced || moves.empty()) return priced;
  if (price.epsilon) {
    const auto whole = SharesOf({1.0}, *price.epsilon, epsilon_total, budget);
    if (!whole) return whole.error();
    auto shares = SharesFor(plan, moves, price, whole->front());
    if (!shares) return priced;  // a price of a few units
    priced->shares = std::move(*shares);
  }
  const auto total = JointTotal(plan, moves, priced->shares);
  if (!total) return total.error();
  priced->total = *total;
  auto laws = MechanismsOf(plan, priced->shares);
  if (!laws) return laws.error();
  priced->laws = std::move(*laws);
  for (std::size_t k = 0; k < plan.statistics.size(); ++k)
    priced->noise[k] = NoiseOf(plan.statistics[k], priced->laws[k], priced->shares[k], plan.groups());
  return priced;
}

bool IsJoint(const Priced& priced) {
  if (!priced.strata.empty()) return false;
  Int128 sum = 0;
  for (const PlainUnits share : priced.shares) sum += share.count();
  return sum > priced.total.count();
}

std::optional<std::vector<JointMove>> MovesInOrder(const Plan& plan, std::span<const JointMove> moves,
                                                   const Plan& other) {
  const std::size_t n = plan.statistics.size();
  if (other.statistics.size() != n) return std::nullopt;
  std::vector<std::size_t> place;  // of each of the other's statistics
  for (const Statistic& statistic : other.statistics) {
    std::size_t found = n;
    for (std::size_t k = 0; k < n; ++k) {
      if (plan.statistics[k].name != statistic.name) continue;
      if (found != n || plan.statistics[k].change != statistic.change) return std::nullopt;
      found = k;
    }
    if (found == n) return std::nullopt;
    place.push_back(found);
  }
  std::vector<JointMove> in_order;
  for (const JointMove& move : moves) {
    JointMove& next = in_order.emplace_back();
    for (const std::size_t k : place) next.push_back(move[k]);
  }
  return in_order;
}

}  // namespace kith
