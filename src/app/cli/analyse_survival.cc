// kith analyse policy.toml survival
#include "analysis/derived/survival.h"
#include "app/cli/analyse.h"
#include "report/chart.h"

namespace kith::cli {
namespace {

// Stairs: the curve stays until the end of a step, and falls there. Columns: the group, if there is one, the time, and
// five columns later the ends of the band.
std::vector<Picture> DrawSurvival(const Answer& answer) {
  report::LineChart chart{"Survival", "time", "share without the event, with noise", false, false, {}};
  if (answer.columns.size() < 7) return {};
  const std::size_t first = answer.columns.size() - 7;  // where the time is
  for (const auto& row : answer.rows) {
    const std::string group = first > 0 ? ToText(row[0].value) : "survival";
    const auto at = [&](std::size_t column) { return NumberIn(row[first + column].value); };
    const auto time = at(0), survival = at(4), low = at(5), high = at(6);
    if (chart.series.empty() || chart.series.back().name != group) {
      report::Series& begun = chart.series.emplace_back();
      begun.name = group;
      begun.x = {0};
      begun.y = begun.low = begun.high = {1};
    }
    report::Series& series = chart.series.back();
    if (!time || !survival || !low || !high) continue;
    const double before = series.y.back(), low_before = series.low.back(), high_before = series.high.back();
    series.x.insert(series.x.end(), {*time, *time});
    series.y.insert(series.y.end(), {before, *survival});
    series.low.insert(series.low.end(), {low_before, *low});
    series.high.insert(series.high.end(), {high_before, *high});
  }
  return {{"survival.svg", report::Svg(chart)}};
}

}  // namespace

void AddSurvival(Command& analyse, const std::shared_ptr<std::string>& policy, Context& context) {
  auto* command =
      analyse.AddVerb("survival", "Time to an event, with censoring: Kaplan-Meier curves with a band, by group");
  command->Footer(
      "Example:\n  kith analyse policy.toml survival --time days --event \"died = 'yes'\" --step 30 --by arm --epsilon "
      "0.5 --out curves\n"
      "Events and censored units are counted with noise in every step of time; the curve is computed on these counts.");
  auto options = std::make_shared<SurvivalOptions>();
  command->AddOption("--time", options->time, "How long the unit was followed: a number with bounds, from 0 on")
      ->Required();
  command
      ->AddOption("--event", options->event,
                  "A condition: true if that time ended with the event; otherwise the unit was censored")
      ->Required();
  command->AddOption("--step", options->step, "Length of a step of time, e.g. 30")->Required();
  command->AddOption("--by", options->by, "A curve for each value of this column or expression");
  command->AddOption("--compare", options->compare,
                     "As --by, for two declared values or a condition: with the hazard ratio of the second against the "
                     "first");
  command->AddOption("--where", options->where, "A condition as in SQL: only these units");
  command->AddOption("--from", options->from,
                     "A sub-select with one row for each unit, where units have several rows: SELECT key, ... GROUP BY "
                     "key");
  AddDerived(*command, policy,
             {[options](const Policy& rules) -> Result<std::unique_ptr<Derived>> {
                auto made = Survival::Make(*options, rules);
                if (!made) return made.error();
                return std::unique_ptr<Derived>(std::move(*made));
              },
              DrawSurvival},
             context);
}

}  // namespace kith::cli
