#include "estimate/estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/check.h"
#include "estimate/distance_fit.h"
#include "transfer/rounding.h"

namespace kith::estimate {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double Real(std::int64_t n) { return static_cast<double>(n); }

// The largest odds ratio, either way, that the limits of its logarithm allow. One side of the two is enough: the true
// logarithm has one sign, and only the limit on its side can be missed to its harm [ESTIMATE-4].
double Either(const Limits& log_limits) { return std::max({log_limits.upper, -log_limits.lower, 0.0}); }

Limits OddsOf(const Limits& log_limits) {
  return {1 / rounding::ExpUp(-log_limits.lower), rounding::ExpUp(log_limits.upper)};
}

double AtLeastOne(double odds_ratio) { return odds_ratio >= 1 ? odds_ratio : 1 / odds_ratio; }

class Maker {
 public:
  Maker(double confidence, std::size_t parameters) {
    estimate_.confidence = confidence;
    estimate_.each = rounding::NextDown((1 - confidence) / static_cast<double>(parameters) * (1 - 1e-12));
  }
  double each() const { return estimate_.each; }

  /// A parameter that is a log odds ratio.
  void Add(const std::string& stratum, std::string of, std::int64_t sample, double estimate, const Limits& log_limits) {
    estimate_.findings.push_back({stratum, std::move(of), sample, estimate, OddsOf(log_limits)});
    Strength& strength = Of(stratum);
    strength.theta = std::max(strength.theta, Either(log_limits));
    if (std::isfinite(estimate) && estimate > 0) strength.estimate = std::max(strength.estimate, AtLeastOne(estimate));
  }
  void AddProbability(std::string of, std::int64_t sample, double estimate, const Limits& limits) {
    estimate_.findings.push_back({"", std::move(of), sample, estimate, limits});
  }
  Strength& Of(const std::string& stratum) {
    auto& all = estimate_.strengths;
    const auto found = std::find_if(all.begin(), all.end(), [&](const Strength& s) { return s.stratum == stratum; });
    if (found != all.end()) return *found;
    Strength fresh;
    fresh.stratum = stratum;
    all.push_back(std::move(fresh));
    return all.back();
  }
  Estimate Done() {
    for (Strength& s : estimate_.strengths) {
      s.odds_ratio = s.theta == 0 ? 1 : RoundedUp(rounding::ExpUp(s.theta));
    }
    return std::move(estimate_);
  }

 private:
  Estimate estimate_;
};

std::string Counted(std::int64_t n, const std::string& one, const std::string& many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

Estimate OfPairs(const Pairs& pairs, double confidence) {
  Maker maker(confidence, pairs.tables.size());
  for (const PairTable& table : pairs.tables) {
    maker.Add(table.stratum, "left and right", table.Total(),
              Real(table.both) * Real(table.neither) / (Real(table.left) * Real(table.right)),
              CommonLimits({table}, maker.each()));
    maker.Of(table.stratum).sample += table.Total();
  }
  return maker.Done();
}

Estimate OfGroups(const Groups& groups, double confidence) {
  std::size_t parameters = 0;
  for (const GroupTable& table : groups.tables) parameters += static_cast<std::size_t>(table.size() - 1);
  Maker maker(confidence, parameters);
  for (const GroupTable& table : groups.tables) {
    const std::int64_t m = table.size();
    for (std::int64_t s = 0; s + 2 <= m; ++s) {
      const auto at = static_cast<std::size_t>(s);
      const double low = Real(table.with[at]), middle = Real(table.with[at + 1]), high = Real(table.with[at + 2]);
      const double binomials = Real(s + 2) * Real(m - s) / (Real(s + 1) * Real(m - s - 1));
      const std::string of = m == 2
                                 ? "the two members"
                                 : fmt::format("two of {}, {} of the others yes", Counted(m, "member", "members"), s);
      maker.Add(table.stratum, of, table.with[at] + table.with[at + 1] + table.with[at + 2],
                binomials * low * high / (middle * middle), GroupLimits(table, s, maker.each()));
    }
    maker.Of(table.stratum).sample += table.Total();
  }
  return maker.Done();
}

Estimate OfSteps(const Steps& steps, double confidence) {
  const std::size_t n = steps.values.size();
  // Of two values one probability in each row says everything.
  Maker maker(confidence, n == 2 ? 2 : n * n);
  std::vector<std::vector<Limits>> limits(n, std::vector<Limits>(n));
  std::vector<std::int64_t> visits(n, 0);
  for (std::size_t a = 0; a < n; ++a) {
    for (const std::int64_t count : steps.counts[a]) visits[a] += count;
    for (std::size_t b = 0; b < n; ++b) {
      limits[a][b] = AnytimeLimits(steps.counts[a][b], visits[a], maker.each());
      maker.AddProbability(fmt::format("from {} to {}", steps.values[a], steps.values[b]), visits[a],
                           Real(steps.counts[a][b]) / Real(visits[a]), limits[a][b]);
    }
  }
  Strength& strength = maker.Of("");
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t other = 0; other < n; ++other) {
      for (std::size_t b = 0; b < n; ++b) {
        for (std::size_t c = 0; c < n; ++c) {
          if (other == a || b == c) continue;
          const double up = rounding::MulUp(limits[a][b].upper, limits[other][c].upper);
          const double down = limits[a][c].lower * limits[other][b].lower;
          const double ratio = down > 0 ? rounding::Widen(up / down, 8) : kInfinity;
          strength.theta = std::max(strength.theta, ratio > 1 ? rounding::LogUp(ratio) : 0);
          const double estimate = Real(steps.counts[a][b]) * Real(steps.counts[other][c]) /
                                  (Real(steps.counts[a][c]) * Real(steps.counts[other][b]));
          if (std::isfinite(estimate)) strength.estimate = std::max(strength.estimate, estimate);
        }
      }
    }
  }
  strength.sample = SizeOf(steps);
  return maker.Done();
}

