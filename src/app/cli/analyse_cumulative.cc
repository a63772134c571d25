// kith analyse policy.toml cumulative
#include "analysis/cumulative/cumulative.h"
#include "app/cli/analyse.h"
#include "report/chart.h"

namespace kith::cli {
namespace {

std::vector<Picture> Draw(const Answer& answer) {
  if (answer.columns.size() < 4) return {};
  report::LineChart chart{
      "Rows up to a value, with a 95 % band for the whole curve", answer.columns[0], "rows", false, false, {}};
  report::Series& series = chart.series.emplace_back();
  for (const auto& row : answer.rows) {
    const auto at = [&](std::size_t column) { return NumberIn(row[column].value).value_or(0); };
    series.x.push_back(at(0));
    series.y.push_back(at(1));
    series.low.push_back(at(2));
    series.high.push_back(at(3));
  }
  return {{"cumulative.svg", report::Svg(chart)}};
}

}  // namespace

void AddCumulative(Command& analyse, const std::shared_ptr<std::string>& policy, Context& context) {
  auto* command =
      analyse.AddVerb("cumulative", "How many rows have at most each value: a curve, its ranges and percentiles");
  command->Footer(
      "Example:\n  kith analyse policy.toml cumulative --column age --epsilon 0.5 --out curve\n"
      "What is measured is chosen without data: counts of blocks on several levels, or, under a budget with a delta, "
      "sums with the weights of a square root. --explain shows which, and how large the error will be.");
  auto options = std::make_shared<CumulativeOptions>();
  command->AddOption("--column", options->column, "A number with declared bounds")->Required();
  command->AddOption("--cells", options->cells, "Equal parts of the bounds")->ShowDefault();
  command->AddOption("--where", options->where, "A condition as in SQL: only these rows");
  StudyVerb verb;
  verb.make = [options](const Policy& rules) -> Result<std::unique_ptr<Study>> {
    auto made = Cumulative::Make(*options, rules);
    if (!made) return made.error();
    return std::unique_ptr<Study>(std::move(*made));
  };
  verb.draw = Draw;
  AddStudy(*command, policy, std::move(verb), context);
}

}  // namespace kith::cli
