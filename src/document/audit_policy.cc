// What a policy's history gives away.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/json.h"
#include "document/audits.h"
#include "document/from_json.h"
#include "document/reading.h"
#include "document/to_json.h"
#include "loss/loss_text.h"
#include "release/guarantee_json.h"

namespace kith::document {
namespace {

using audit::Place;
using audit::Reading;
using audit::StratumLeak;
constexpr std::string_view kAbout = "a unit ";

/// A loss or a number of bits of everything that was released: none once true records have been released.
Json OfEverything(const PolicyAudit& report, double value) {
  return report.guarantee.one_sided.empty() ? NumberToJson(value) : Json();
}

/// "dependent loss 0.5, of 1 allowed"; for a metric unit, with the moves that it is about.
std::string DependentText(const PolicyAudit& report, double loss) {
  if (!report.distance)
    return fmt::format("dependent loss {}, of {} allowed", LossText(loss), LeftText(report.epsilon_total));
  return fmt::format("dependent loss {}, of {} allowed, for moves of {}; {} for any change within the region",
                     LossText(loss), LeftText(report.epsilon_total), report.distance->Length(report.distance->delta),
                     BitsText(report.AnyChange(loss)));
}

/// As policies spell it.
std::string MetricWord(DistanceMetric metric) {
  switch (metric) {
    case DistanceMetric::kEuclidean:
      return "euclidean";
    case DistanceMetric::kL1:
      return "l1";
    case DistanceMetric::kGreatCircle:
      return "great-circle";
    case DistanceMetric::kMinutes:
      return "minutes";
    case DistanceMetric::kDays:
      return "days";
  }
  return "";
}

StratumLeak StratumOf(const Json& in, bool alone) {
  const Json& of = alone ? in.at("noisy_answers_alone") : in;
  StratumLeak s;
  s.stratum.name = in.at("name");
  s.stratum.plain = NumberFromJson(in.at("plain"));
  s.dependent_now = NumberFromJson(of.at("dependent"));
  s.dependent_after = NumberFromJson(of.at("dependent_after"));
  if (of.contains("can_happen")) s.reached_now = NumberFromJson(of.at("can_happen"));
  s.bits_now = NumberFromJson(of.at("bits"));
  s.bits_after = NumberFromJson(of.at("bits_after"));
  for (const Json& r : Items(of.at("bounds"))) {
    s.readings.push_back({r.at("name"), NumberFromJson(r.at("now")), NumberFromJson(r.at("after")), r.at("adversary"),
                          r.at("theorem").get<bool>()});
  }
  return s;
}

Place PlaceOf(const Json& in, bool alone) {
  const Json& of = alone ? in.at("noisy_answers_alone") : in;
  const Json& units = in.at("units");
  return {in.at("shape"), units.is_null() ? 0 : CountOf(units), NumberFromJson(of.at("now")),
          NumberFromJson(of.at("after"))};
}

/// The distance, and what it makes of losses.
void ReadMoves(const Json& in, PolicyAudit& report) {
  Distance& distance = report.distance.emplace();
  for (const Json& column : Items(in.at("columns"))) distance.columns.push_back(column);
  distance.metric = OfWord(in.at("metric"),
                           {DistanceMetric::kEuclidean, DistanceMetric::kL1, DistanceMetric::kGreatCircle,
                            DistanceMetric::kMinutes, DistanceMetric::kDays},
                           MetricWord);
  distance.delta = in.at("delta");
  report.steps = NumberFromJson(in.at("any_change"));
  report.any = NumberFromJson(in.at("any_already"));
}

PolicyAudit Read(const Json& in) {
  PolicyAudit report;
  report.file = in.at("policy");
  report.epsilon_total = in.at("epsilon_total");
  report.answers = CountOf(in.at("answers"));
  report.dependence = in.at("dependence");
  report.guarantee = GuaranteeFromJson(in.at("guarantee"));
  report.leak.assumption = in.at("assumption");
  report.leak.unproven = report.guarantee.unproven;
  report.leak.more = NumberFromJson(in.at("more_plain"));
  if (in.contains("epsilon")) report.epsilon = in.at("epsilon").get<double>();
  if (in.contains("about")) {
    const std::string about = in.at("about");
    if (!about.starts_with(kAbout)) RefuseText();
    report.stay = about.substr(kAbout.size());
  }
  if (in.contains("moves")) ReadMoves(in.at("moves"), report);
  const bool alone = !report.guarantee.one_sided.empty();
  (void)in.at("strata").at(0);  // there is no verdict without one
  for (const Json& stratum : Items(in.at("strata"))) {
    report.leak.strata.push_back(StratumOf(stratum, alone));
    report.largest = std::max(report.largest, report.leak.strata.back().dependent_now);
  }
  for (const Json& place : Items(in.at("places"))) report.leak.places.push_back(PlaceOf(place, alone));
  return report;
}

}  // namespace

std::string BitsText(double bits) { return std::isfinite(bits) ? LossText(bits) : "no bound"; }

std::vector<const StratumLeak*> WorstStrata(const PolicyAudit& report) {
  std::vector<const StratumLeak*> strata;
  for (const StratumLeak& stratum : report.leak.strata) strata.push_back(&stratum);
  std::stable_sort(strata.begin(), strata.end(), [](const StratumLeak* a, const StratumLeak* b) {
    return a->dependent_after > b->dependent_after ||
           (a->dependent_after == b->dependent_after && a->dependent_now > b->dependent_now);
  });
  return strata;
}

std::string Verdict(const PolicyAudit& report) {
  const StratumLeak& worst = *WorstStrata(report).front();  // after one more answer; another may be the worst now
  double bits = 0;
  for (const StratumLeak& stratum : report.leak.strata) bits = std::max(bits, stratum.bits_now);
  std::string text = report.guarantee.one_sided.empty() ? "" : "Noisy answers alone: ";
  const char* what = report.stay.empty() ? "answer" : "charge";
  const std::string about = "any unit" + (report.stay.empty() ? "" : " " + report.stay);
  if (std::isfinite(bits)) {
    text +=
        fmt::format("{} {}{} {} {} bits about {}", report.answers, what,
                    report.answers == 1 ? " so far reveals" : "s so far reveal",
                    report.guarantee.unproven.empty() ? "at most" : "by an unproven formula", LossText(bits), about);
  } else {
    text += fmt::format("{} {}{} so far: no bound in bits about {}", report.answers, what,
                        report.answers == 1 ? "" : "s", about);
  }
  text += fmt::format(" ({})", DependentText(report, report.largest));
  if (report.epsilon) {
    text += fmt::format("; one more at epsilon {} makes it {} bits (loss {})", LossText(*report.epsilon),
                        BitsText(worst.bits_after), LossText(worst.dependent_after));
    if (worst.dependent_after > report.epsilon_total) text += ", which is more than the policy allows";
  }
  text += ".";
  if (!report.guarantee.one_sided.empty()) text += " With the records that have been released, there is no bound.";
  return text;
}

Json ToJson(const PolicyAudit& report) {
  const bool alone = !report.guarantee.one_sided.empty();  // no loss of everything that was released has a bound
  Json out = {{"policy", report.file},
              {"epsilon_total", report.epsilon_total},
              {"answers", report.answers},
              {"dependence", report.dependence},
              {"guarantee", ToJson(report.guarantee)},
              {"assumption", report.leak.assumption},
              {"more_plain", report.leak.more},
              {"strata", Json::array()},
              {"places", Json::array()},
              {"verdict", Verdict(report)}};
  if (report.epsilon) out["epsilon"] = *report.epsilon;
  if (!report.guarantee.unproven.empty()) out["unproven"] = report.guarantee.unproven;
  if (alone) out["one_sided_warning"] = report.guarantee.one_sided;
  if (!report.stay.empty()) out["about"] = std::string(kAbout) + report.stay;
  if (report.distance) {
    out["moves"] = {{"meaning", report.guarantee.moves},
                    {"any_change", NumberToJson(report.steps)},
                    {"any_already", NumberToJson(report.any)},
                    {"columns", report.distance->columns},
                    {"metric", MetricWord(report.distance->metric)},
                    {"delta", report.distance->delta}};
  }
  for (const StratumLeak& s : report.leak.strata) {
    Json row = {{"name", s.stratum.name},
                {"plain", s.stratum.plain},
                {"dependent", OfEverything(report, s.dependent_now)},
                {"dependent_after", OfEverything(report, s.dependent_after)},
                {"bits", OfEverything(report, s.bits_now)},
                {"bits_after", OfEverything(report, s.bits_after)},
                {"bounds", Json::array()}};
    if (s.reached_now && !alone) row["can_happen"] = NumberToJson(*s.reached_now);
    Json* readings = &row["bounds"];
    if (alone) {
      row["noisy_answers_alone"] = {{"dependent", NumberToJson(s.dependent_now)},
                                    {"dependent_after", NumberToJson(s.dependent_after)},
                                    {"bits", NumberToJson(s.bits_now)},
                                    {"bits_after", NumberToJson(s.bits_after)},
                                    {"bounds", Json::array()}};
      readings = &row["noisy_answers_alone"]["bounds"];
    }
    for (const Reading& r : s.readings) {
      readings->push_back({{"name", r.name},
                           {"now", NumberToJson(r.now)},
                           {"after", NumberToJson(r.after)},
                           {"adversary", r.adversary},
                           {"theorem", r.theorem}});
    }
    out["strata"].push_back(std::move(row));
  }
  for (const Place& place : report.leak.places) {
    Json row = {{"shape", place.shape},
                {"units", place.units > 0 ? Json(place.units) : Json()},
                {"now", OfEverything(report, place.now)},
                {"after", OfEverything(report, place.after)}};
    if (alone) row["noisy_answers_alone"] = {{"now", NumberToJson(place.now)}, {"after", NumberToJson(place.after)}};
    out["places"].push_back(std::move(row));
  }
  return out;
}

Result<PolicyAudit> PolicyAuditFrom(const Json& in) { return ReadDocument("an audit of a policy", in, Read); }

}  // namespace kith::document
