// What a policy's history gives away, for people and programs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/cli/audit_output.h"
#include "app/cli/text.h"
#include "document/words.h"
#include "loss/loss_text.h"
#include "report/chart.h"
#include "report/page.h"

namespace kith::cli {
namespace {

using audit::Place;
using audit::Reading;
using audit::StratumLeak;
using document::BitsText;
using document::WorstStrata;

constexpr char kAlone[] = "noisy answers alone";

/// What comes before all numbers.
std::string Before(const PolicyAudit& report) {
  const Guarantee& g = report.guarantee;
  std::string text;
  for (const std::string& warning : {g.alarm, g.one_sided, g.unproven})
    text += (text.empty() || warning.empty() ? "" : " ") + warning;
  return text;
}

std::vector<std::string> WithAfter(const PolicyAudit& report, std::vector<std::string> row, std::string after,
                                   std::size_t at) {
  if (report.epsilon) row.insert(row.begin() + static_cast<std::ptrdiff_t>(at), std::move(after));
  return row;
}

std::string Standing(const Reading& reading) {
  return reading.theorem ? reading.adversary : "not proved for this dependence";
}

constexpr char kSmallestCounts[] =
    "Plain ignores dependence. Of the proved readings below it the smallest counts, and of those about as small the "
    "one "
    "against the strongest adversary.";

/// "0.5 in all, by field": as certificates say it; with the stratum where it is not `shown`, which one more answer
/// would make the worst.
std::string CountedText(const PolicyAudit& report, const StratumLeak& shown) {
  const Guarantee& g = report.guarantee;
  std::string where;
  for (const StratumLeak& stratum : report.leak.strata) {
    if (where.empty() && shown.dependent_now < report.largest && stratum.dependent_now == report.largest)
      where = fmt::format(" ({})", stratum.stratum.name);
  }
  return fmt::format("{} in all{}{}{}", BitsText(g.dependent), g.one_sided.empty() ? "" : " noisy answers",
                     g.bound.empty() ? "" : ", by " + g.bound, where);
}

/// What is known of each row: a cell was charged less than a unit with rows in others.
bool CellsOfRows(const PolicyAudit& report) {
  return std::any_of(report.leak.strata.begin(), report.leak.strata.end(), [](const StratumLeak& s) {
    return !s.readings.empty() && s.stratum.plain < s.readings.front().now;
  });
}

constexpr char kOfRows[] =
    "plain is what was charged to the rows of a stratum; everything else is about a unit, which may have rows in "
    "several, with the largest of their totals";

/// Groups are declared by their size: how many there are is not known to the model, and no row is read to find out.
bool UnitsKnown(const PolicyAudit& report) {
  const auto& places = report.leak.places;
  return std::any_of(places.begin(), places.end(), [](const Place& place) { return place.units > 0; });
}

/// One row about places: shape, units (if known for any place), the rest.
std::vector<std::string> PlaceRow(const PolicyAudit& report, const std::string& shape, const std::string& units,
                                  std::vector<std::string> rest) {
  std::vector<std::string> row = {shape};
  if (UnitsKnown(report)) row.push_back(units);
  row.insert(row.end(), rest.begin(), rest.end());
  return row;
}

/// The smallest proved reading that takes dependence into account.
const Reading* Smallest(const StratumLeak& stratum) {
  const Reading* smallest = nullptr;
  for (const Reading& reading : stratum.readings) {
    if (reading.name == "plain" || !reading.theorem) continue;
    if (smallest == nullptr || reading.now < smallest->now) smallest = &reading;
  }
  return smallest;
}

std::string UnitsText(const Place& place) { return place.units > 0 ? fmt::format("{}", place.units) : "-"; }

}  // namespace

std::string AuditText(const PolicyAudit& report, std::size_t width) {
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
  text += readings.Render(width) + Wrap(kSmallestCounts, width, 0) + "\n";
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
  // As budgets and certificates state them: the table cuts long adversaries, and may show a weaker one first.
  const Reading* smallest = Smallest(*strata[0]);
  text += "\n" + Labelled("dependent", CountedText(report, *strata[0]), width);
  if (const auto& reached = strata[0]->reached_now)
    text += Labelled("tight", document::CanHappenText(strata[0]->dependent_now, *reached), width);
  if (report.guarantee.household)
    text += Labelled("household", document::HouseholdText(*report.guarantee.household), width);
  text += Labelled("adversary", report.guarantee.adversary, width);
  text += Labelled("assumption", report.leak.assumption, width);
  if (CellsOfRows(report)) text += Labelled("note", kOfRows, width);
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
  return text + "\n" + Wrap(document::Verdict(report), width, 0) + "\n";
}

std::string AuditPage(const PolicyAudit& report, const std::string& command) {
  const auto strata = WorstStrata(report);
  report::Page page;
  page.title =
      fmt::format("What the {} give away",
                  report.guarantee.one_sided.empty() ? "answers so far" : "noisy answers alone, without the records,");
  page.question = fmt::format(
      "How much can somebody who knows how records depend on each other ({}) learn about one unit?", report.dependence);
  page.verdict = Before(report) + (Before(report).empty() ? "" : " ") + document::Verdict(report);
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
  if (CellsOfRows(report)) page.assumptions.push_back(fmt::format("In the table of strata, {}.", kOfRows));
  if (report.guarantee.household)
    page.assumptions.push_back("Households: " + document::HouseholdText(*report.guarantee.household) + ".");
  page.assumptions.insert(page.assumptions.end(),
                          {fmt::format("The dependent loss is {}, against {}.", CountedText(report, *strata[0]),
                                       report.guarantee.adversary),
                           report.leak.assumption, "Other releases about the same people are not counted.",
                           "No row of data was read; groups and links are public."});
  page.reproduce = {command};
  return Html(page);
}

}  // namespace kith::cli
