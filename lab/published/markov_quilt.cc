#include "published/markov_quilt.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <tuple>

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

/// The budget of the record that limits it. The middle first, which is usually that record; of others only so many
/// quilts are tried as show that they are not.
template <class InfluenceAt>
double SmallestBudget(std::size_t length, std::size_t longest, double dependent, const InfluenceAt& influence) {
  double smallest = kInfinity;
  std::pair<std::size_t, std::size_t> last{0, 0};
  const auto budget = [&](std::size_t i, std::size_t left, std::size_t right) {
    const std::size_t before = left == 0 ? i : left - 1, after = right == 0 ? length - 1 - i : right - 1;
    return (dependent - influence(i, left, right)) / static_cast<double>(before + 1 + after);
  };
  const auto look = [&](std::size_t i) {
    const std::size_t most_left = std::min(longest, i), most_right = std::min(longest, length - 1 - i);
    constexpr double kAlike = 1 - 1e-12;  // records with one law are alike
    double most = 0;
    const auto take = [&](std::size_t left, std::size_t right) {
      const double found = budget(i, left, right);
      if (found > most) std::tie(most, last) = std::pair(found, std::pair(left, right));
      return most >= smallest * kAlike;
    };
    if (take(last.first > most_left ? 0 : last.first, last.second > most_right ? 0 : last.second)) return;
    for (std::size_t left = 0; left <= most_left; ++left) {
      for (std::size_t right = 0; right <= most_right; ++right) {
        if (take(left, right)) return;
      }
    }
    smallest = std::min(smallest, most);
  };
  for (std::size_t i = length / 2; i < length; ++i) look(i);
  for (std::size_t i = length / 2; i-- > 0;) look(i);
  return smallest;
}

/// By number of steps to one side: what the approximate mechanism takes for its influence.
Result<std::vector<double>> ApproximateParts(const Chain& chain, Forgetting how, std::size_t longest) {
  const auto stationary = StationaryLaw(chain.transition);
  if (!stationary) return stationary.error();
  const auto rate = ForgettingRate(chain.transition, how);
  if (!rate) return rate.error();
  const double least = *std::min_element(stationary->begin(), stationary->end());
  std::vector<double> parts = {0};
  for (std::size_t steps = 1; steps <= longest; ++steps) {
    const double off = std::pow(*rate, static_cast<double>(steps)) / least;
    parts.push_back(off < 1 ? std::log((1 + off) / (1 - off)) : kInfinity);
  }
  return parts;
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
  const std::size_t longest = LongestSide(options, chain);
  const auto parts = ApproximateParts(chain, how, longest);
  if (!parts) return parts.error();
  // Twice on the left: that part also covers whatever law the record itself has.
  const auto influence = [&](std::size_t before, std::size_t after) { return 2 * (*parts)[before] + (*parts)[after]; };
  QuiltCurve curve;
  for (std::size_t i = 0; i < static_cast<std::size_t>(chain.length); ++i) {
    curve.quilts_.push_back(UsefulQuilts(i, static_cast<std::size_t>(chain.length), longest, influence));
  }
  return curve;
}

QuiltBudget ExactQuiltBudget(const Chain& chain, double dependent, bool skip_impossible) {
  const auto length = static_cast<std::size_t>(chain.length);
  std::size_t side = std::min<std::size_t>(64, length - 1);
  const double useless = dependent / static_cast<double>(length);
  auto powers = std::make_unique<ChainPowers>(chain, side);
  const auto largest = [](const PerPair& part) { return *std::max_element(part.begin(), part.end()); };
  // Parts fall with the number of steps: the far record says less and less.
  const auto enough = [&] {
    if (largest(RightPart(*powers, side)) > useless) return false;
    for (std::size_t i = side; i < length; ++i) {
      if (largest(LeftPart(*powers, i, side, skip_impossible)) > useless) return false;
    }
    return true;
  };
  bool cut = false;
  while (side < length - 1 && !enough()) {
    cut = side == static_cast<std::size_t>(kMostSide);
    if (cut) break;
    side = std::min({2 * side, length - 1, static_cast<std::size_t>(kMostSide)});
    powers = std::make_unique<ChainPowers>(chain, side);
  }
  std::vector<PerPair> right(1), left;
  for (std::size_t steps = 1; steps <= side; ++steps) right.push_back(RightPart(*powers, steps));
  std::size_t of = length;  // the record that `left` is about
  const auto influence = [&](std::size_t i, std::size_t before, std::size_t after) {
    if (of != i) left.assign(side + 1, PerPair{});
    of = i;
    if (before > 0 && left[before].empty()) left[before] = LeftPart(*powers, i, before, skip_impossible);
    return Influence(powers->Marginal(i), left[before], right[after]);
  };
  return {SmallestBudget(length, side, dependent, influence), cut ? kMostSide : 0};
}

Result<QuiltBudget> ApproximateQuiltBudget(const Chain& chain, Forgetting how, double dependent) {
  const auto length = static_cast<std::size_t>(chain.length);
  std::size_t side = std::min<std::size_t>(length - 1, static_cast<std::size_t>(kMostSide));
  const auto parts = ApproximateParts(chain, how, side);
  if (!parts) return parts.error();
  const bool cut = side < length - 1 && 2 * parts->back() > dependent / static_cast<double>(length);
  while (side > 1 && 2 * (*parts)[side - 1] <= dependent / static_cast<double>(length)) --side;
  const auto influence = [&](std::size_t, std::size_t before, std::size_t after) {
    return 2 * (*parts)[before] + (*parts)[after];
  };
  return QuiltBudget{SmallestBudget(length, side, dependent, influence), cut ? kMostSide : 0};
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
