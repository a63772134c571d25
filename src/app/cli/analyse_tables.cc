// kith analyse policy.toml contingency, percentiles and regression: computed from the answer to one question.
#include <fmt/format.h>

#include "analysis/derived/contingency.h"
#include "analysis/derived/percentiles.h"
#include "analysis/derived/regression.h"
#include "app/cli/analyse.h"
#include "report/chart.h"

namespace kith::cli {
namespace {

template <class Made>
Result<std::unique_ptr<Derived>> AsDerived(Result<std::unique_ptr<Made>> made) {
  if (!made) return made.error();
  return std::unique_ptr<Derived>(std::move(*made));
}

double NumberAt(const std::vector<AnswerCell>& row, std::size_t column) {
  return column < row.size() ? NumberIn(row[column].value).value_or(0) : 0;
}

std::vector<Picture> DrawContingency(const Answer& answer) {
  report::BarChart chart{"Where the table departs from independence", "residual", {}, {}, {}};
  for (const auto& row : answer.rows)
    chart.bars.push_back({fmt::format("{}, {}", ToText(row[0].value), ToText(row[1].value)), NumberAt(row, 4), {}, {}});
  return {{"residuals.svg", report::Svg(chart)}};
}

std::vector<Picture> DrawPercentiles(const Answer& answer) {
  if (answer.columns.size() < 4) return {};
  report::LineChart chart{"Percentiles", "rank", answer.columns[1], false, false, {}};
  report::Series& series = chart.series.emplace_back();
  for (const auto& row : answer.rows) {
    series.x.push_back(NumberAt(row, 0));
    series.y.push_back(NumberAt(row, 1));
    series.low.push_back(NumberAt(row, 2));
    series.high.push_back(NumberAt(row, 3));
  }
  return {{"percentiles.svg", report::Svg(chart)}};
}

}  // namespace

void AddPercentiles(Command& analyse, const std::shared_ptr<std::string>& policy, Context& context) {
  auto* command = analyse.AddVerb("percentiles", "All percentiles of a column at one price, each with its interval");
  command->Footer(
      "Example:\n  kith analyse policy.toml percentiles --column income --epsilon 0.5 --out percentiles\n"
      "  kith analyse policy.toml percentiles --column income --ranks 0.1,0.25,0.5,0.75,0.9 --epsilon 0.5\n"
      "They are read off one noisy histogram: other ranks of the same histogram are free.");
  auto options = std::make_shared<PercentilesOptions>();
  command->AddOption("--column", options->column, "A number with declared bounds")->Required();
  command->AddOption("--ranks", options->ranks, "Ranks between 0 and 1, ascending; 0.01 to 0.99 if left out")
      ->Separated();
  command->AddOption("--cells", options->cells, "Equal parts of the bounds that are counted")->ShowDefault();
  command->AddOption("--where", options->where, "A condition as in SQL: only these rows");
  AddDerived(
      *command, policy,
      {[options](const Policy& rules) { return AsDerived(Percentiles::Make(*options, rules)); }, DrawPercentiles},
      context);
}

void AddContingency(Command& analyse, const std::shared_ptr<std::string>& policy, Context& context) {
  auto* command =
      analyse.AddVerb("contingency", "A table of two columns, and a chi-square test that takes the noise into account");
  command->Footer(
      "Example:\n  kith analyse policy.toml contingency --rows smokes --columns ill --epsilon 0.5\n"
      "  kith analyse policy.toml contingency --rows \"floor(age / 10)\" --columns ill --epsilon 0.5");
  auto options = std::make_shared<ContingencyOptions>();
  command->AddOption("--rows", options->rows, "A column or expression with declared values")->Required();
  command->AddOption("--columns", options->columns, "Another one")->Required();
  command->AddOption("--where", options->where, "A condition as in SQL: only these units");
  command->AddOption("--from", options->from,
                     "A sub-select with one row for each unit, where units have several rows: SELECT key, ... GROUP BY "
                     "key");
  AddDerived(
      *command, policy,
      {[options](const Policy& rules) { return AsDerived(Contingency::Make(*options, rules)); }, DrawContingency},
      context);
}

void AddRegression(Command& analyse, const std::shared_ptr<std::string>& policy, Context& context) {
  auto* command =
      analyse.AddVerb("regression", "Linear regression with several features, with intervals that include the noise");
  command->Footer(
      "Example:\n  kith analyse policy.toml regression --target income --features age,schooling --epsilon 1\n"
      "A line through one feature by groups: SELECT regr_slope(y, x) ... GROUP BY.");
  auto options = std::make_shared<RegressionOptions>();
  command->AddOption("--target", options->target, "What is explained: a number with declared bounds")->Required();
  command->AddOption("--features", options->features, "Numbers with declared bounds, e.g. age,schooling")
      ->Separated()
      ->Required();
  command->AddOption("--where", options->where, "A condition as in SQL: only these units");
  AddDerived(*command, policy,
             {[options](const Policy& rules) { return AsDerived(Regression::Make(*options, rules)); },
              [](const Answer&) { return std::vector<Picture>(); }},
             context);
}

}  // namespace kith::cli
