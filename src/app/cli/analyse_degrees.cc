// kith analyse policy.toml degrees
#include "analysis/degrees/degrees.h"
#include "app/cli/analyse.h"
#include "app/report/chart.h"

namespace kith::cli {
namespace {

struct DegreesFlags {
  DegreesOptions options;
  std::vector<std::string> ends;
  std::int64_t people = 0;
  CLI::Option* has_people = nullptr;
};

report::Series DegreeSeries(const Answer& answer, std::size_t column, const std::string& name) {
  report::Series series;
  series.name = name;
  for (const auto& row : answer.rows) {
    const double value = std::get<double>(row[column].value), bar = row[column].error_95.value_or(0);
    series.x.push_back(static_cast<double>(std::get<std::int64_t>(row[0].value)));
    series.y.push_back(value);
    series.low.push_back(value - bar);
    series.high.push_back(value + bar);
  }
  return series;
}

std::vector<Picture> DrawDegrees(const Answer& answer) {
  report::LineChart people{"People by degree", "degree", "people, with noise", false, false, {}};
  people.series.push_back(DegreeSeries(answer, 1, "with this degree"));
  report::LineChart at_least{"People with at least this degree", "degree", "people, with noise", false, false, {}};
  at_least.series.push_back(DegreeSeries(answer, 2, "with at least this degree"));
  return {{"people.svg", report::Svg(people)}, {"at_least.svg", report::Svg(at_least)}};
}

}  // namespace

void AddDegrees(CLI::App& analyse, const std::shared_ptr<std::string>& policy, Context& context) {
  auto* command = analyse.add_subcommand("degrees", "How many people have how many friends, from a table of pairs");
  command->footer(
      "Example:\n  kith analyse policy.toml degrees --ends a,b --max-degree 50 --epsilon 0.5 --out degrees\n"
      "The unit is a row (row = true: one friendship) or all rows of the first end (key: a person's own list).");
  auto flags = std::make_shared<DegreesFlags>();
  command->add_option("--ends", flags->ends, "The two columns that name people, e.g. a,b")
      ->delimiter(',')
      ->expected(2)
      ->required();
  command->add_option("--max-degree", flags->options.max_degree, "Larger degrees are counted as this one")->required();
  flags->has_people =
      command->add_option("--people", flags->people, "How many people there are, if that is public knowledge");
  command->add_flag("--once", flags->options.once,
                    "Every pair is in the table once: faster; a duplicate would be counted twice");
  AddAnalysis(*command, policy,
              {[flags](const Policy& rules) -> Result<std::unique_ptr<Analysis>> {
                 flags->options.ends = {flags->ends[0], flags->ends[1]};
                 if (flags->has_people->count() > 0) flags->options.people = flags->people;
                 auto made = Degrees::Make(flags->options, rules);
                 if (!made) return made.error();
                 return std::unique_ptr<Analysis>(std::move(*made));
               },
               DrawDegrees},
              context);
}

}  // namespace kith::cli