Estimate OfTies(const Ties& ties, double confidence) {
  Maker maker(confidence, 1);
  double up = 0, down = 0;  // Mantel and Haenszel's estimate
  for (const PairTable& table : ties.strata) {
    if (table.Total() == 0) continue;
    up += Real(table.both) * Real(table.neither) / Real(table.Total());
    down += Real(table.left) * Real(table.right) / Real(table.Total());
  }
  maker.Add("", "two ends of a tie, given everybody else", ties.chosen, up / down,
            CommonLimits(ties.strata, maker.each()));
  maker.Of("").sample = ties.chosen;
  return maker.Done();
}

Estimate OfPlaces(const Places& places, double confidence) {
  Maker maker(confidence, 1);
  const DistanceFit fit(places);
  const auto best = fit.Best();
  const auto region = fit.Within(maker.each());
  const std::int64_t sample = SizeOf(places);
  maker.AddProbability("b, of the law (d + b)^-c", sample, best.b, region.b);
  maker.AddProbability("c, of the same", sample, best.c, region.c);
  Strength& strength = maker.Of("");
  strength.theta = region.theta;
  strength.estimate = std::exp(fit.Theta(best));
  strength.sample = sample;
  return maker.Done();
}
constexpr std::string_view kNegative = "a count is negative";

bool Negative(const PairTable& t) { return t.both < 0 || t.left < 0 || t.right < 0 || t.neither < 0; }
bool Negative(const GroupTable& table) {
  return std::any_of(table.with.begin(), table.with.end(), [](std::int64_t n) { return n < 0; });
}

// What is wrong with the counts; empty if nothing is.
std::string Problem(const Sample& sample) {
  if (const auto* pairs = std::get_if<Pairs>(&sample)) {
    for (const PairTable& table : pairs->tables) {
      if (Negative(table)) return std::string(kNegative);
    }
  } else if (const auto* groups = std::get_if<Groups>(&sample)) {
    for (const GroupTable& table : groups->tables) {
      if (Negative(table)) return std::string(kNegative);
      if (table.size() < 2) return "a group of one has nobody to depend on";
    }
  } else if (const auto* steps = std::get_if<Steps>(&sample)) {
    if (steps->values.size() < 2) return "a chain needs at least two different values";
  } else if (const auto* ties = std::get_if<Ties>(&sample)) {
    for (const PairTable& table : ties->strata) {
      if (Negative(table)) return std::string(kNegative);
    }
  } else if (const std::string problem = DistanceFit::Problem(std::get<Places>(sample)); !problem.empty()) {
    return problem;
  }
  const std::int64_t size = SizeOf(sample);
  if (size <= 0) return fmt::format("there are no {} to count", UnitOf(sample));
  if (size > kMaxSample) return fmt::format("there are more than {} {}", kMaxSample, UnitOf(sample));
  return {};
}

Estimate Found(const Sample& sample, double confidence) {
  if (const auto* pairs = std::get_if<Pairs>(&sample)) return OfPairs(*pairs, confidence);
  if (const auto* groups = std::get_if<Groups>(&sample)) return OfGroups(*groups, confidence);
  if (const auto* steps = std::get_if<Steps>(&sample)) return OfSteps(*steps, confidence);
  if (const auto* places = std::get_if<Places>(&sample)) return OfPlaces(*places, confidence);
  return OfTies(std::get<Ties>(sample), confidence);
}

