#include "mechanism/noise_sum.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>
#include <optional>
#include <utility>

namespace kith {
namespace {

constexpr double kNegligible = 1e-9;  // a probability that no bar shown to a person needs
constexpr std::int64_t kMostPoints = std::int64_t{1} << 16;

/// Noises that are alike, and how many there are of each: {size of an atom, scale}, both with the weight.
using Kinds = std::map<std::pair<double, double>, double>;

Kinds KindsOf(const std::vector<WeightedNoise>& noises) {
  Kinds kinds;
  for (const WeightedNoise& noise : noises) {
    const double weight = std::fabs(noise.weight);
    if (weight > 0 && noise.scale > 0) kinds[{weight * noise.step, weight * noise.scale}] += noise.count;
  }
  return kinds;
}

// A distance beyond which the sum is with probability at most kNegligible: Chernoff's bound for Laplace's law, to which
// the lattice adds at most an atom each.
double FarAway(const Kinds& kinds) {
  double largest = 0, atoms = 0;
  for (const auto& [kind, count] : kinds) {
    largest = std::max(largest, kind.second);
    atoms += count * kind.first;
  }
  double best = HUGE_VAL;
  for (const double part : {0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.95}) {
    const double at = part / largest;
    double log_moment = 0;
    for (const auto& [kind, count] : kinds) log_moment -= count * std::log1p(-kind.second * kind.second * at * at);
    best = std::min(best, (log_moment + std::log(2 / kNegligible)) / at);
  }
  return best + atoms;
}

// How probable it is that no noise adds anything: where it is as tiny as that, lattices need no allowance.
double AllAreZero(const Kinds& kinds) {
  double log_value = 0;  // each is 0 with probability (1 - q) / (1 + q) = tanh(atom / (2 scale))
  for (const auto& [kind, count] : kinds) log_value += count * std::log(std::tanh(kind.first / (2 * kind.second)));
  return std::exp(log_value);
}

// The coarsest lattice that all atoms are on, if it is the smallest atom or one of its first parts.
std::optional<double> CommonStep(const Kinds& kinds) {
  constexpr int kMostParts = 64;
  const double smallest = kinds.begin()->first.first;
  for (int parts = 1; parts <= kMostParts; ++parts) {
    const double step = smallest / parts;
    const bool common = std::all_of(kinds.begin(), kinds.end(), [&](const auto& kind) {
      const double ratio = kind.first.first / step;
      return std::fabs(ratio - std::round(ratio)) <= 1e-9 * ratio && ratio <= 1e6;
    });
    if (common) return step;
  }
  return std::nullopt;
}

// P(|S| <= m steps) for m = 0, 1, ...: the characteristic function at N angles gives the probabilities of the sum
// modulo N, and N is so large that nothing wraps around.
double BarOnLattice(const Kinds& kinds, double step, std::int64_t points, double confidence) {
  // Laplace's characteristic function on a lattice is (1 - q)^2 / (1 - 2 q cos(a t) + q^2), written without
  // cancellation.
  std::vector<double> log_values(static_cast<std::size_t>(points / 2 + 1));
  for (const auto& [kind, count] : kinds) {
    const auto [atom, scale] = kind;
    const double gap = -std::expm1(-atom / scale);
    const double factor = 4 * std::exp(-atom / scale) / (gap * gap);
    for (std::size_t k = 0; k < log_values.size(); ++k) {
      const double t = 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(points) / step;
      const double half = std::sin(atom * t / 2);
      log_values[k] -= count * std::log1p(factor * half * half);
    }
  }
  std::vector<double> values(log_values.size());
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = std::exp(log_values[k]);
  // P(|S| <= m) by Dirichlet's kernel: one sum for each m that is tried. All sines are those of multiples of one angle.
  std::vector<double> sines(static_cast<std::size_t>(2 * points));
  for (std::int64_t j = 0; j <= points; ++j) {
    const double sine =
        std::sin(std::numbers::pi * static_cast<double>(std::min(j, points - j)) / static_cast<double>(points));
    sines[static_cast<std::size_t>(j)] = sine;
    if (j > 0 && j < points) sines[static_cast<std::size_t>(points + j)] = -sine;
  }
  std::vector<double> weights(values.size());
  for (std::size_t k = 1; k < values.size(); ++k) {
    const bool middle = 2 * static_cast<std::int64_t>(k) == points;
    weights[k] = (middle ? 1 : 2) * values[k] / sines[k];
  }
  const auto within = [&](std::int64_t m) {
    double sum = values[0] * static_cast<double>(2 * m + 1);
    std::size_t at = 0;  // (2 m + 1) k, of whole turns
    const std::size_t turn = sines.size();
    const auto stride = static_cast<std::size_t>(2 * m + 1);
    for (std::size_t k = 1; k < weights.size(); ++k) {
      at += stride;
      if (at >= turn) at -= turn;
      sum += weights[k] * sines[at];
    }
    return sum / static_cast<double>(points);
  };
  const double wanted = confidence + 4 * kNegligible;  // rounding and wrap-around are on the safe side
  std::int64_t low = -1, high = points / 2;
  while (high - low > 1) {
    const std::int64_t m = low + (high - low) / 2;
    (within(m) >= wanted ? high : low) = m;
  }
  return static_cast<double>(high) * step;
}

/// The sum of continuous laws on a circle of length 2 L, where its probabilities are a Fourier series.
class ContinuousSum {
 public:
  ContinuousSum(const Kinds& kinds, double far) : length_(2 * far), far_(far), values_(1, 1.0) {
    constexpr std::size_t kMostTerms = 1 << 14;
    for (std::size_t k = 1; k < kMostTerms; ++k) {
      const double t = std::numbers::pi * static_cast<double>(k) / length_;
      // The value, and how fast it falls with k: at least like a power, whose exponent only grows.
      double log_value = 0, product = 1, power = 0;
      for (const auto& [kind, count] : kinds) {
        const double square = kind.second * kind.second * t * t;
        power += count * 2 * square / (1 + square);
        if (count == 1 && square < 1e50) {
          product *= 1 + square;
          if (product > 1e250) log_value -= std::log(std::exchange(product, 1.0));
        } else {
          log_value -= count * std::log1p(square);
        }
      }
      values_.push_back(std::exp(log_value - std::log(product)));
      left_out_ = 2 / std::numbers::pi * values_.back() / power;
      if (left_out_ < kNegligible) break;
    }
  }

