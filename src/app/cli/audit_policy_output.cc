// What a policy's history gives away, for people and programs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/cli/audit_output.h"
#include "app/cli/text.h"
#include "app/report/chart.h"
#include "app/report/page.h"

namespace kith::cli::audit_verb {

using audit::Place;
using audit::Reading;
using audit::StratumLeak;

nlohmann::json FiniteOrText(double value) {
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json("inf");
}

/// The strata that lose most, first.
std::vector<const StratumLeak*> WorstStrata(const PolicyReport& report) {
  std::vector<const StratumLeak*> strata;
  for (const StratumLeak& stratum : report.leak.strata) strata.push_back(&stratum);
  std::stable_sort(strata.begin(), strata.end(), [](const StratumLeak* a, const StratumLeak* b) {
    return a->dependent_after > b->dependent_after ||
           (a->dependent_after == b->dependent_after && a->dependent_now > b->dependent_now);
  });
  return strata;
}

std::string Verdict(const PolicyReport& report) {
  const StratumLeak& worst = *WorstStrata(report).front();
  std::string text =
      fmt::format("{} so far {} {} bits about any unit (dependent loss {}, of {} allowed)",
                  report.answers == 1 ? "1 answer tells" : fmt::format("{} answers tell", report.answers),
                  report.leak.unproven.empty() ? "at most" : "by an unproven formula", Short(worst.bits_now),
                  Short(worst.dependent_now), Short(report.epsilon_total));
  if (report.epsilon) {
    text += fmt::format("; one more at epsilon {} makes it {} bits (loss {})", Short(*report.epsilon),
                        Short(worst.bits_after), Short(worst.dependent_after));
    if (worst.dependent_after > report.epsilon_total) text += ", which is more than the policy allows";
  }
  return text + ".";
}

std::vector<std::string> WithAfter(const PolicyReport& report, std::vector<std::string> row, std::string after,
                                   std::size_t at) {
  if (report.epsilon) row.insert(row.begin() + static_cast<std::ptrdiff_t>(at), std::move(after));
  return row;
}

std::string Standing(const Reading& reading) {
  return reading.theorem ? reading.adversary : "not proved for this dependence";
}

constexpr char kSmallestCounts[] = "Plain ignores dependence. Of the proved readings below it the smallest counts.";

/// Groups are declared by their size: how many there are is not known to the model, and no row is read to find out.
bool UnitsKnown(const PolicyReport& report) {
  const auto& places = report.leak.places;
  return std::any_of(places.begin(), places.end(), [](const Place& place) { return place.units > 0; });
}

/// One row about places: shape, units (if known for any place), the rest.
std::vector<std::string> PlaceRow(const PolicyReport& report, const std::string& shape, const std::string& units,
                                  std::vector<std::string> rest) {
  std::vector<std::string> row = {shape};
  if (UnitsKnown(report)) row.push_back(units);
  row.insert(row.end(), rest.begin(), rest.end());
  return row;
}

std::string UnitsText(const Place& place) { return place.units > 0 ? fmt::format("{}", place.units) : "-"; }

std::string Text(const PolicyReport& report, std::size_t width) {
  constexpr std::size_t kShown = 10;
  const auto strata = WorstStrata(report);
  TextTable table(WithAfter(report, {"stratum", "plain", "dependent", "bits"}, "after", 3));
  for (std::size_t k = 0; k < std::min(kShown, strata.size()); ++k) {
    const StratumLeak& s = *strata[k];
    table.Add(WithAfter(report, {s.stratum.name, Short(s.stratum.plain), Short(s.dependent_now), Short(s.bits_now)},
                        Short(s.dependent_after), 3));
  }
  std::string text = report.leak.unproven.empty() ? "" : Wrap(report.leak.unproven, width, 0) + "\n\n";
  text += table.Render(width);
  if (strata.size() > kShown)
    text += fmt::format("... and {} more, none worse (--json lists all)\n", strata.size() - kShown);
  text += fmt::format("\nHow the history reads for {}:\n", strata[0]->stratum.name);
  TextTable readings(WithAfter(report, {"reading", "now", "against"}, "after", 2));
  for (const Reading& reading : strata[0]->readings) {
    readings.Add(WithAfter(report, {reading.name, Short(reading.now), Standing(reading)}, Short(reading.after), 2));
  }
  text += readings.Render(width) + kSmallestCounts + "\n";
  if (!report.leak.places.empty()) {
    text += "\nWhere units stand worst:\n";
    const auto rest = [&report](const std::string& now, const std::string& after) {
      return WithAfter(report, {now}, after, 1);
    };
    TextTable places(PlaceRow(report, "shape", "units", rest("now", "after")));
    for (const Place& place : report.leak.places) {
      places.Add(PlaceRow(report, place.shape, UnitsText(place), rest(Short(place.now), Short(place.after))));
    }
    text += places.Render(width);
  }
  // The table cuts long adversaries: the one of the reading that counts, in full.
  const Reading* smallest = nullptr;
  for (const Reading& reading : strata[0]->readings) {
    if (reading.name == "plain" || !reading.theorem) continue;
    if (smallest == nullptr || reading.now < smallest->now) smallest = &reading;
  }
  text += "\n";
  if (smallest != nullptr) text += Labelled("against", smallest->adversary, width);
  text += Labelled("assuming", report.leak.assumes, width);
  for (std::size_t k = 0; k < report.leak.strata.size(); ++k) {
    if (report.certified[k] <= report.leak.strata[k].dependent_now * 1.001 + 1e-9) continue;
    text += Labelled(
        "note",
        "kith budget states more than this: it rounds up to the next point of a table, or covers a stronger adversary",
        width);
    break;
  }
  return text + "\n" + Wrap(Verdict(report), width, 0) + "\n";
}

std::string Json(const PolicyReport& report) {
  nlohmann::json out = {{"policy", report.file},
                        {"epsilon_total", report.epsilon_total},
                        {"answers", report.answers},
                        {"assumes", report.leak.assumes},
                        {"more_plain", report.leak.more},
                        {"strata", nlohmann::json::array()},
                        {"places", nlohmann::json::array()},
                        {"verdict", Verdict(report)}};
  if (report.epsilon) out["epsilon"] = *report.epsilon;
  if (!report.leak.unproven.empty()) out["unproven"] = report.leak.unproven;
  for (std::size_t k = 0; k < report.leak.strata.size(); ++k) {
    const StratumLeak& s = report.leak.strata[k];
    nlohmann::json row = {{"name", s.stratum.name},
                          {"plain", s.stratum.plain},
                          {"dependent", FiniteOrText(s.dependent_now)},
                          {"dependent_after", FiniteOrText(s.dependent_after)},
                          {"bits", FiniteOrText(s.bits_now)},
                          {"bits_after", FiniteOrText(s.bits_after)},
                          {"certified", FiniteOrText(report.certified[k])},
                          {"readings", nlohmann::json::array()}};
    for (const Reading& r : s.readings) {
      row["readings"].push_back({{"name", r.name},
                                 {"now", FiniteOrText(r.now)},
                                 {"after", FiniteOrText(r.after)},
                                 {"adversary", r.adversary},
                                 {"theorem", r.theorem}});
    }
    out["strata"].push_back(std::move(row));
  }
  for (const Place& place : report.leak.places) {
    out["places"].push_back({{"shape", place.shape},
                             {"units", place.units > 0 ? nlohmann::json(place.units) : nlohmann::json()},
                             {"now", FiniteOrText(place.now)},
                             {"after", FiniteOrText(place.after)}});
  }
  return out.dump() + "\n";
}

std::string Page(const PolicyReport& report, const std::string& command) {
  const auto strata = WorstStrata(report);
  report::Page page;
  page.title = "What the answers so far give away";
  page.question = fmt::format(
      "How much can somebody who knows how records depend on each other ({}) learn about one unit?", report.dependence);
  page.verdict = (report.leak.unproven.empty() ? "" : report.leak.unproven + " ") + Verdict(report);
  const double after = strata[0]->dependent_after;
  page.tone = after > report.epsilon_total         ? report::Page::Tone::kBad
              : after > 0.8 * report.epsilon_total ? report::Page::Tone::kWarning
                                                   : report::Page::Tone::kGood;
  report::BarChart chart{"One history, every reading", "loss", {}, report.epsilon_total, "allowed"};
  report::Table readings{
      "Readings for " + strata[0]->stratum.name, {"reading", "now", "after one more", "against"}, {}};
  for (const Reading& r : strata[0]->readings) {
    chart.bars.push_back({r.name + (r.theorem ? "" : " (not proved)"), r.now, {}, {}});
    readings.rows.push_back({r.name, Short(r.now), Short(r.after), Standing(r)});
  }
  report::Table all{"By stratum", {"stratum", "plain", "dependent", "bits", "dependent after one more"}, {}};
  for (const StratumLeak* s : strata) {
    all.rows.push_back({s->stratum.name, Short(s->stratum.plain), Short(s->dependent_now), Short(s->bits_now),
                        Short(s->dependent_after)});
    if (all.rows.size() == 100) break;
  }
  page.sections.push_back({"Readings", {kSmallestCounts}, {Svg(chart)}, {readings}});
  page.sections.push_back({"Strata", {}, {}, {all}});
  if (!report.leak.places.empty()) {
    report::BarChart shapes{
        "Loss by the shape of the neighbourhood", "dependent loss", {}, report.epsilon_total, "allowed"};
    report::Table places{"Worst placed units", PlaceRow(report, "shape", "units", {"now", "after one more"}), {}};
    for (const Place& place : report.leak.places) {
      shapes.bars.push_back({place.shape, place.now, {}, {}});
      places.rows.push_back(PlaceRow(report, place.shape, UnitsText(place), {Short(place.now), Short(place.after)}));
    }
    page.sections.push_back({"Who is worst placed", {}, {Svg(shapes)}, {places}});
  }
  page.assumptions = {report.leak.assumes, "Other releases about the same people are not counted.",
                      "No row of data was read; groups and links are public."};
  page.reproduce = {command};
  return Html(page);
}

}  // namespace kith::cli::audit_verb
