#include "release/levels.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <numbers>
#include <numeric>

#include "base/check.h"

namespace kith {
namespace {

// The groups as a forest: level 0 is the finest, every group of a level has equally many parts in the level below.
// Requires: the levels are a chain.
class Forest {
 public:
  explicit Forest(const Plan& plan) : parent_(plan.groups()), parts_(plan.levels.size(), 1) {
    for (std::size_t group = 0; group < plan.groups(); ++group) {
      if (first_.size() == plan.PlaceOf(group).level) first_.push_back(group);
    }
    first_.push_back(plan.groups());
    for (std::size_t group = 0; group < parent_.size(); ++group) {
      const Plan::Place place = plan.PlaceOf(group);
      parent_[group] = place.level + 1 < levels() ? first_[place.level + 1] + Above(plan, place) : group;
    }
    for (std::size_t level = 1; level < levels(); ++level) parts_[level] = size(level - 1) / size(level);
  }

  std::size_t levels() const { return first_.size() - 1; }
  std::size_t begin(std::size_t level) const { return first_[level]; }
  std::size_t end(std::size_t level) const { return first_[level + 1]; }
  std::size_t size(std::size_t level) const { return end(level) - begin(level); }
  /// The group of the next level that holds it.
  std::size_t parent(std::size_t group) const { return parent_[group]; }
  /// How many groups of the level below each group of the level holds.
  double parts(std::size_t level) const { return static_cast<double>(parts_[level]); }

 private:
  // Its number among the groups of the next level.
  static std::size_t Above(const Plan& plan, const Plan::Place& place) {
    std::size_t above = 0;
    for (std::size_t k = 0; k < plan.keys.size(); ++k) {
      if (plan.levels[place.level + 1][k]) above = above * plan.keys[k].values.size() + *place.keys[k];
    }
    return above;
  }

