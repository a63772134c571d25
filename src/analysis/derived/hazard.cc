#include "analysis/derived/hazard.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace kith {
namespace {

constexpr double kNormal95 = 1.959963984540054;
constexpr double kMostOfIt = 0.5;  // noise may be this much of what a ratio rests on

/// One group in each step. With A units exposed (half of those censored in the step are) of whom d have the event, the
/// hazard of the step is -ln(1 - d/A), and the time at risk, in steps, is d divided by it: A less about half of d.
struct Exposure {
  std::vector<double> events, time;
  std::vector<double> by_exposed, by_event;  // derivatives of the time at risk, by A and by d
  std::vector<double> sampling;              // variance of the hazard
};

/// Up to the step in which too few are left.
Exposure ExposureOf(const std::vector<SurvivalStep>& steps, const NoiseDistribution& events,
                    const NoiseDistribution& censored) {
  Exposure out;
  const auto risk = SurvivalCurve(steps, events, censored);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double n = risk[i].at_risk, d = steps[i].events, exposed = n - steps[i].censored / 2, share = d / exposed;
    if (n < 1 || risk[i].at_risk_95 >= kMostOfIt * n || exposed <= 0 || share >= 1) break;
    // x / -ln(1 - x) and its derivative; by their series near 0, where the quotient is lost in rounding.
    const double hazard = -std::log1p(-share);
    const bool small = std::fabs(share) < 1e-3;
    const double part = small ? 1 - share / 2 - share * share / 12 : share / hazard;
    const double slope =
        small ? -0.5 - share / 6 - share * share / 8 : (hazard - share / (1 - share)) / (hazard * hazard);
    out.events.push_back(d);
    out.time.push_back(exposed * part);
    out.by_exposed.push_back(part - share * slope);
    out.by_event.push_back(slope);
    out.sampling.push_back(std::max(0.0, share) / ((1 - share) * exposed));
  }
  return out;
}

/// The derivatives of a function by the counts of one group: by the events and by the censored units of each step.
struct Gradient {
  std::vector<double> events, censored;
};

/// The sum over steps of events of `own` times the other's share of all time at risk; `gradients`: of its logarithm, by
/// the counts of both, own ones first.
struct WeightedEvents {
  double sum = 0;
  std::array<Gradient, 2> gradients;
};

WeightedEvents WeightedEventsOf(const Exposure& own, const Exposure& other, std::size_t used, std::size_t all) {
  WeightedEvents out;
  for (std::size_t i = 0; i < used; ++i) out.sum += own.events[i] * other.time[i] / (own.time[i] + other.time[i]);
  for (std::size_t g = 0; g < 2; ++g) {
    // A count of step k is part of those exposed in every step before; in its own step an event counts in full, and a
    // censored unit as one half.
    const Exposure& group = g == 0 ? own : other;
    double before = 0;
    for (std::size_t k = 0; k < all; ++k) {
      double by_exposed = 0, by_event = 0;
      if (k < used) {
        const double both = own.time[k] + other.time[k];
        const double by_time = (g == 0 ? -other.time[k] : own.time[k]) * own.events[k] / (both * both);
        by_exposed = by_time * group.by_exposed[k];
        by_event = by_time * group.by_event[k] + (g == 0 ? other.time[k] / both : 0);
      }
      out.gradients[g].censored.push_back((before + by_exposed / 2) / out.sum);
      out.gradients[g].events.push_back((before + by_exposed + by_event) / out.sum);
      before += by_exposed;
    }
  }
  return out;
}

/// The 95 % bar of what has these derivatives.
double BarOf(const std::array<Gradient, 2>& gradients, const NoiseDistribution& events,
             const NoiseDistribution& censored) {
  double variance = 0, largest = 0;
  for (const Gradient& gradient : gradients) {
    for (std::size_t k = 0; k < gradient.events.size(); ++k) {
      const double d = gradient.events[k], c = gradient.censored[k];
      variance += d * d * events.Variance() + c * c * censored.Variance();
      largest = std::max({largest, std::fabs(d) * events.step, std::fabs(c) * censored.step});
    }
  }
  return BarOfWeightedSum(variance, largest);
}

}  // namespace

std::optional<HazardRatio> CompareHazards(const std::vector<SurvivalStep>& first,
                                          const std::vector<SurvivalStep>& second, const NoiseDistribution& events,
                                          const NoiseDistribution& censored) {
  const Exposure base = ExposureOf(first, events, censored), other = ExposureOf(second, events, censored);
  HazardRatio out;
  out.steps = std::min(base.time.size(), other.time.size());
  const WeightedEvents below = WeightedEventsOf(base, other, out.steps, first.size());
  const WeightedEvents above = WeightedEventsOf(other, base, out.steps, first.size());
  if (!(below.sum > 0) || !(above.sum > 0)) return std::nullopt;
  for (const WeightedEvents* each : {&below, &above})
    if (BarOf(each->gradients, events, censored) >= kMostOfIt) return std::nullopt;

  std::array<Gradient, 2> apart = above.gradients;
  for (std::size_t g = 0; g < 2; ++g) {
    const Gradient& subtracted = below.gradients[1 - g];
    for (std::size_t k = 0; k < first.size(); ++k) {
      apart[g].events[k] -= subtracted.events[k];
      apart[g].censored[k] -= subtracted.censored[k];
    }
  }
  double sampling = 0;
  for (std::size_t i = 0; i < out.steps; ++i) {
    // The sums are those of the hazards of the steps with this weight.
    const double weight = base.time[i] * other.time[i] / (base.time[i] + other.time[i]);
    sampling +=
        weight * weight * (base.sampling[i] / (below.sum * below.sum) + other.sampling[i] / (above.sum * above.sum));
  }
  out.ratio = above.sum / below.sum;
  const double noise = BarOf(apart, events, censored);
  const double together = std::sqrt(noise * noise + kNormal95 * kNormal95 * sampling);
  out.noise_95 = out.ratio * std::expm1(noise);
  out.low = out.ratio * std::exp(-together);
  out.high = out.ratio * std::exp(together);
  return out;
}

}  // namespace kith
