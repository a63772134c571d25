#include "analysis/derived/survival.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/derived/hazard.h"
#include "analysis/points/isotonic.h"
#include "base/json.h"

namespace kith {
namespace {

constexpr double kNormal95 = 1.959963984540054;

std::optional<Error> WrongOptions(const SurvivalOptions& options) {
  if (!(options.step > 0) || !std::isfinite(options.step))
    return InvalidArgument("a step of time is a number above 0", {}, "such as 30 where time is in days")
        .For("survival.step");
  if (auto one = IsOnePart(options.time, "the time"); !one) return one.error();
  if (auto one = IsOnePart(options.event, "the event"); !one) return one.error();
  if (!options.by.empty()) {
    if (auto one = IsOnePart(options.by, "what to group by"); !one) return one.error();
  }
  if (!options.compare.empty()) {
    if (auto one = IsOnePart(options.compare, "what to compare"); !one) return one.error();
    if (!options.by.empty())
      return InvalidArgument("curves are drawn by one column, and either compared or not", {},
                             "name the groups that are to be compared, and nothing else to group by")
          .For("survival.compare");
  }
  if (!options.where.empty()) {
    if (auto one = IsOnePart(options.where, "the condition"); !one) return one.error();
  }
  return std::nullopt;
}

/// `below`: the time could be below 0, and those units are left out.
std::string SqlOf(const SurvivalOptions& options, const std::string& from, bool below) {
  const std::string& groups = options.groups();
  const std::string by = groups.empty() ? "" : fmt::format("({}) AS part, ", groups);
  const std::string where = options.where.empty() ? "" : fmt::format(" AND ({})", options.where);
  return fmt::format(
      "SELECT {}floor(({}) / {}) AS step, count(*) FILTER (WHERE ({})) AS events, count(*) FILTER (WHERE NOT ({})) AS "
      "censored FROM {} WHERE ({}) {} AND ({}) IS NOT NULL{} GROUP BY {}",
      by, options.time, SqlNumber(options.step), options.event, options.event, from, options.time,
      below ? ">= 0" : "IS NOT NULL", options.event, where, groups.empty() ? "1" : "1, 2");
}

/// How many steps of time there are from 0 on, or before.
std::size_t StepsOf(const Plan& plan, bool from_0) {
  const std::vector<Value>& values = plan.keys.back().values;
  return static_cast<std::size_t>(std::count_if(values.begin(), values.end(), [&](const Value& value) {
    const auto number = NumberIn(value);
    return number && (*number >= 0) == from_0;
  }));
}

/// One curve: which group it is for, and the rows of its steps in the order of time.
struct Curve {
  Value group;
  std::vector<std::pair<double, std::size_t>> steps;  // number of the step, row
};

std::vector<Curve> CurvesOf(const NoisyTable& table) {
  std::vector<Curve> curves;
  const bool grouped = table.keys == 2;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const auto step = NumberIn(table.Key(r, table.keys - 1));
    if (!step || *step < 0) continue;  // left empty by the condition, as the group of NULL is
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

Value NumberValue(double number) {
  if (number == std::floor(number) && std::fabs(number) < 1e15) return static_cast<std::int64_t>(number);
  return number;
}

/// When half are left, with the ends of its interval; `end`: where the curve ends, 0 if there is none.
std::string MedianText(const std::optional<double>& median, const std::optional<double>& low,
                       const std::optional<double>& high, double end) {
  if (end == 0) return "no curve";
  const auto until = high ? fmt::format("and {}", SqlNumber(*high)) : std::string("and a time beyond the curve");
  if (median)
    return fmt::format("half are left at {}; with 95 % between {} {}", SqlNumber(*median), SqlNumber(*low), until);
  const std::string more = fmt::format("more than half are left where the curve ends, at {}", SqlNumber(end));
  return low ? fmt::format("{}; with 95 % half are left between {} {}", more, SqlNumber(*low), until) : more;
}

/// A point of one curve. Ends are those of the logarithm.
struct CurvePoint {
  double survival = 0;
  double noise = 0, both = 0;  // 95 % bars of its logarithm: of the noise, and with sampling

  double low() const { return survival * std::exp(-both); }
  double high() const { return survival * std::exp(both); }
};

/// The curve that results if this share of those censored in a step leave at its beginning, and the others at its end;
/// up to the step in which too few are left.
std::vector<CurvePoint> CurveFor(double early, const std::vector<SurvivalStep>& steps,
                                 const std::vector<SurvivalPoint>& risk, const NoiseDistribution& events,
                                 const NoiseDistribution& censored) {
  const std::size_t m = steps.size();
  const double var_d = events.Variance(), var_c = censored.Variance();
  // With A_i = n_i - early c_i, ln S_j is the sum over i <= j of ln(A_i - d_i) - ln A_i, where n_i counts all events
  // and censored from step i on. own[i] = 1 / (A_i - d_i) - 1 / A_i; before[i] is the sum of those before step i: the
  // derivative by a count of step i or later, through the steps before.
  std::vector<double> own, before = {0}, per_event, raw, greenwood;
  double product = 1, sampling = 0;
  for (std::size_t i = 0; i < m; ++i) {
    const double n = risk[i].at_risk, d = steps[i].events, exposed = n - early * steps[i].censored, left = exposed - d;
    if (n <= 2 * risk[i].at_risk_95 || n < 1 || exposed <= 0 || left <= 0) break;
    // All censored at the beginning: those who are left are those of the next step.
    if (early == 1 && (i + 1 == m || left <= 2 * risk[i + 1].at_risk_95 || left < 1)) break;
    product *= left / exposed;
    sampling += std::max(d, 0.0) / (exposed * left);
    own.push_back(1 / left - 1 / exposed);
    before.push_back(before.back() + own.back());
    per_event.push_back(1 / exposed);
    raw.push_back(-product);
    greenwood.push_back(sampling);
  }
  const std::vector<double> falling = points::Isotonic(raw);
  std::vector<CurvePoint> curve(raw.size());
  for (std::size_t j = 0; j < curve.size(); ++j) {
    double variance = 0, largest = 0;
    for (std::size_t k = 0; k < m; ++k) {
      const double by_event = k <= j ? before[k] - per_event[k] : before[j + 1];
      const double by_censored = k <= j ? before[k] + (1 - early) * own[k] : before[j + 1];
      variance += by_event * by_event * var_d + by_censored * by_censored * var_c;
      largest = std::max({largest, std::fabs(by_event) * events.step, std::fabs(by_censored) * censored.step});
    }
    curve[j].survival = std::clamp(-falling[j], 0.0, 1.0);
    // The curve is made to fall: how far that has moved it is added, since a noisy step may have moved a precise one.
    const double moved = std::fabs(std::log(curve[j].survival) - std::log(std::clamp(-raw[j], 0.0, 1.0)));
    curve[j].noise = BarOfWeightedSum(variance, largest) + (std::isnan(moved) ? 0.0 : moved);
    curve[j].both = std::sqrt(curve[j].noise * curve[j].noise + kNormal95 * kNormal95 * greenwood[j]);
  }
  return curve;
}

/// A group whose hazard is compared.
struct Compared {
  Value group;
  std::vector<SurvivalStep> steps;
  std::vector<double> times;  // the ends of the steps
};

/// The ratio of the hazards of the second group and the first, as notes; for programs, the same as JSON: null if there
/// is none.
Json AddRatio(const SurvivalOptions& options, const std::vector<Compared>& groups,
              const std::vector<NoiseDistribution>& laws, Findings& out) {
  std::optional<HazardRatio> found;
  // A step that one of the groups cannot have, by declaration, is not among its rows.
  if (groups.size() == 2 && groups[0].times == groups[1].times)
    found = CompareHazards(groups[0].steps, groups[1].steps, laws[0], laws[1]);
  if (!found) {
    out.notes.push_back({NoteKind::kAccuracy,
                         "no hazard ratio: noise may be half of those at risk at the beginning, or of the events of a "
                         "group; longer steps or a larger epsilon help"});
    return nullptr;
  }
  const double until = groups[0].times[found->steps - 1];
  const std::string second = fmt::format("{} = {}", options.compare, ToText(groups[1].group));
  out.notes.push_back(
      {NoteKind::kFinding,
       fmt::format(
           "hazard ratio of {} against {}: {} ± {} for the noise; with sampling between {} and {} (95 %), up to "
           "time {}",
           second, ToText(groups[0].group), SqlNumber(Nearest(found->ratio)), SqlNumber(Up(found->noise_95)),
           SqlNumber(Down(found->low)), SqlNumber(Up(found->high)), SqlNumber(until))});
  out.notes.push_back(
      {NoteKind::kMethod,
       "hazard ratio: events per time at risk of one group over those of the other, taken together over the steps by "
       "Mantel and Haenszel's weights, with half of those censored in a step exposed in it; its bar is how far noise "
       "may "
       "have moved it from the same estimate without noise, to first order in the noise; the interval adds sampling, "
       "and is one of the population if the ratio is the same at all times, if units are independent and if censoring "
       "has nothing to do with the event"});
  out.claims.emplace_back("HAZARD-1");
  return {{"of", ValueToJson(groups[1].group)},
          {"against", ValueToJson(groups[0].group)},
          {"ratio", Nearest(found->ratio)},
          {"error_95", Up(found->noise_95)},
          {"low_95", Down(found->low)},
          {"high_95", Up(found->high)},
          {"until", until}};
}

Json OrNull(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

}  // namespace

std::vector<SurvivalPoint> SurvivalCurve(const std::vector<SurvivalStep>& steps, const NoiseDistribution& events,
                                         const NoiseDistribution& censored) {
  const std::size_t m = steps.size();
  const double both = events.Variance() + censored.Variance(), step = std::max(events.step, censored.step);
  std::vector<SurvivalPoint> points(m);
  double at_risk = 0;
  for (std::size_t i = m; i-- > 0;) {
    at_risk += steps[i].events + steps[i].censored;
    points[i].at_risk = at_risk;
    points[i].at_risk_95 = BarOfWholeSum(static_cast<double>(m - i) * both, step);
  }
  const auto middle = CurveFor(0.5, steps, points, events, censored);
  // Whenever in their steps units were censored, the curve of the exact times is between these two.
  const auto early = CurveFor(1, steps, points, events, censored);
  const auto late = CurveFor(0, steps, points, events, censored);
  double high = 1;
  for (std::size_t j = 0; j < middle.size(); ++j) {
    points[j].survival = middle[j].survival;
    points[j].noise_95 = std::min(1.0, middle[j].survival * std::expm1(middle[j].noise));
    // Where too few are left after a step, all who were not censored in it may have had the event.
    points[j].low = j < early.size() ? std::min(early[j].low(), middle[j].survival) : 0;
    if (j < late.size()) high = std::min(high, late[j].high());
    points[j].high = std::max({high, j < early.size() ? std::min(1.0, early[j].high()) : 0, middle[j].survival});
    if (j < late.size()) points[j].low = std::min(points[j].low, late[j].low());
  }
  return points;
}

Result<std::unique_ptr<Survival>> Survival::Make(const SurvivalOptions& options, const Policy& policy) {
  if (const auto error = WrongOptions(options)) return *error;
  const auto from = OneRowEach(options.from, policy);
  if (!from) return from.error();
  const std::size_t keys = options.groups().empty() ? 1 : 2;
  auto question = AskFor(SqlOf(options, *from, false), keys, 2, policy);
  if (!question) return question.error();
  if (!options.compare.empty()) {
    const std::vector<Value>& values = question->plan.keys.front().values;
    if (std::count_if(values.begin(), values.end(), [](const Value& v) { return !std::holds_alternative<Null>(v); }) !=
        2) {
      return InvalidArgument("hazards of two groups are compared, and there are not two here", {},
                             "name a column with two declared values, or a condition that is true for one group")
          .For("survival.compare");
    }
  }
  const bool below = StepsOf(question->plan, false) > 0;
  const std::size_t steps = StepsOf(question->plan, true);
  if (steps == 0) {
    return InvalidArgument("the time is always below 0", {},
                           "write an expression that counts from the start, such as days since diagnosis")
        .For("survival.time");
  }
  if (steps > SurvivalOptions::kMaxSteps) {
    return InvalidArgument(fmt::format("there are more than {} steps of time", SurvivalOptions::kMaxSteps), {},
                           "make steps longer: each has noise of its own, and many short ones add more of it up")
        .For("survival.step");
  }
  if (below) question = AskFor(SqlOf(options, *from, true), keys, 2, policy);
  if (!question) return question.error();
  return std::unique_ptr<Survival>(new Survival(options, std::move(*question), below));
}

std::string Survival::Method() const {
  return fmt::format(
      "then, free of charge: the Kaplan-Meier curve of the noisy counts, in steps of {}; half of those censored in a "
      "step count as at risk in it, and the band holds whenever in the step they were censored{}{}",
      SqlNumber(options_.step),
      options_.compare.empty() ? "" : "; the ratio of the two hazards (Mantel-Haenszel, over the steps of time)",
      below_ ? "; units whose time is below 0 are left out" : "");
}

Findings Survival::Conclude(const NoisyTable& table) const {
  Findings out;
  const bool grouped = table.keys == 2;
  if (grouped) out.columns.push_back(options_.groups());
  for (const char* name : {"time", "at_risk", "events", "censored", "survival", "low_95", "high_95"})
    out.columns.emplace_back(name);
  const double events_95 = table.laws[0].Bar95(), censored_95 = table.laws[1].Bar95();
  Json medians = Json::array();
  std::vector<Compared> compared;
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
      row.AddKey(NumberValue(times[j])).Add(point.at_risk, point.at_risk_95);
      row.Add(steps[j].events, events_95).Add(steps[j].censored, censored_95);
      row.Add(point.survival ? std::optional(Nearest(*point.survival)) : std::nullopt, Up(point.noise_95));
      short_of_people = short_of_people || !point.survival;
      for (const double end : {Down(point.low), Up(point.high)})
        row.Add(point.survival ? std::optional(end) : std::nullopt);
      std::move(row).Into(out);
    }
    if (!options_.compare.empty() && !std::holds_alternative<Null>(curve.group))
      compared.push_back({curve.group, steps, times});
    const auto median = FirstHalf(points, times, [](const SurvivalPoint& p) { return *p.survival; });
    const auto low = FirstHalf(points, times, [](const SurvivalPoint& p) { return p.low; });
    const auto high = FirstHalf(points, times, [](const SurvivalPoint& p) { return p.high; });
    medians.push_back({{"group", ValueToJson(curve.group)},
                       {"median", OrNull(median)},
                       {"low_95", OrNull(low)},
                       {"high_95", OrNull(high)}});
    const std::string whose =
        grouped ? fmt::format("{} = {}: ", options_.groups(), ToText(curve.group)) : std::string();
    double end = 0;
    for (std::size_t j = 0; j < points.size() && points[j].survival; ++j) end = times[j];
    out.notes.push_back({NoteKind::kFinding, fmt::format("{}{}", whose, MedianText(median, low, high, end))});
  }
  Json survival{{"step", options_.step}, {"medians", std::move(medians)}};
  if (!options_.compare.empty()) survival["hazard_ratio"] = AddRatio(options_, compared, table.laws, out);
  out.notes.push_back(
      {NoteKind::kMethod,
       "survival: events and censored units are counted in steps, and half of those censored in a step count as at "
       "risk in it (the actuarial estimate); its bar is how far noise may have moved it from the same estimate without "
       "noise, at one time with 95 %, to first order in the noise, and says nothing of when in a step units were "
       "censored"});
  out.notes.push_back(
      {NoteKind::kAccuracy,
       "low_95 to high_95: from the curve with all censored at the beginning of their steps to the one with all "
       "censored at the end, each widened by noise and sampling (Greenwood's variance of noisy counts); it covers the "
       "Kaplan-Meier curve of the exact times, at one time and not for the whole curve at once, if censoring has "
       "nothing to do with the event; where it is wide beside the bar, shorter steps help"});
  if (below_)
    out.notes.push_back({NoteKind::kLeftOut, "units whose time is below 0 are left out, and so are those without one"});
  if (short_of_people) {
    out.notes.push_back(
        {NoteKind::kAccuracy,
         "no survival from the step on in which noise may be half of those still at risk: longer steps, "
         "fewer groups or a larger epsilon reach further"});
  }
  out.claims.emplace_back("SURVIVAL-1");
  out.details = JsonValue(Json{{"survival", std::move(survival)}});
  return out;
}

}  // namespace kith
