// kith analyse policy.toml degrees
#include "analysis/degrees/degrees.h"
#include "app/cli/analyse.h"
#include "report/chart.h"

namespace kith::cli {
namespace {

struct DegreesFlags {
  DegreesOptions options;
  std::vector<std::string> ends;
  std::int64_t people = 0;
  Option* has_people = nullptr;
};

// One line for each group; the degree is third from the end.
std::vector<report::Series> DegreeSeries(const Answer& answer, std::size_t from_end, const std::string& name) {
  std::vector<report::Series> lines;
  for (const auto& row : answer.rows) {
    const std::string group = row.size() > 3 ? ToText(row[0].value) : name;
    if (lines.empty() || lines.back().name != group) lines.emplace_back().name = group;
    report::Series& series = lines.back();
    const AnswerCell& cell = row[row.size() - from_end];
    const double value = std::get<double>(cell.value), bar = cell.error_95.value_or(0);
    series.x.push_back(static_cast<double>(std::get<std::int64_t>(row[row.size() - 3].value)));
    series.y.push_back(value);
    series.low.push_back(value - bar);
    series.high.push_back(value + bar);
  }
  return lines;
}

std::vector<Picture> DrawDegrees(const Answer& answer) {
  report::LineChart people{"People by degree", "degree", "people, with noise", false, false, {}};
  people.series = DegreeSeries(answer, 2, "with this degree");
  report::LineChart at_least{"People with at least this degree", "degree", "people, with noise", false, false, {}};
  at_least.series = DegreeSeries(answer, 1, "with at least this degree");
  return {{"people.svg", report::Svg(people)}, {"at_least.svg", report::Svg(at_least)}};
}

}  // namespace

void AddDegrees(Command& analyse, const std::shared_ptr<std::string>& policy, Context& context) {
  auto* command = analyse.AddVerb("degrees", "How many people have how many friends, from a table of pairs");
  command->Footer(
      "Example:\n  kith analyse policy.toml degrees --ends a,b --max-degree 50 --epsilon 0.5 --out degrees\n"
      "  kith analyse policy.toml degrees --ends a,b --max-degree 50 --by people.team --names id --epsilon 0.5\n"
      "The unit is a row (row = true: one friendship), all rows of the first end (key = \"a\": a person's own list) "
      "or\n"
      "all rows that name a person (key = [\"a\", \"b\"]): then at most --max-degree of each person's pairs are kept.");
  auto flags = std::make_shared<DegreesFlags>();
  command->AddOption("--ends", flags->ends, "The two columns that name people, e.g. a,b")
      ->Separated()
      ->Exactly(2)
      ->Required();
  command
      ->AddOption("--max-degree", flags->options.max_degree,
                  "Larger degrees are counted as this one; where a person is the unit, this many pairs are kept")
      ->Required();
  flags->has_people =
      command->AddOption("--people", flags->people, "How many people there are, if that is public knowledge");
  command->AddFlag("--once", flags->options.once,
                   "Every pair is in the table once: faster; a duplicate would be counted twice");
  command->AddOption("--where", flags->options.where, "Only pairs whose row meets this condition, as in SQL");
  command->AddOption("--by", flags->options.by, "Degrees of each group: a public column of people, e.g. people.team");
  command->AddOption("--names", flags->options.names, "The column of that table that names the person, e.g. id");
  AddAnalysis(*command, policy,
              {[flags](const Policy& rules) -> Result<std::unique_ptr<Analysis>> {
                 flags->options.ends = {flags->ends[0], flags->ends[1]};
                 if (flags->has_people->given()) flags->options.people = flags->people;
                 auto made = Degrees::Make(flags->options, rules);
                 if (!made) return made.error();
                 return std::unique_ptr<Analysis>(std::move(*made));
               },
               DrawDegrees},
              context);
}

}  // namespace kith::cli