// An odds ratio that is never below 1 is missed to its harm by its upper limit alone.
Estimate OfSign(Estimate found, Sign sign) {
  if (sign == Sign::kEither) return found;
  for (Strength& s : found.strengths) {
    s.theta = 0;
    s.estimate = 1;
    for (const Finding& finding : found.findings) {
      if (finding.stratum != s.stratum) continue;
      if (finding.limits.upper > 1) s.theta = std::max(s.theta, rounding::LogUp(finding.limits.upper));
      if (std::isfinite(finding.estimate)) s.estimate = std::max(s.estimate, finding.estimate);
    }
    s.odds_ratio = s.theta == 0 ? 1 : RoundedUp(rounding::ExpUp(s.theta));
  }
  return found;
}

}  // namespace

double SdOfIcc(double icc) {
  KITH_CHECK(icc >= 0 && icc < 1);
  return icc == 0 ? 0 : rounding::Widen(std::numbers::pi * std::sqrt(icc / (1 - icc) / 3), 8);
}

double Estimate::Largest() const {
  double largest = 1;
  for (const Strength& strength : strengths) largest = std::max(largest, strength.odds_ratio);
  return largest;
}

double RoundedUp(double value) {
  if (!std::isfinite(value) || value <= 0) return value;
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 2);
  for (double steps = std::floor(value / unit);; ++steps) {
    const double rounded = std::stod(fmt::format("{:.3g}", steps * unit));  // as it will be read
    if (rounded >= value) return rounded;
  }
}

namespace {

Result<void> Check(const Sample& sample, double confidence) {
  if (!(confidence >= kLeastConfidence && confidence <= kMostConfidence)) {
    return InvalidArgument(
               fmt::format("the confidence must lie between {} and {:.9f}", kLeastConfidence, kMostConfidence), {},
               "0.95 is usual: in one study of twenty the true strength may be larger")
        .For("estimate.confidence");
  }
  if (const std::string problem = Problem(sample); !problem.empty())
    return InvalidArgument(problem, {},
                           problem == kNegative ? "counts are whole numbers, 0 or more"
                                                : "check the columns that were named, and what counts as yes")
        .For("estimate.sample");
  return {};
}

}  // namespace

Result<Estimate> Make(const Sample& sample, double confidence, Sign sign) {
  if (auto ok = Check(sample, confidence); !ok) return ok.error();
  Estimate found = OfSign(Found(sample, confidence), sign);
  for (const Finding& finding : found.findings) {
    if (sign == Sign::kEither || finding.limits.upper >= 1) continue;
    return InvalidArgument(
               fmt::format("the study contradicts that ties are never negative: the odds ratio of {} is at most {:.3g}",
                           finding.of, finding.limits.upper),
               {}, "declare ties of either sign")
        .For("estimate.sample");
  }
  return found;
}

Result<Outlook> LookAhead(const Sample& sample, double confidence, Sign sign) {
  constexpr std::int64_t kMostTimes = 1024;
  // Strata of pairs are convolved, which takes the square of the time.
  const std::int64_t farthest = std::holds_alternative<Ties>(sample) ? 50'000 : 1'000'000;
  const std::int64_t size = SizeOf(sample);
  const auto at = [&](std::int64_t times) -> Result<More> {
    const Sample more = Times(sample, times);
    if (auto ok = Check(more, confidence); !ok) return ok.error();
    return More{times, size * times, OfSign(Found(more, confidence), sign).Largest()};
  };
  Outlook outlook;
  for (std::int64_t times = 1; times <= kMostTimes && (times <= 4 || size * times <= farthest); times *= 2) {
    if (size * times > kMaxSample) break;
    const auto more = at(times);
    if (!more) return more.error();
    outlook.steps.push_back(*more);
  }
  if (outlook.steps.empty()) {
    const auto now = at(1);
    return now.error();
  }
  outlook.half_of = outlook.steps.front().odds_ratio / 2;
  if (!std::isfinite(outlook.half_of)) return outlook;
  const auto reached = std::find_if(outlook.steps.begin(), outlook.steps.end(),
                                    [&](const More& more) { return more.odds_ratio <= outlook.half_of; });
  if (reached == outlook.steps.end()) return outlook;
  std::int64_t low = reached->times / 2, high = reached->times;
  while (high - low > 1) {
    const auto more = at(low + (high - low) / 2);
    if (!more) return more.error();
    (more->odds_ratio <= outlook.half_of ? high : low) = more->times;
  }
  outlook.half = high;
  return outlook;
}

}  // namespace kith::estimate
