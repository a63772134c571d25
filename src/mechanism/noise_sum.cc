#include "mechanism/noise_sum.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>
#include <utility>

namespace kith {
namespace {

constexpr double kNegligible = 1e-9;  // a probability that no bar of a person's needs
constexpr std::int64_t kMostPoints = std::int64_t{1} << 16;

/// Noises that are alike, and how many there are of each: {size of an atom, scale}, both with the weight.
using Kinds = std::map<std::pair<double, double>, double>;

Kinds KindsOf(const std::vector<WeightedNoise>& noises) {
  Kinds kinds;
  for (const WeightedNoise& noise : noises) {
    const double weight = std::fabs(noise.weight);
    if (weight > 0 && noise.scale > 0) kinds[{weight * noise.step, weight * noise.scale}] += 1;
  }
  return kinds;
}

// The logarithm of Laplace's characteristic function (on a lattice, then at an angle of the atoms) at t.
double LogOnLattice(double atom, double scale, double t) {
  const double rate = std::exp(-atom / scale);
  const double half = std::sin(atom * t / 2);
  // (1 - q)^2 / (1 - 2 q cos(a t) + q^2), written without cancellation.
  const double gap = -std::expm1(-atom / scale);
  return -std::log1p(4 * rate * half * half / (gap * gap));
}

double LogContinuous(double scale, double t) { return -std::log1p(scale * scale * t * t); }

// A distance beyond which the sum is with probability kNegligible at most: Chernoff's bound for Laplace's law, of which
// the lattice adds an atom each at most.
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

// The largest lattice that all atoms lie on, if it is that of the smallest atom.
std::optional<double> CommonStep(const Kinds& kinds) {
  const double step = kinds.begin()->first.first;
  for (const auto& [kind, count] : kinds) {
    const double ratio = kind.first / step;
    if (std::fabs(ratio - std::round(ratio)) > 1e-9 * ratio || ratio > 1e6) return std::nullopt;
  }
  return step;
}

// P(|S| <= m steps) for m = 0, 1, ...: the characteristic function at N angles gives the probabilities of the sum
// modulo N, and N is so large that nothing comes round.
double BarOnLattice(const Kinds& kinds, double step, std::int64_t points, double confidence) {
  std::vector<double> values(static_cast<std::size_t>(points / 2 + 1));
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double t = 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(points) / step;
    double log_value = 0;
    for (const auto& [kind, count] : kinds) log_value += count * LogOnLattice(kind.first, kind.second, t);
    values[k] = std::exp(log_value);
  }
  // P(|S| <= m) by Dirichlet's kernel: one sum for each m that is tried.
  const auto within = [&](std::int64_t m) {
    double sum = values[0] * static_cast<double>(2 * m + 1);
    for (std::size_t k = 1; k < values.size(); ++k) {
      const double angle = std::numbers::pi * static_cast<double>(k) / static_cast<double>(points);
      const bool middle = 2 * static_cast<std::int64_t>(k) == points;
      sum += (middle ? 1 : 2) * values[k] * std::sin(static_cast<double>(2 * m + 1) * angle) / std::sin(angle);
    }
    return sum / static_cast<double>(points);
  };
  const double wanted = confidence + 4 * kNegligible;  // rounding and what comes round are on the safe side
  std::int64_t low = -1, high = points / 2;
  while (high - low > 1) {
    const std::int64_t m = low + (high - low) / 2;
    (within(m) >= wanted ? high : low) = m;
  }
  return static_cast<double>(high) * step;
}

// The same for the continuous laws, of which those on lattices are at most the atoms away: a geometric variable is an
// exponential one cut to its lattice, and discrete noise is the difference of two of them.
double BarContinuous(const Kinds& kinds, double far, double confidence) {
  double atoms = 0;
  for (const auto& [kind, count] : kinds) atoms += count * kind.first;
  // The sum is looked at on a circle of length 2 L, where its probabilities are a Fourier series.
  const double length = 2 * far;
  const std::size_t terms = 1 << 14;
  std::vector<double> values(terms);
  for (std::size_t k = 1; k < terms; ++k) {
    const double t = std::numbers::pi * static_cast<double>(k) / length;
    double log_value = 0;
    for (const auto& [kind, count] : kinds) log_value += count * LogContinuous(kind.second, t);
    values[k] = std::exp(log_value);
  }
  const auto within = [&](double x) {
    double sum = x / length;
    for (std::size_t k = 1; k < terms; ++k) {
      const double angle = std::numbers::pi * static_cast<double>(k);
      sum += 2 * values[k] * std::sin(angle * x / length) / angle;
    }
    return sum;
  };
  const double wanted = confidence + 1e-6;  // the terms that are left out
  double low = 0, high = far;
  for (int round = 0; round < 40; ++round) {
    const double middle = (low + high) / 2;
    (within(middle) >= wanted ? high : low) = middle;
  }
  return high + atoms;
}

}  // namespace

double BarOfSum(const std::vector<WeightedNoise>& noises, double confidence) {
  const Kinds kinds = KindsOf(noises);
  if (kinds.empty()) return 0;
  const double far = FarAway(kinds);
  if (const auto step = CommonStep(kinds)) {
    const double points = 4 * std::ceil(far / *step) + 4;
    if (points <= static_cast<double>(kMostPoints))
      return BarOnLattice(kinds, *step, static_cast<std::int64_t>(points), confidence);
  }
  if (kinds.size() == 1 && kinds.begin()->second == 1) {  // one noise alone: its tail is known
    const auto [atom, scale] = kinds.begin()->first;
    const double rate = atom / scale;  // P(|X| > m atoms) = 2 q^(m+1) / (1 + q)
    const double m = (std::log(2 / (1 + std::exp(-rate))) - std::log1p(-confidence)) / rate - 1;
    return std::max(0.0, std::ceil(m)) * atom;
  }
  return BarContinuous(kinds, far, confidence);
}

}  // namespace kith