  /// The smallest distance that it exceeds with probability at most 1 - confidence.
  double Bar(double confidence) const {
    const double wanted = confidence + left_out_ + 4 * kNegligible;  // with wrap-around and rounding
    double low = 0, high = far_;
    for (int round = 0; round < 40; ++round) {
      const double middle = (low + high) / 2;
      (Within(middle) >= wanted ? high : low) = middle;
    }
    return high;
  }

 private:
  double Within(double x) const {
    double sum = x / length_;
    const double angle = std::numbers::pi * x / length_;
    const double twice = 2 * std::cos(angle);
    double before = 0, sine = std::sin(angle);  // of k - 1 and k angles
    for (std::size_t k = 1; k < values_.size(); ++k) {
      sum += 2 * values_[k] * sine / (std::numbers::pi * static_cast<double>(k));
      before = std::exchange(sine, twice * sine - before);
    }
    return sum;
  }

  double length_, far_;
  std::vector<double> values_;  // of the characteristic function
  double left_out_ = 0;         // the terms that are left out add up to no more
};

// The same for the continuous laws, of which those on lattices are at most the atoms away: a geometric variable is an
// exponential one cut to its lattice, discrete noise is the difference of two of them, and what is cut off is
// independent of what remains. So the lattices add all atoms at most, or, with the probability that Hoeffding's bound
// leaves, a few times the root of their squares.
double BarContinuous(const Kinds& kinds, double far, double confidence) {
  double atoms = 0, squares = 0;
  for (const auto& [kind, count] : kinds) {
    atoms += count * kind.first;
    squares += count * kind.first * kind.first;
  }
  const ContinuousSum sum(kinds, far);
  double best = sum.Bar(confidence) + atoms;
  for (const double part : {0.002, 0.02, 0.1}) {
    const double miss = part * (1 - confidence);
    const double cut_off = std::sqrt(2 * squares * std::log(2 / miss));
    if (cut_off < atoms) best = std::min(best, sum.Bar(confidence + miss) + cut_off);
  }
  return best;
}

}  // namespace

double BarOfSum(const std::vector<WeightedNoise>& noises, double confidence) {
  const Kinds kinds = KindsOf(noises);
  if (kinds.empty() || AllAreZero(kinds) >= confidence) return 0;
  const double far = FarAway(kinds);
  if (const auto step = CommonStep(kinds)) {
    const double points = 4 * std::ceil(far / *step) + 4;
    if (points <= static_cast<double>(kMostPoints))
      return BarOnLattice(kinds, *step, static_cast<std::int64_t>(points), confidence);
  }
  if (kinds.size() == 1 && kinds.begin()->second == 1) {  // a single noise: its tail is known
    const auto [atom, scale] = kinds.begin()->first;
    const double rate = atom / scale;  // P(|X| > m atoms) = 2 q^(m+1) / (1 + q)
    const double m = (std::log(2 / (1 + std::exp(-rate))) - std::log1p(-confidence)) / rate - 1;
    return std::max(0.0, std::ceil(m)) * atom;
  }
  return BarContinuous(kinds, far, confidence);
}

}  // namespace kith
