#include "analysis/derived/survival.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/error_bar.h"
#include "analysis/points/isotonic.h"

namespace kith {
namespace {

using nlohmann::json;

constexpr double kNormal95 = 1.959963984540054;

std::optional<Error> WrongOptions(const SurvivalOptions& options) {
  if (!(options.step > 0) || !std::isfinite(options.step))
    return InvalidArgument("a step of time is a number above 0", {}, "such as 30, for months of days")
        .For("survival.step");
  if (auto one = IsOnePart(options.time, "the time"); !one) return one.error();
  if (auto one = IsOnePart(options.event, "the event"); !one) return one.error();
  if (!options.by.empty()) {
    if (auto one = IsOnePart(options.by, "what to group by"); !one) return one.error();
  }
  if (!options.where.empty()) {
    if (auto one = IsOnePart(options.where, "the condition"); !one) return one.error();
  }
  return std::nullopt;
}

std::string SqlOf(const SurvivalOptions& options, const std::string& from) {
  const std::string by = options.by.empty() ? "" : fmt::format("({}) AS part, ", options.by);
  const std::string where = options.where.empty() ? "" : fmt::format(" AND ({})", options.where);
  return fmt::format(
      "SELECT {}floor(({}) / {}) AS step, count(*) FILTER (WHERE ({})) AS events, count(*) FILTER (WHERE NOT ({})) AS "
      "censored FROM {} WHERE ({}) IS NOT NULL AND ({}) IS NOT NULL{} GROUP BY {}",
      by, options.time, SqlNumber(options.step), options.event, options.event, from, options.time, options.event, where,
      options.by.empty() ? "1" : "1, 2");
}

/// One curve: which group it is of, and the rows of its steps in the order of time.
struct Curve {
  Value group;
  std::vector<std::pair<double, std::size_t>> steps;  // number of the step, row
};

std::vector<Curve> CurvesOf(const NoisyTable& table) {
  std::vector<Curve> curves;
  const bool grouped = table.keys == 2;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const auto step = NumberIn(table.Key(r, table.keys - 1));
    if (!step) continue;  // the group of NULL, which the condition leaves empty
    const Value group = grouped ? table.Key(r, 0) : Value(Null{});
    auto curve = std::find_if(curves.begin(), curves.end(), [&](const Curve& c) { return c.group == group; });
    if (curve == curves.end()) curve = curves.insert(curves.end(), Curve{group, {}});
    curve->steps.emplace_back(*step, r);
  }
  for (Curve& curve : curves) std::sort(curve.steps.begin(), curve.steps.end());
  return curves;
}

/// The first time at which a curve is at most one half; nothing if it never is.
template <class Get>
std::optional<double> FirstHalf(const std::vector<SurvivalPoint>& points, const std::vector<double>& times, Get get) {
  for (std::size_t j = 0; j < points.size() && points[j].survival; ++j) {
    if (get(points[j]) <= 0.5) return times[j];
  }
  return std::nullopt;
}

// Four digits are more than noise leaves; ends are rounded outwards.
constexpr double kDigits = 1e4;
double Nearest(double share) { return std::round(share * kDigits) / kDigits; }
double Down(double share) { return std::floor(share * kDigits) / kDigits; }
double Up(double share) { return std::ceil(share * kDigits) / kDigits; }

json OrNull(const std::optional<double>& value) { return value ? json(*value) : json(nullptr); }

}  // namespace

std::vector<SurvivalPoint> SurvivalCurve(const std::vector<SurvivalStep>& steps, const NoisyLaw& events,
                                         const NoisyLaw& censored) {
  const std::size_t m = steps.size();
  const double var_d = events.Variance(), var_c = censored.Variance();
  std::vector<SurvivalPoint> points(m);
  double at_risk = 0;
  for (std::size_t i = m; i-- > 0;) {
    at_risk += steps[i].events + steps[i].censored;
    points[i].at_risk = at_risk;
    points[i].at_risk_95 = BarOfVariance(static_cast<double>(m - i) * (var_d + var_c));
  }
  // ln S_j is the sum over i <= j of ln(n_i - d_i) - ln(n_i), where n_i counts all events and censored from step i on.
  // more[i]: its derivative by a count of a later step, up to step i: the sum of 1 / (n - d) - 1 / n.
  std::vector<double> more, per_event, raw, greenwood;
  double product = 1, sampling = 0;
  std::size_t known = 0;
  for (; known < m; ++known) {
    const double n = points[known].at_risk, d = steps[known].events, left = n - d;
    if (n <= 2 * points[known].at_risk_95 || n < 1 || left <= 0) break;
    product *= left / n;
    sampling += std::max(d, 0.0) / (n * left);
    more.push_back((more.empty() ? 0 : more.back()) + 1 / left - 1 / n);
    per_event.push_back(1 / n);
    raw.push_back(-product);
    greenwood.push_back(sampling);
  }
  const std::vector<double> falling = points::Isotonic(raw);
  for (std::size_t j = 0; j < known; ++j) {
    double variance = 0;
    for (std::size_t k = 0; k < m; ++k) {
      const double by_censored = more[std::min(j, k)];
      const double before = k == 0 ? 0 : more[std::min(j, k - 1)];
      const double by_event = k <= j ? before - per_event[k] : before;
      variance += by_event * by_event * var_d + by_censored * by_censored * var_c;
    }
    const double noise = BarOfVariance(variance);
    const double both = std::sqrt(noise * noise + kNormal95 * kNormal95 * greenwood[j]);
    const double survival = std::clamp(-falling[j], 0.0, 1.0);
    points[j].survival = survival;
    points[j].noise_95 = std::min(1.0, survival * std::expm1(noise));
    points[j].low = survival * std::exp(-both);
    points[j].high = std::min(1.0, survival * std::exp(both));
  }
  return points;
}