  std::vector<std::size_t> parent_, parts_, first_;
};

// Weights of least squares. In each level a total is own[l] of its own noisy number and the rest of the sum of its
// parts, which have the variance below[l] together, in units of one noisy number's. A number without noise is taken as
// it is.
struct Weights {
  std::vector<double> own;    // 1 in the finest level
  std::vector<double> noise;  // of a number itself: 1, or 0 in a level without noise
  Weights(const Forest& forest, const std::vector<bool>& open) {
    for (std::size_t level = 0; level < forest.levels(); ++level) noise.push_back(!open.empty() && open[level] ? 0 : 1);
    double variance = noise[0];
    own.push_back(1);
    for (std::size_t level = 1; level < forest.levels(); ++level) {
      const double below = forest.parts(level) * variance;
      own.push_back(noise[level] == 0 ? 1 : below / (noise[level] + below));
      variance = noise[level] * own.back();
    }
  }
};

using Numbers = std::vector<long double>;

Numbers SumsOfParts(const Forest& forest, const Numbers& of, std::size_t level) {
  Numbers sums(of.size(), 0);
  for (std::size_t group = forest.begin(level - 1); group < forest.end(level - 1); ++group) {
    sums[forest.parent(group)] += of[group];
  }
  return sums;
}

// Real numbers whose totals are sums, nearest to the noisy ones.
Numbers LeastSquares(const Forest& forest, const Weights& weights, const Numbers& noisy) {
  Numbers best = noisy;
  std::vector<Numbers> sums(forest.levels());
  for (std::size_t level = 1; level < forest.levels(); ++level) {
    sums[level] = SumsOfParts(forest, best, level);
    const long double own = weights.own[level];
    for (std::size_t group = forest.begin(level); group < forest.end(level); ++group) {
      best[group] = own * noisy[group] + (1 - own) * sums[level][group];
    }
  }
  for (std::size_t level = forest.levels() - 1; level > 0; --level) {
    for (std::size_t group = forest.begin(level - 1); group < forest.end(level - 1); ++group) {
      const std::size_t above = forest.parent(group);
      best[group] += (best[above] - sums[level][above]) / forest.parts(level);
    }
  }
  return best;
}

// Parts of one total, rounded so that they add up to it: down first, then the largest rests up.
void RoundParts(const std::vector<std::size_t>& parts, const Numbers& real, long double shift, Int128 total,
                std::vector<Int128>& whole) {
  std::vector<std::pair<long double, std::size_t>> rests;
  for (const std::size_t group : parts) {
    const long double down = std::floor(real[group] + shift);
    whole[group] = static_cast<Int128>(down);
    total -= whole[group];
    rests.emplace_back(-(real[group] + shift - down), group);
  }
  std::sort(rests.begin(), rests.end());
  // Rounding in the last place can leave one too many or too few: then go around again.
  for (std::size_t i = 0; total > 0; ++i, --total) ++whole[rests[i % rests.size()].second];
  for (std::size_t i = rests.size() - 1; total < 0; i = (i + rests.size() - 1) % rests.size(), ++total)
    --whole[rests[i].second];
}

std::vector<Int128> Whole(const Forest& forest, const Numbers& real) {
  std::vector<Int128> whole(real.size(), 0);
  const std::size_t top = forest.levels() - 1;
  for (std::size_t group = forest.begin(top); group < forest.end(top); ++group) {
    whole[group] = static_cast<Int128>(std::floor(real[group] + 0.5L));
  }
  for (std::size_t level = top; level > 0; --level) {
    std::vector<std::vector<std::size_t>> parts(forest.size(level));
    for (std::size_t group = forest.begin(level - 1); group < forest.end(level - 1); ++group) {
      parts[forest.parent(group) - forest.begin(level)].push_back(group);
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::size_t total = forest.begin(level) + i;
      const long double shift = (static_cast<long double>(whole[total]) - real[total]) / forest.parts(level);
      RoundParts(parts[i], real, shift, whole[total], whole);
    }
  }
  return whole;
}

// A consistent number minus the truth is a sum of independent noises, a certain number of each weight.
struct Term {
  double weight = 0, count = 0;
};

// Adds weight * z, where z is what least squares makes, from below, of the groups under `count` groups of a level.
void AddSubtrees(const Forest& forest, const Weights& weights, std::size_t level, double weight, double count,
                 std::vector<Term>& terms) {
  for (std::size_t at = level + 1; at-- > 0;) {
    if (weights.noise[at] > 0) terms.push_back({weight * weights.own[at], count});
    weight *= 1 - weights.own[at];
    count *= forest.parts(at);
  }
}

std::vector<Term> TermsOf(const Forest& forest, const Weights& weights, std::size_t level) {
  const std::size_t top = forest.levels() - 1;
  // h = z + the sum over totals above of share * (own noisy number - sum of z of its parts); `on_sum` is the weight
  // that each part's z has got when all of these are put together.
  std::vector<double> share(forest.levels(), 0), on_sum(forest.levels() + 1, 0);
  double product = 1;
  for (std::size_t at = level + 1; at <= top; ++at) {
    product /= forest.parts(at);
    share[at] = weights.own[at] * product;
  }
  for (std::size_t at = top; at > level; --at) on_sum[at] = -share[at] + (1 - weights.own[at]) * on_sum[at + 1];
  std::vector<Term> terms;
  AddSubtrees(forest, weights, level, 1 + on_sum[level + 1], 1, terms);
  for (std::size_t at = level + 1; at <= top; ++at) {
    if (weights.noise[at] > 0) terms.push_back({share[at] + weights.own[at] * on_sum[at + 1], 1});
    if (forest.parts(at) > 1) AddSubtrees(forest, weights, at - 1, on_sum[at], forest.parts(at) - 1, terms);
  }
  return terms;
}

// The law of |sum of weight * Laplace(1)|, from its characteristic function (Gil-Pelaez): a table of that function is
// summed with sines by Simpson's rule. What is left out is less than kMargin.
class AbsoluteLaw {
 public:
  // Requires: the largest weight is 1.
  explicit AbsoluteLaw(const std::vector<Term>& terms) {
    double variance = 0;
    for (const Term& term : terms) variance += 2 * term.count * term.weight * term.weight;
    farthest_ = 12 * std::sqrt(variance);
    step_ = std::min(0.02, 0.1 / farthest_);
    constexpr double kNegligible =
        4e-6;  // it falls like 1/u^2 at least: the rest of its integral over u is half of that
    for (double phi = 1; phi > kNegligible || table_.size() % 2 == 0;) {
      const double u = static_cast<double>(table_.size()) * step_;
      double log = 0;
      for (const Term& term : terms) log -= term.count * std::log1p(term.weight * term.weight * u * u);
      phi = std::exp(log);
      table_.push_back(phi);
    }
  }

