#include "published/markov_quilt.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "base/check.h"
#include "published/chain_powers.h"

namespace kith::published {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// log(a / b); nothing if both are 0 (no such case), infinity if only b is.
void Raise(double& most, double a, double b) {
  if (a == 0) return;
  most = std::max(most, b == 0 ? kInfinity : std::log(a / b));
}

/// Largest log P^steps(z, x) / P^steps(z, y) over predecessors z, or the same forwards.
double LargestBackwards(const LawTable& power, std::size_t x, std::size_t y, const Law* at_start) {
  double most = -kInfinity;
  for (std::size_t z = 0; z < power.size(); ++z) {
    if (at_start == nullptr || (*at_start)[z] > 0) Raise(most, power[z][x], power[z][y]);
  }
  return most;
}
double LargestForwards(const LawTable& power, std::size_t x, std::size_t y) {
  double most = -kInfinity;
  for (std::size_t z = 0; z < power.size(); ++z) Raise(most, power[x][z], power[y][z]);
  return most;
}

/// For every pair of values of one record, x * values + y.
using PerPair = std::vector<double>;

/// What a side adds to the influence: the record `steps` before record i, or the one `steps` after it.
PerPair LeftPart(const ChainPowers& chain, std::size_t i, std::size_t steps, bool skip_impossible) {
  const Law& own = chain.Marginal(i);
  PerPair part(own.size() * own.size(), 0.0);
  for (std::size_t x = 0; x < own.size(); ++x) {
    for (std::size_t y = 0; y < own.size(); ++y) {
      if (x == y || own[x] == 0 || own[y] == 0) continue;
      const Law* start = skip_impossible ? &chain.Marginal(i - steps) : nullptr;
      part[x * own.size() + y] = std::log(own[y] / own[x]) + LargestBackwards(chain.Power(steps), x, y, start);
    }
  }
  return part;
}
PerPair RightPart(const ChainPowers& chain, std::size_t steps) {
  const std::size_t values = chain.Power(steps).size();
  PerPair part(values * values, 0.0);
  for (std::size_t x = 0; x < values; ++x) {
    for (std::size_t y = 0; y < values; ++y) part[x * values + y] = LargestForwards(chain.Power(steps), x, y);
  }
  return part;
}

/// The largest sum of the two sides over pairs of values that record i can have; a missing side is empty.
double Influence(const Law& own, const PerPair& left, const PerPair& right) {
  double influence = 0;
  for (std::size_t x = 0; x < own.size(); ++x) {
    for (std::size_t y = 0; y < own.size(); ++y) {
      if (x == y || own[x] == 0 || own[y] == 0) continue;
      const std::size_t pair = x * own.size() + y;
      influence = std::max(influence, (left.empty() ? 0 : left[pair]) + (right.empty() ? 0 : right[pair]));
    }
  }
  return influence;
}

using InfluenceOf = std::function<double(std::size_t left, std::size_t right)>;

/// The quilts of record i that no other beats in both influence and number of near records; 0 means a missing
/// side.
std::vector<Quilt> UsefulQuilts(std::size_t i, std::size_t length, std::size_t longest, const InfluenceOf& influence) {
  std::map<std::int64_t, Quilt> best;  // by number of near records
  const std::size_t most_left = std::min(longest, i);
  const std::size_t most_right = std::min(longest, length - 1 - i);
  for (std::size_t left = 0; left <= most_left; ++left) {
    for (std::size_t right = 0; right <= most_right; ++right) {
      const std::size_t before = left == 0 ? i : left - 1;
      const std::size_t after = right == 0 ? length - 1 - i : right - 1;
      Quilt quilt{std::nullopt, std::nullopt, static_cast<std::int64_t>(before + 1 + after), influence(left, right)};
      if (left > 0) quilt.left = static_cast<std::int64_t>(left);
      if (right > 0) quilt.right = static_cast<std::int64_t>(right);
      if (quilt.influence == kInfinity) continue;
      const auto [known, added] = best.try_emplace(quilt.near, quilt);
      if (!added && quilt.influence < known->second.influence) known->second = quilt;
    }
  }
  std::vector<Quilt> useful;
  for (const auto& [near, quilt] : best) {
    if (useful.empty() || quilt.influence < useful.back().influence) useful.push_back(quilt);
  }
  return useful;
}

std::size_t LongestSide(const QuiltOptions& options, const Chain& chain) {
  return static_cast<std::size_t>(std::min(options.longest_side.value_or(chain.length), chain.length - 1));
}

}  // namespace