Result<std::unique_ptr<Survival>> Survival::Make(const SurvivalOptions& options, const Policy& policy) {
  if (const auto error = WrongOptions(options)) return *error;
  const auto from = OneRowEach(options.from, policy);
  if (!from) return from.error();
  auto question = AskFor(SqlOf(options, *from), options.by.empty() ? 1 : 2, 2, policy);
  if (!question) return question.error();
  const GroupKey& steps = question->plan.keys.back();
  if (steps.values.size() > SurvivalOptions::kMaxSteps) {
    return InvalidArgument(fmt::format("there are more than {} steps of time", SurvivalOptions::kMaxSteps), {},
                           "make steps longer: each has noise of its own, and many short ones add more of it up")
        .For("survival.step");
  }
  for (const Value& step : steps.values) {
    const auto number = NumberIn(step);
    if (number && *number < 0) {
      return InvalidArgument("the time could be below 0", {},
                             "declare a lower bound of 0, or cut it: greatest(time, 0)")
          .For("survival.time");
    }
  }
  return std::unique_ptr<Survival>(new Survival(options, std::move(*question)));
}

std::string Survival::Method() const {
  return fmt::format(
      "then, free of charge: the Kaplan-Meier curve of the noisy counts, in steps of {}; within a step events come "
      "before "
      "what is censored",
      SqlNumber(options_.step));
}

Findings Survival::Conclude(const NoisyTable& table) const {
  Findings out;
  const bool grouped = table.keys == 2;
  if (grouped) out.columns.push_back(options_.by);
  for (const char* name : {"time", "at_risk", "events", "censored", "survival", "low_95", "high_95"})
    out.columns.emplace_back(name);
  const double events_95 = BarOfVariance(table.laws[0].Variance()),
               censored_95 = BarOfVariance(table.laws[1].Variance());
  json medians = json::array();
  bool short_of_people = false;
  for (const Curve& curve : CurvesOf(table)) {
    std::vector<SurvivalStep> steps;
    std::vector<double> times;
    for (const auto& [number, row] : curve.steps) {
      steps.push_back({table.Number(row, 0), table.Number(row, 1)});
      times.push_back((number + 1) * options_.step);
    }
    const std::vector<SurvivalPoint> points = SurvivalCurve(steps, table.laws[0], table.laws[1]);
    for (std::size_t j = 0; j < points.size(); ++j) {
      const SurvivalPoint& point = points[j];
      FindingsRow row;
      if (grouped) row.AddKey(curve.group);
      row.Add(times[j]).Add(point.at_risk, point.at_risk_95);
      row.Add(steps[j].events, events_95).Add(steps[j].censored, censored_95);
      row.Add(point.survival ? std::optional(Nearest(*point.survival)) : std::nullopt, Up(point.noise_95));
      short_of_people = short_of_people || !point.survival;
      for (const double end : {Down(point.low), Up(point.high)})
        row.Add(point.survival ? std::optional(end) : std::nullopt);
      std::move(row).Into(out);
    }
    const auto median = FirstHalf(points, times, [](const SurvivalPoint& p) { return *p.survival; });
    const auto low = FirstHalf(points, times, [](const SurvivalPoint& p) { return p.low; });
    const auto high = FirstHalf(points, times, [](const SurvivalPoint& p) { return p.high; });
    medians.push_back({{"group", ValueToJson(curve.group)},
                       {"median", OrNull(median)},
                       {"low_95", OrNull(low)},
                       {"high_95", OrNull(high)}});
    const std::string whose = grouped ? fmt::format("{} = {}: ", options_.by, ToText(curve.group)) : std::string();
    const auto text = [&](const std::optional<double>& time) {
      return time ? SqlNumber(*time) : std::string("later than the curve reaches");
    };
    out.notes.push_back({NoteKind::kFinding, fmt::format("{}half are left at {}; with 95 % between {} and {}", whose,
                                                         text(median), text(low), text(high))});
  }
  out.notes.push_back(
      {NoteKind::kAccuracy,
       "survival: its bar is how far noise may have moved it from the curve of the same units without noise, at one "
       "time with 95 %, to first order in the noise; low_95 to high_95 covers noise and sampling together (Greenwood's "
       "variance of noisy counts beside it), at one time and not for the whole curve at once"});
  out.notes.push_back(
      {NoteKind::kMethod,
       "events and censored units are counted in steps: whoever is censored in a step counts as at risk "
       "in all of it, and the curve falls at the end of a step"});
  if (short_of_people) {
    out.notes.push_back(
        {NoteKind::kAccuracy,
         "no survival from the step on in which noise may be half of those still at risk: longer steps, "
         "fewer groups or a larger epsilon reach further"});
  }
  out.claims = {"SURVIVAL-1"};
  out.details = JsonValue(json{{"survival", {{"step", options_.step}, {"medians", std::move(medians)}}}});
  return out;
}

}  // namespace kith
