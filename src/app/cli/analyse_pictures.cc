// Pictures of the answers of analyses, for --out.
#include <fmt/format.h>

#include "app/cli/analyse.h"
#include "base/json.h"
#include "report/chart.h"

namespace kith::cli {
namespace {

double NumberAt(const std::vector<AnswerCell>& row, std::size_t column) {
  return column < row.size() ? NumberIn(row[column].value).value_or(0) : 0;
}

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

report::BarChart SizesChart(const Answer& answer) {
  report::BarChart chart{"Sizes of the clusters", "rows, with noise", {}, {}, {}};
  for (const auto& row : answer.rows) {
    const double size = NumberIn(row[1].value).value_or(0), bar = row[1].error_95.value_or(0);
    chart.bars.push_back({"cluster " + ToText(row[0].value), size, size - bar, size + bar});
  }
  return chart;
}

// Two columns: how each centre went from its start to its place.
report::LineChart PathsChart(const Json& details) {
  report::LineChart chart{"The path of the centres", details["columns"][0], details["columns"][1], false, false, {}};
  const auto& path = details["path"];
  for (std::size_t c = 0; c < path[0].size(); ++c) {
    report::Series series;
    series.name = fmt::format("cluster {}", c + 1);
    for (const auto& centres : path) {
      series.x.push_back(centres[c][0]);
      series.y.push_back(centres[c][1]);
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

}  // namespace

std::vector<Picture> DrawContingency(const Answer& answer) {
  report::BarChart chart{"Where the table departs from independence", "residual", {}, {}, {}};
  for (const auto& row : answer.rows)
    chart.bars.push_back({fmt::format("{}, {}", ToText(row[0].value), ToText(row[1].value)), NumberAt(row, 4), {}, {}});
  return {{"residuals.svg", report::Svg(chart)}};
}

std::vector<Picture> DrawDegrees(const Answer& answer) {
  report::LineChart people{"People by degree", "degree", "people, with noise", false, false, {}};
  people.series = DegreeSeries(answer, 2, "with this degree");
  report::LineChart at_least{"People with at least this degree", "degree", "people, with noise", false, false, {}};
  at_least.series = DegreeSeries(answer, 1, "with at least this degree");
  return {{"people.svg", report::Svg(people)}, {"at_least.svg", report::Svg(at_least)}};
}

std::vector<Picture> DrawKmeans(const Answer& answer) {
  std::vector<Picture> pictures = {{"sizes.svg", report::Svg(SizesChart(answer))}};
  if (!answer.details.empty() && answer.details->at("columns").size() == 2)
    pictures.push_back({"centres.svg", report::Svg(PathsChart(*answer.details))});
  return pictures;
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

}  // namespace kith::cli