double MaxInfluence(const Chain& chain, std::int64_t record, std::optional<std::int64_t> left,
                    std::optional<std::int64_t> right, bool skip_impossible) {
  KITH_CHECK(left.value_or(0) <= record && record + right.value_or(0) < chain.length);
  const auto before = static_cast<std::size_t>(left.value_or(0));
  const auto after = static_cast<std::size_t>(right.value_or(0));
  const auto i = static_cast<std::size_t>(record);
  const ChainPowers powers(chain, std::max(before, after));
  return Influence(powers.Marginal(i), before == 0 ? PerPair{} : LeftPart(powers, i, before, skip_impossible),
                   after == 0 ? PerPair{} : RightPart(powers, after));
}

QuiltCurve QuiltCurve::Exact(const Chain& chain, const QuiltOptions& options) {
  const std::size_t longest = LongestSide(options, chain);
  const auto length = static_cast<std::size_t>(chain.length);
  const ChainPowers powers(chain, longest);
  std::vector<PerPair> right(1);  // by number of steps; none: nothing
  for (std::size_t steps = 1; steps <= longest; ++steps) right.push_back(RightPart(powers, steps));
  QuiltCurve curve;
  for (std::size_t i = 0; i < length; ++i) {
    std::vector<PerPair> left(1);
    for (std::size_t steps = 1; steps <= std::min(longest, i); ++steps) {
      left.push_back(LeftPart(powers, i, steps, options.skip_impossible));
    }
    const auto influence = [&](std::size_t before, std::size_t after) {
      return Influence(powers.Marginal(i), left[before], right[after]);
    };
    curve.quilts_.push_back(UsefulQuilts(i, length, longest, influence));
  }
  return curve;
}

Result<QuiltCurve> QuiltCurve::Approximate(const Chain& chain, Forgetting how, const QuiltOptions& options) {
  const auto stationary = StationaryLaw(chain.transition);
  if (!stationary) return stationary.error();
  const auto rate = ForgettingRate(chain.transition, how);
  if (!rate) return rate.error();
  const double least = *std::min_element(stationary->begin(), stationary->end());
  const auto part = [&](std::size_t steps) {
    if (steps == 0) return 0.0;
    const double off = std::pow(*rate, static_cast<double>(steps)) / least;
    return off < 1 ? std::log((1 + off) / (1 - off)) : kInfinity;
  };
  const std::size_t longest = LongestSide(options, chain);
  std::vector<double> parts;
  for (std::size_t steps = 0; steps <= longest; ++steps) parts.push_back(part(steps));
  // Twice on the left: that part also covers whatever law the record itself has.
  const auto influence = [&](std::size_t before, std::size_t after) { return 2 * parts[before] + parts[after]; };
  QuiltCurve curve;
  for (std::size_t i = 0; i < static_cast<std::size_t>(chain.length); ++i) {
    curve.quilts_.push_back(UsefulQuilts(i, static_cast<std::size_t>(chain.length), longest, influence));
  }
  return curve;
}

double QuiltCurve::Loss(double plain) const {
  double worst = 0;
  for (const auto& quilts : quilts_) {
    double least = kInfinity;
    for (const Quilt& quilt : quilts) {
      least = std::min(least, quilt.influence + static_cast<double>(quilt.near) * plain);
    }
    worst = std::max(worst, least);
  }
  return worst;
}

QuiltCurve::Worst QuiltCurve::WorstAt(double dependent) const {
  Worst worst{0, {}, kInfinity};
  for (std::size_t i = 0; i < quilts_.size(); ++i) {
    double plain = 0;
    const Quilt* used = nullptr;
    for (const Quilt& quilt : quilts_[i]) {
      const double budget = (dependent - quilt.influence) / static_cast<double>(quilt.near);
      if (budget > plain) {
        plain = budget;
        used = &quilt;
      }
    }
    if (plain < worst.plain) worst = {i, used == nullptr ? Quilt{} : *used, plain};
  }
  return worst;
}

double QuiltCurve::PlainBudget(double dependent) const { return WorstAt(dependent).plain; }

}  // namespace kith::published
