// What a policy's history gives away, for people and programs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/cli/audit_output.h"
#include "app/cli/text.h"
#include "loss/loss_text.h"
#include "report/chart.h"
#include "report/page.h"

namespace kith::cli::audit_verb {

using audit::Place;
using audit::Reading;
using audit::StratumLeak;

nlohmann::json FiniteOrText(double value) {
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json("inf");
}

constexpr char kAlone[] = "noisy answers alone";

/// A loss or a number of bits of everything that was released: none once true records have been released.
nlohmann::json OfEverything(const PolicyReport& report, double value) {
  return report.guarantee.one_sided.empty() ? FiniteOrText(value) : nlohmann::json();
}

std::string BitsText(double bits) { return std::isfinite(bits) ? LossText(bits) : "no bound"; }

/// "dependent loss 0.5, of 1 allowed"; of a metric unit with the moves that it is about.
std::string DependentText(const PolicyReport& report, double loss) {
  if (!report.distance)
    return fmt::format("dependent loss {}, of {} allowed", LossText(loss), LeftText(report.epsilon_total));
  return fmt::format("dependent loss {}, of {} allowed, for moves of {}; {} for any change within the region",
                     LossText(loss), LeftText(report.epsilon_total), report.distance->Length(report.distance->delta),
                     BitsText(report.AnyChange(loss)));
}

/// What comes before all numbers.
std::string Before(const PolicyReport& report) {
  const Guarantee& g = report.guarantee;
  return g.one_sided + (g.one_sided.empty() || g.unproven.empty() ? "" : " ") + g.unproven;
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

/// The smallest proved reading that knows of dependence.
const Reading* Smallest(const StratumLeak& stratum) {
  const Reading* smallest = nullptr;
  for (const Reading& reading : stratum.readings) {
    if (reading.name == "plain" || !reading.theorem) continue;
    if (smallest == nullptr || reading.now < smallest->now) smallest = &reading;
  }
  return smallest;
}

std::string UnitsText(const Place& place) { return place.units > 0 ? fmt::format("{}", place.units) : "-"; }

std::string Text(const PolicyReport& report, std::size_t width) {
  constexpr std::size_t kShown = 10;
  const auto strata = WorstStrata(report);
  TextTable table(WithAfter(report, {"stratum", "plain", "dependent", "bits"}, "after", 3));
  for (std::size_t k = 0; k < std::min(kShown, strata.size()); ++k) {
    const StratumLeak& s = *strata[k];
    table.Add(WithAfter(report,
                        {s.stratum.name, LossText(s.stratum.plain), LossText(s.dependent_now), BitsText(s.bits_now)},
                        LossText(s.dependent_after), 3));
  }
  std::string text = Before(report).empty() ? "" : Wrap(Before(report), width, 0) + "\n\n";
  if (!report.guarantee.one_sided.empty()) text += fmt::format("Of {}:\n", kAlone);
  text += table.Render(width);
  if (strata.size() > kShown)
    text += fmt::format("... and {} more, none worse (--json lists all)\n", strata.size() - kShown);
  text += fmt::format("\nReadings of the history for {}:\n", strata[0]->stratum.name);
  TextTable readings(WithAfter(report, {"reading", "now", "against"}, "after", 2));
  for (const Reading& reading : strata[0]->readings) {
    readings.Add(
        WithAfter(report, {reading.name, LossText(reading.now), Standing(reading)}, LossText(reading.after), 2));
  }
  text += readings.Render(width) + kSmallestCounts + "\n";
  if (!report.leak.places.empty()) {
    text += "\nWhere units are worst placed:\n";
    const auto rest = [&report](const std::string& now, const std::string& after) {
      return WithAfter(report, {now}, after, 1);
    };
    TextTable places(PlaceRow(report, "shape", "units", rest("now", "after")));
    for (const Place& place : report.leak.places) {
      places.Add(PlaceRow(report, place.shape, UnitsText(place), rest(LossText(place.now), LossText(place.after))));
    }
    text += places.Render(width);
  }
  // The table cuts long adversaries: the one of the reading that counts, in full.
  const Reading* smallest = Smallest(*strata[0]);
  text += "\n";
  if (smallest != nullptr) text += Labelled("adversary", smallest->adversary, width);
  text += Labelled("assumption", report.leak.assumes, width);
  if (report.distance)
    text += Labelled("moves", report.guarantee.moves, width) +
            Labelled("bits",
                     "for any change within the region; losses in the tables are for moves of " +
                         report.distance->Length(report.distance->delta),
                     width);
  if (!report.stay.empty()) text += Labelled("stream", "all losses are those of a unit " + report.stay, width);
  if (smallest != nullptr && smallest->now < strata[0]->dependent_now / 1.001 - 1e-9) {
    text +=
        Labelled("note",
                 "the dependent loss is that of the certificates: it is rounded up to the next point of a table, or "
                 "covers a stronger adversary than the smallest reading",
                 width);
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
  if (!report.guarantee.unproven.empty()) out["unproven"] = report.guarantee.unproven;
  if (!report.guarantee.one_sided.empty()) out["one_sided_warning"] = report.guarantee.one_sided;
  if (!report.stay.empty()) out["about"] = "a unit " + report.stay;
  if (report.distance) {
    out["moves"] = {{"meaning", report.guarantee.moves},
                    {"any_change", std::isfinite(report.steps) ? nlohmann::json(report.steps) : nlohmann::json()}};
  }
  for (const StratumLeak& s : report.leak.strata) {
    nlohmann::json row = {{"name", s.stratum.name},
                          {"plain", s.stratum.plain},
                          {"dependent", OfEverything(report, s.dependent_now)},
                          {"dependent_after", OfEverything(report, s.dependent_after)},
                          {"bits", OfEverything(report, s.bits_now)},
                          {"bits_after", OfEverything(report, s.bits_after)},
                          {"readings", nlohmann::json::array()}};
    nlohmann::json* readings = &row["readings"];
    if (!report.guarantee.one_sided.empty()) {
      row["noisy_answers_alone"] = {{"dependent", FiniteOrText(s.dependent_now)},
                                    {"dependent_after", FiniteOrText(s.dependent_after)},
                                    {"bits", FiniteOrText(s.bits_now)},
                                    {"bits_after", FiniteOrText(s.bits_after)},
                                    {"readings", nlohmann::json::array()}};
      readings = &row["noisy_answers_alone"]["readings"];
    }
    for (const Reading& r : s.readings) {
      readings->push_back({{"name", r.name},
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
                             {"now", OfEverything(report, place.now)},
                             {"after", OfEverything(report, place.after)}});
  }
  return out.dump() + "\n";
}

std::string Page(const PolicyReport& report, const std::string& command) {
  const auto strata = WorstStrata(report);
  report::Page page;
  page.title =
      fmt::format("What the {} give away",
                  report.guarantee.one_sided.empty() ? "answers so far" : "noisy answers alone, without the records,");
  page.question = fmt::format(
      "How much can somebody who knows how records depend on each other ({}) learn about one unit?", report.dependence);
  page.verdict = Before(report) + (Before(report).empty() ? "" : " ") + Verdict(report);
  const double after = strata[0]->dependent_after;
  page.tone = after > report.epsilon_total || !report.guarantee.one_sided.empty() ? report::Page::Tone::kBad
              : after > 0.8 * report.epsilon_total                                ? report::Page::Tone::kWarning
                                                                                  : report::Page::Tone::kGood;
  report::BarChart chart{"One history, every reading", "loss",    {},
                         report.epsilon_total,         "allowed", LeftText(report.epsilon_total)};
  report::Table readings{
      "Readings for " + strata[0]->stratum.name, {"reading", "now", "after one more", "against"}, {}};
  for (const Reading& r : strata[0]->readings) {
    chart.bars.push_back({r.name + (r.theorem ? "" : " (not proved)"), r.now, {}, {}, LossText(r.now)});
    readings.rows.push_back({r.name, LossText(r.now), LossText(r.after), Standing(r)});
  }
  report::Table all{"By stratum", {"stratum", "plain", "dependent", "bits", "dependent after one more"}, {}};
  for (const StratumLeak* s : strata) {
    all.rows.push_back({s->stratum.name, LossText(s->stratum.plain), LossText(s->dependent_now), BitsText(s->bits_now),
                        LossText(s->dependent_after)});
    if (all.rows.size() == 100) break;
  }
  page.sections.push_back({"Readings", {kSmallestCounts}, {Svg(chart)}, {readings}});
  page.sections.push_back({"Strata", {}, {}, {all}});
  if (report.distance)
    page.sections.back().paragraphs = {"Bits are for any change within the region; losses for moves of " +
                                       report.distance->Length(report.distance->delta) + ": " + report.guarantee.moves +
                                       "."};
  if (!report.guarantee.one_sided.empty()) {
    for (report::Section& section : page.sections) section.heading += fmt::format(" ({})", kAlone);
  }
  if (!report.leak.places.empty()) {
    report::BarChart shapes{"Loss by the shape of the neighbourhood",
                            "dependent loss",
                            {},
                            report.epsilon_total,
                            "allowed",
                            LeftText(report.epsilon_total)};
    report::Table places{"Worst placed units", PlaceRow(report, "shape", "units", {"now", "after one more"}), {}};
    for (const Place& place : report.leak.places) {
      shapes.bars.push_back({place.shape, place.now, {}, {}, LossText(place.now)});
      places.rows.push_back(
          PlaceRow(report, place.shape, UnitsText(place), {LossText(place.now), LossText(place.after)}));
    }
    page.sections.push_back({"Who is worst placed", {}, {Svg(shapes)}, {places}});
  }
  if (!report.stay.empty()) page.assumptions = {"All losses are those of a unit " + report.stay + "."};
  page.assumptions.insert(page.assumptions.end(),
                          {report.leak.assumes, "Other releases about the same people are not counted.",
                           "No row of data was read; groups and links are public."});
  page.reproduce = {command};
  return Html(page);
}

}  // namespace kith::cli::audit_verb
