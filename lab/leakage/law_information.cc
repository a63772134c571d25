// The most information that any law of a set gives away. For one pair it is found by dividing the range of
// P(X_j sensitive); for several attributes together it is bounded by a convex function, which is largest at a corner.
#include <algorithm>
#include <bit>
#include <cmath>
#include <queue>

#include "base/check.h"
#include "leakage/entropy.h"
#include "leakage/law_set.h"

namespace kith::one_sided {
namespace {

/// I(X; M) where M = 1 with probability q0 if X is sensitive, which it is with probability `theta`, and q1 otherwise.
struct Channel {
  double q0 = 0, q1 = 0;

  double At(double theta) const {
    return std::max(0.0, Coin(theta * q0 + (1 - theta) * q1) - theta * Coin(q0) - (1 - theta) * Coin(q1));
  }
  double Slope(double theta) const {
    const double q = theta * q0 + (1 - theta) * q1;
    return std::log((1 - q) / q) * (q0 - q1) - Coin(q0) + Coin(q1);
  }
  /// Not less than any value between: concave in theta, so a tangent is above it.
  double Largest(Range theta, int steps) const {
    if (q0 == q1) return 0;
    double low = theta.low, high = theta.high;
    if (!(low < high) || !(Slope(low) > 0)) return At(low);
    if (!(Slope(high) < 0)) return At(high);
    for (int k = 0; k < steps; ++k) {
      const double middle = (low + high) / 2;
      (Slope(middle) > 0 ? low : high) = middle;
    }
    const double from_low = At(low) + Slope(low) * (high - low), from_high = At(high) - Slope(high) * (high - low);
    return std::min(std::isfinite(from_low) ? from_low : 1.0, std::isfinite(from_high) ? from_high : 1.0);
  }
};

double MostEntropy(Range theta) { return Coin(std::clamp(0.5, theta.low, theta.high)); }

/// Convex in the channel for any theta: corners are enough.
double OverCorners(const PairLimits& pair, double rate, int steps) {
  double most = 0;
  for (const double d1 : {pair.d1.low, pair.d1.high}) {
    for (const double d2 : {pair.d2.low, pair.d2.high})
      most = std::max(most, Channel{rate * (1 - d1), rate * (1 - d2)}.Largest(pair.sensitive, steps));
  }
  return std::min(most, MostEntropy(pair.sensitive));
}

/// A pair in four cells: both sensitive, only X_j, only X_i, neither.
struct FourCells {
  Range both, only_j, only_i, neither;

