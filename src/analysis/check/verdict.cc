#include "analysis/check/verdict.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "base/check.h"
#include "estimate/estimate.h"
#include "transfer/rounding.h"

namespace kith::check {
namespace {

// Draws that are the same on every machine.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : engine_(seed) {}
  /// Not 0.
  double Uniform() { return (static_cast<double>(engine_() >> 11) + 1) * 0x1p-53; }
  double Normal() { return std::sqrt(-2 * std::log(Uniform())) * std::cos(6.283185307179586 * Uniform()); }

  /// Exact for few or rare, nearly so for many: a power table has two digits.
  std::int64_t Binomial(std::int64_t n, double p) {
    constexpr std::int64_t kFew = 64;
    constexpr double kRare = 40;
    if (n <= 0 || p <= 0) return 0;
    if (p >= 1) return n;
    if (p > 0.5) return n - Binomial(n, 1 - p);
    const double mean = static_cast<double>(n) * p;
    if (n > kFew && mean > kRare) {
      const double drawn = std::round(mean + std::sqrt(mean * (1 - p)) * Normal());
      return std::clamp<std::int64_t>(static_cast<std::int64_t>(drawn), 0, n);
    }
    // Gaps between hits are geometric.
    std::int64_t hits = 0;
    for (double at = 0;;) {
      at += std::floor(std::log(Uniform()) / std::log1p(-p)) + 1;
      if (at > static_cast<double>(n)) return hits;
      ++hits;
    }
  }

  /// Discrete Laplace.
  std::int64_t Noise(double scale) {
    const auto geometric = [&] { return static_cast<std::int64_t>(std::floor(-scale * std::log(Uniform()))); };
    const std::int64_t up = geometric();
    return up - geometric();
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace

std::int64_t Rule::Box(double scale) const {
  if (!(scale > 0)) return 0;
  // A count is used with noise taken off, or added, or both where it is in several comparisons.
  const std::int64_t sides = size == 2 ? 3 : 2 * size;
  // P(Z > z) = q^(z+1) / (1 + q) with q = e^(-1/scale).
  const double q = std::exp(-1 / scale), tail = false_alarm / (2 * static_cast<double>(classes * sides)) * (1 + q);
  return static_cast<std::int64_t>(std::max(0.0, std::ceil(-scale * std::log(tail) - 1 + 1e-9)));
}

double Rule::Each() const { return false_alarm / (2 * static_cast<double>(classes * (size - 1))); }

bool Contradicts(const Rule& rule, std::span<const std::int64_t> noisy, double theta, std::int64_t box) {
  KITH_CHECK(rule.size >= 2 && noisy.size() == static_cast<std::size_t>(rule.size) + 1 && box >= 0);
  const auto least = [&](std::size_t k) { return std::max<std::int64_t>(0, noisy[k] - box); };
  const auto most = [&](std::size_t k) { return std::max<std::int64_t>(0, noisy[k] + box); };
  for (std::size_t others = 0; others + 2 < noisy.size(); ++others) {
    estimate::GroupTable worst{"", std::vector<std::int64_t>(noisy.size())};
    worst.with[others] = least(others);
    worst.with[others + 1] = most(others + 1);
    worst.with[others + 2] = least(others + 2);
    if (worst.Total() > estimate::kMaxSample) continue;  // more than its arithmetic is proved for
    if (estimate::GroupTail(worst, static_cast<std::int64_t>(others), theta) < rule.Each()) return true;
  }
  return false;
}

// A larger odds ratio has larger tails, so that what is contradicted ends somewhere.
double ContradictedUpTo(const Rule& rule, std::span<const std::int64_t> noisy, double odds_ratio, std::int64_t box) {
  constexpr double kTimes = 1.25;
  constexpr int kSteps = 62;
  int contradicted = 0, beyond = kSteps;
  while (beyond - contradicted > 1) {
    const int middle = (contradicted + beyond) / 2;
    const double theta = rounding::LogUp(odds_ratio * std::pow(kTimes, middle));
    (Contradicts(rule, noisy, theta, box) ? contradicted : beyond) = middle;
  }
  return odds_ratio * std::pow(kTimes, contradicted);
}

std::vector<double> LawOf(std::int64_t size, double share, double odds_ratio) {
  std::vector<double> law(static_cast<std::size_t>(size) + 1);
  const double theta = std::log(odds_ratio);
  const auto fill = [&](double tilt) {
    double sum = 0, mean = 0;
    for (std::size_t k = 0; k < law.size(); ++k) {
      const auto yes = static_cast<double>(k), all = static_cast<double>(size);
      law[k] = std::exp(std::lgamma(all + 1) - std::lgamma(yes + 1) - std::lgamma(all - yes + 1) + yes * tilt +
                        theta * (yes * (yes - 1) - (all - 1) * yes) / 2);
      sum += law[k];
      mean += law[k] * yes;
    }
    for (double& p : law) p /= sum;
    return mean / sum / static_cast<double>(size);
  };
  double low = -60, high = 60;
  constexpr int kHalvings = 60;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (fill(middle) < share ? low : high) = middle;
  }
  fill(high);
  return law;
}

double Power(const Rule& rule, std::int64_t groups, double share, double odds_ratio, double theta, double scale,
             int tries) {
  const std::vector<double> law = LawOf(rule.size, share, odds_ratio);
  const std::int64_t box = rule.Box(scale);
  Draws draws(20'240'229);
  int alarms = 0;
  for (int i = 0; i < tries; ++i) {
    std::vector<std::int64_t> table;
    std::int64_t left = groups;
    double rest = 1;
    for (const double p : law) {
      table.push_back(draws.Binomial(left, std::min(1.0, p / rest)));
      left -= table.back();
      rest = std::max(rest - p, 1e-300);
    }
    for (std::int64_t& count : table) count += draws.Noise(scale);
    alarms += Contradicts(rule, table, theta, box) ? 1 : 0;
  }
  return static_cast<double>(alarms) / tries;
}

std::optional<double> Noticed(const Rule& rule, std::int64_t groups, double share, double theta, double scale) {
  constexpr double kWanted = 0.8;
  constexpr int kTries = 100;
  for (const double times : {1.1, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 7.0, 10.0, 15.0, 25.0, 50.0, 100.0, 1000.0}) {
    const double odds_ratio = times * std::exp(theta);
    if (Power(rule, groups, share, odds_ratio, theta, scale, kTries) >= kWanted) return odds_ratio;
  }
  return std::nullopt;
}

}  // namespace kith::check
