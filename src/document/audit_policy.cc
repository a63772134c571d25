// What a policy's history gives away.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "document/audits.h"
#include "document/to_json.h"
#include "loss/loss_text.h"

namespace kith::document {
namespace {

using audit::Place;
using audit::Reading;
using audit::StratumLeak;
using nlohmann::json;

/// A loss or a number of bits of everything that was released: none once true records have been released.
json OfEverything(const PolicyAudit& report, double value) {
  return report.guarantee.one_sided.empty() ? NumberToJson(value) : json();
}

/// "dependent loss 0.5, of 1 allowed"; of a metric unit with the moves that it is about.
std::string DependentText(const PolicyAudit& report, double loss) {
  if (!report.distance)
    return fmt::format("dependent loss {}, of {} allowed", LossText(loss), LeftText(report.epsilon_total));
  return fmt::format("dependent loss {}, of {} allowed, for moves of {}; {} for any change within the region",
                     LossText(loss), LeftText(report.epsilon_total), report.distance->Length(report.distance->delta),
                     BitsText(report.AnyChange(loss)));
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
  const StratumLeak& worst = *WorstStrata(report).front();
  std::string text = report.guarantee.one_sided.empty() ? "" : "Noisy answers alone: ";
  const char* what = report.stay.empty() ? "answer" : "charge";
  const std::string about = "any unit" + (report.stay.empty() ? "" : " " + report.stay);
  if (std::isfinite(worst.bits_now)) {
    text += fmt::format("{} {}{} {} {} bits about {}", report.answers, what,
                        report.answers == 1 ? " so far reveals" : "s so far reveal",
                        report.guarantee.unproven.empty() ? "at most" : "by an unproven formula",
                        LossText(worst.bits_now), about);
  } else {
    text += fmt::format("{} {}{} so far: no bound in bits about {}", report.answers, what,
                        report.answers == 1 ? "" : "s", about);
  }
  text += fmt::format(" ({})", DependentText(report, worst.dependent_now));
  if (report.epsilon) {
    text += fmt::format("; one more at epsilon {} makes it {} bits (loss {})", LossText(*report.epsilon),
                        BitsText(worst.bits_after), LossText(worst.dependent_after));
    if (worst.dependent_after > report.epsilon_total) text += ", which is more than the policy allows";
  }
  text += ".";
  if (!report.guarantee.one_sided.empty()) text += " With the records that have been released, there is no bound.";
  return text;
}

json ToJson(const PolicyAudit& report) {
  json out = {{"policy", report.file},          {"epsilon_total", report.epsilon_total},
              {"answers", report.answers},      {"assumes", report.leak.assumes},
              {"more_plain", report.leak.more}, {"strata", json::array()},
              {"places", json::array()},        {"verdict", Verdict(report)}};
  if (report.epsilon) out["epsilon"] = *report.epsilon;
  if (!report.guarantee.unproven.empty()) out["unproven"] = report.guarantee.unproven;
  if (!report.guarantee.one_sided.empty()) out["one_sided_warning"] = report.guarantee.one_sided;
  if (!report.stay.empty()) out["about"] = "a unit " + report.stay;
  if (report.distance) {
    out["moves"] = {{"meaning", report.guarantee.moves}, {"any_change", NumberToJson(report.steps)}};
  }
  for (const StratumLeak& s : report.leak.strata) {
    json row = {{"name", s.stratum.name},
                {"plain", s.stratum.plain},
                {"dependent", OfEverything(report, s.dependent_now)},
                {"dependent_after", OfEverything(report, s.dependent_after)},
                {"bits", OfEverything(report, s.bits_now)},
                {"bits_after", OfEverything(report, s.bits_after)},
                {"readings", json::array()}};
    json* readings = &row["readings"];
    if (!report.guarantee.one_sided.empty()) {
      row["noisy_answers_alone"] = {{"dependent", NumberToJson(s.dependent_now)},
                                    {"dependent_after", NumberToJson(s.dependent_after)},
                                    {"bits", NumberToJson(s.bits_now)},
                                    {"bits_after", NumberToJson(s.bits_after)},
                                    {"readings", json::array()}};
      readings = &row["noisy_answers_alone"]["readings"];
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
    out["places"].push_back({{"shape", place.shape},
                             {"units", place.units > 0 ? json(place.units) : json()},
                             {"now", OfEverything(report, place.now)},
                             {"after", OfEverything(report, place.after)}});
  }
  return out;
}

}  // namespace kith::document