  /// P(X_i sensitive | X_j ...) where the cells are `with` and `without` and their sum is in `sum`: limits for all
  /// such sums at once.
  static Range Share(Range with, Range without, Range sum) {
    const double high =
        std::min(sum.low > 0 ? with.high / sum.low : 1.0, sum.high > 0 ? 1 - without.low / sum.high : 1);
    const double low = std::max(sum.high > 0 ? with.low / sum.high : 0.0, sum.low > 0 ? 1 - without.high / sum.low : 0);
    const double top = std::clamp(high, 0.0, 1.0);
    return {std::clamp(low, 0.0, top), top};
  }
  PairLimits Between(Range theta) const {
    return {theta, Share(both, only_j, theta), Share(only_i, neither, {1 - theta.high, 1 - theta.low})};
  }
};

struct Slice {
  Range theta;
  double most = 0;
  bool operator<(const Slice& other) const { return most < other.most; }
};

/// Bits of a state, put together: attribute which[k] becomes bit k.
std::vector<std::size_t> OnlyBits(std::size_t states, const std::vector<std::size_t>& which) {
  std::vector<std::size_t> into(states, 0);
  for (std::size_t state = 0; state < states; ++state) {
    for (std::size_t k = 0; k < which.size(); ++k) into[state] |= (state >> which[k] & 1U) << k;
  }
  return into;
}

/// P(X_target = x, M = m) for both x, where open attributes are released at their rates.
struct Outcomes {
  std::vector<double> of[2];
};
Outcomes OutcomesOf(const std::vector<double>& law, std::size_t target, const std::vector<double>& rates) {
  Outcomes out{{std::vector<double>(law.size(), 0.0), std::vector<double>(law.size(), 0.0)}};
  for (std::size_t state = 0; state < law.size(); ++state) out.of[state >> target & 1U][state] = law[state];
  for (auto& seen : out.of) {
    for (std::size_t a = 0; a < rates.size(); ++a) {
      for (std::size_t state = 0; state < seen.size(); ++state) {
        if ((state >> a & 1U) == 0) continue;
        seen[state ^ (std::size_t{1} << a)] += (1 - rates[a]) * seen[state];
        seen[state] *= rates[a];
      }
    }
  }
  return out;
}

/// Sum over x of P(x) KL(law of M given x, reference): not less than I(X; M), and convex in the law.
double Divergence(const Outcomes& out, const std::vector<double>& reference) {
  double sum = 0;
  for (const auto& seen : out.of) {
    double mass = 0;
    for (const double p : seen) mass += p;
    for (std::size_t m = 0; m < seen.size(); ++m) {
      if (seen[m] > 0) sum += seen[m] * std::log(seen[m] / (mass * reference[m]));
    }
  }
  return sum;
}

/// Every corner of the set: all cells but one at a limit. Limits may miss a sum of 1 by a little (LawSet::Make), and
/// then so may a corner: one that were left out would make the bound too small.
template <class Visit>
void Corners(const LawSet& set, const Visit& visit) {
  constexpr double kMiss = 2e-9;
  const std::size_t n = set.size();
  std::vector<double> law(n);
  for (std::size_t free = 0; free < n; ++free) {
    for (std::size_t choice = 0; choice < std::size_t{1} << (n - 1); ++choice) {
      double rest = 1;
      for (std::size_t k = 0, bit = 0; k < n; ++k) {
        if (k == free) continue;
        law[k] = (choice >> bit++ & 1U) != 0 ? set.cells()[k].high : set.cells()[k].low;
        rest -= law[k];
      }
      if (rest < set.cells()[free].low - kMiss || rest > set.cells()[free].high + kMiss) continue;
      law[free] = std::max(0.0, rest);
      visit(law);
    }
  }
}

/// Any positive reference gives a bound; it is moved towards what the worst law shows, and the least bound counts.
double BoundByCorners(const LawSet& set, std::size_t target, const std::vector<double>& rates) {
  const auto shown = [&](const std::vector<double>& law) {
    const Outcomes out = OutcomesOf(law, target, rates);
    std::vector<double> all(law.size());
    for (std::size_t m = 0; m < all.size(); ++m) all[m] = out.of[0][m] + out.of[1][m];
    return all;
  };
  std::vector<double> reference = shown(set.inside());
  for (double& r : reference) r = 0.999 * r + 0.001 / static_cast<double>(reference.size());
  double least = std::log(2.0);
  const int rounds = set.size() <= 8 ? 12 : 2;
  for (int round = 0; round < rounds; ++round) {
    double most = 0;
    std::vector<double> worst = set.inside();
    Corners(set, [&](const std::vector<double>& law) {
      const double value = Divergence(OutcomesOf(law, target, rates), reference);
      if (value <= most) return;
      most = value;
      worst = law;
    });
    least = std::min(least, most);
    const auto towards = shown(worst);
    const double step = 1.0 / (round + 3);
    for (std::size_t m = 0; m < reference.size(); ++m) reference[m] += step * (towards[m] - reference[m]);
  }
  return least;
}

}  // namespace

double InformationOver(const PairLimits& pair, double rate) {
  KITH_CHECK(rate >= 0 && rate <= 1);
  return OverCorners(pair, rate, 60);
}

double InformationOver(const LawSet& states, std::size_t i, std::size_t j, double rate, double slack) {
  KITH_CHECK(std::has_single_bit(states.size()) && rate >= 0 && rate <= 1 && slack > 0);
  std::vector<bool> sensitive(states.size());
  for (std::size_t state = 0; state < states.size(); ++state) sensitive[state] = (state >> j & 1U) == 0;
  const Range theta = states.Share(sensitive);
  if (i == j) return OverCorners({theta, {1, 1}, {0, 0}}, rate, 60);
  const LawSet four = states.Merged(OnlyBits(states.size(), {i, j}), 4);
  const FourCells cells{four.cells()[0], four.cells()[1], four.cells()[2], four.cells()[3]};
  constexpr int kSteps = 8, kMostSlices = 20'000;
  double reached = 0;
  std::priority_queue<Slice> slices;
  const auto add = [&](Range part) {
    const double middle = (part.low + part.high) / 2;
    reached = std::max(reached, OverCorners(cells.Between({middle, middle}), rate, 0));
    slices.push({part, OverCorners(cells.Between(part), rate, kSteps)});
  };
  add(theta);
  for (int k = 0; k < kMostSlices; ++k) {
    const Slice worst = slices.top();
    if (worst.most <= reached + slack) break;
    slices.pop();
    const double middle = (worst.theta.low + worst.theta.high) / 2;
    add({worst.theta.low, middle});
    add({middle, worst.theta.high});
  }
  return slices.top().most;
}

double JointInformationBound(const LawSet& states, std::size_t target, const std::vector<double>& rates) {
  KITH_CHECK(std::has_single_bit(states.size()) && states.size() == std::size_t{1} << rates.size() &&
             target < rates.size());
  std::vector<std::size_t> which;
  std::vector<double> served;
  for (std::size_t a = 0; a < rates.size(); ++a) {
    if (!(rates[a] > 0) && a != target) continue;
    which.push_back(a);
    served.push_back(rates[a]);
  }
  const auto others =
      static_cast<std::size_t>(std::count_if(rates.begin(), rates.end(), [](double r) { return r > 0; }));
  if (others == 0) return 0;
  if (others == 1) {
    const auto only = static_cast<std::size_t>(
        std::find_if(rates.begin(), rates.end(), [](double r) { return r > 0; }) - rates.begin());
    return InformationOver(states, only, target, rates[only]);
  }
  std::vector<bool> sensitive(states.size());
  for (std::size_t state = 0; state < states.size(); ++state) sensitive[state] = (state >> target & 1U) == 0;
  const double entropy = MostEntropy(states.Share(sensitive));
  constexpr std::size_t kMostBits = 4;  // 16 cells have half a million corners
  if (which.size() > kMostBits) return entropy;
  const LawSet merged = states.Merged(OnlyBits(states.size(), which), std::size_t{1} << which.size());
  const auto place = static_cast<std::size_t>(std::find(which.begin(), which.end(), target) - which.begin());
  return std::min(entropy, BoundByCorners(merged, place, served));
}

}  // namespace kith::one_sided