  double ChanceWithin(double t) const {
    double sum = t + Integrand(table_.size() - 1, t);
    for (std::size_t i = 1; i + 1 < table_.size(); ++i) sum += (i % 2 == 1 ? 4 : 2) * Integrand(i, t);
    return sum * step_ / 3 * 2 / std::numbers::pi;
  }

  // The distance that is not exceeded with this chance, or a little more.
  double Quantile(double chance) const {
    constexpr double kMargin = 1e-5;
    double low = 0, high = farthest_;
    for (int i = 0; i < 24; ++i) {
      const double middle = low / 2 + high / 2;
      (ChanceWithin(middle) < chance + kMargin ? low : high) = middle;
    }
    return high;
  }

 private:
  double Integrand(std::size_t i, double t) const {
    const double u = static_cast<double>(i) * step_;
    return std::sin(u * t) / u * table_[i];
  }

  double farthest_ = 0, step_ = 0;
  std::vector<double> table_;
};

LevelBar BarOf(std::vector<Term> terms, double confidence) {
  double largest = 0, all = 0;
  for (const Term& term : terms) {
    largest = std::max(largest, std::abs(term.weight));
    all += std::abs(term.weight) * term.count;
  }
  if (largest == 0) return {};  // all of it is known
  for (Term& term : terms) term.weight /= largest;
  // Discrete noise is less than a step from Laplace's; rounding to whole steps moves a number by less than 2.
  return {AbsoluteLaw(terms).Quantile(confidence) * largest, all + 2};
}

}  // namespace

void MakeConsistent(const Plan& plan, NoisyGroups& noisy) {
  if (plan.levels.empty() || !plan.InAChain()) return;
  const Forest forest(plan);
  for (std::size_t s = 0; s < plan.statistics.size(); ++s) {
    if (!plan.statistics[s].noisy()) continue;  // already exact sums
    Numbers numbers;
    for (const auto& group : noisy) numbers.push_back(static_cast<long double>(group[s]));
    const Weights weights(forest, plan.statistics[s].open_levels);
    const std::vector<Int128> whole = Whole(forest, LeastSquares(forest, weights, numbers));
    for (std::size_t group = 0; group < noisy.size(); ++group) noisy[group][s] = whole[group];
  }
}

LevelBar LevelErrorBar(const Plan& plan, std::size_t level, double confidence, const std::vector<bool>& open) {
  KITH_CHECK(!plan.levels.empty() && confidence > 0 && confidence < 1);
  // Totals of several kinds of parts stay as they are: discrete noise is less than a step from Laplace's.
  if (!plan.InAChain()) return open.empty() || !open[level] ? LevelBar{-std::log(1 - confidence), 1} : LevelBar{};
  const Forest forest(plan);
  // It depends only on the shape, takes a while, and is asked for again with every answer.
  static std::mutex mutex;
  static std::map<std::vector<double>, LevelBar> known;
  std::vector<double> shape = {static_cast<double>(level), confidence};
  const Weights weights(forest, open);
  if (weights.noise[level] == 0) return {};
  for (std::size_t at = 0; at < forest.levels(); ++at)
    shape.push_back(forest.parts(at) * (weights.noise[at] > 0 ? 1 : -1));
  const std::lock_guard lock(mutex);
  if (const auto found = known.find(shape); found != known.end()) return found->second;
  constexpr std::size_t kMost = 1000;
  if (known.size() >= kMost) known.clear();
  return known[shape] = BarOf(TermsOf(forest, weights, level), confidence);
}

std::vector<std::size_t> ShownOrder(const Plan& plan) {
  std::vector<std::size_t> order(plan.groups());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (plan.levels.empty()) return order;
  std::vector<std::vector<std::size_t>> positions;
  for (const std::size_t group : order) {
    positions.emplace_back();
    for (const auto& key : plan.PlaceOf(group).keys) positions.back().push_back(key.value_or(Plan::kMaxGroups));
  }
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return positions[a] < positions[b]; });
  return order;
}

}  // namespace kith
