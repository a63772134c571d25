// kith analyse policy.toml kmeans
#include <fmt/format.h>

#include "analysis/kmeans/kmeans.h"
#include "app/cli/analyse.h"
#include "base/json.h"
#include "report/chart.h"

namespace kith::cli {
namespace {

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

std::vector<Picture> DrawKmeans(const Answer& answer) {
  std::vector<Picture> pictures = {{"sizes.svg", report::Svg(SizesChart(answer))}};
  if (!answer.details.empty() && answer.details->at("columns").size() == 2)
    pictures.push_back({"centres.svg", report::Svg(PathsChart(*answer.details))});
  return pictures;
}

}  // namespace

void AddKmeans(Command& analyse, const std::shared_ptr<std::string>& policy, Context& context) {
  auto* command = analyse.AddVerb("kmeans", "Clusters by noisy Lloyd rounds: centres, sizes, inertia");
  command->Footer(
      "Example:\n  kith analyse policy.toml kmeans --columns x,y --clusters 5 --epsilon 0.5 --out clusters\n"
      "Distances are measured after scaling every column to its declared bounds.");
  auto options = std::make_shared<KmeansOptions>();
  command->AddOption("--columns", options->columns, "Numbers with declared bounds, e.g. x,y")->Separated()->Required();
  command->AddOption("--clusters,-k", options->clusters, "How many clusters")->Required();
  command->AddOption("--steps", options->steps,
                     "Lloyd rounds that share the price; 1 with up to four columns, otherwise 4");
  command->AddOption("--where", options->where, "A condition as in SQL: only these rows");
  AddAnalysis(*command, policy,
              {[options](const Policy& rules) -> Result<std::unique_ptr<Analysis>> {
                 auto made = Kmeans::Make(*options, rules);
                 if (!made) return made.error();
                 return std::unique_ptr<Analysis>(std::move(*made));
               },
               DrawKmeans},
              context);
}

}  // namespace kith::cli
