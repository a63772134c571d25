// kith analyse policy.toml svm, and logistic: the file of the model, and pictures.
#include <algorithm>

#include "app/cli/analyse.h"
#include "base/json.h"
#include "base/text_file.h"
#include "report/chart.h"

namespace kith::cli {
namespace {

// The largest weights first.
report::BarChart WeightsChart(const Answer& answer) {
  constexpr std::size_t kMost = 20;
  report::BarChart chart{"Largest weights", "weight, with noise", {}, {}, {}};
  for (const auto& row : answer.rows) {
    const std::string value = ToText(row[1].value), name = ToText(row[0].value);
    const bool plain = std::holds_alternative<Null>(row[1].value);
    const double weight = std::get<double>(row[2].value);
    report::Bar& bar = chart.bars.emplace_back(report::Bar{plain ? name : name + " = " + value, weight, {}, {}});
    if (!row[2].error_95) continue;
    bar.low = weight - *row[2].error_95;
    bar.high = weight + *row[2].error_95;
  }
  std::stable_sort(chart.bars.begin(), chart.bars.end(),
                   [](const report::Bar& a, const report::Bar& b) { return std::abs(a.value) > std::abs(b.value); });
  chart.bars.resize(std::min(chart.bars.size(), kMost));
  return chart;
}

std::vector<Picture> DrawLearn(const Answer& answer) {
  std::vector<Picture> pictures = {{"weights.svg", report::Svg(WeightsChart(answer))}};
  if (answer.details.empty() || !answer.details->contains("held_out")) return pictures;
  const auto& held = answer.details->at("held_out");
  report::BarChart chart{"Held-out rows", "rows, with noise", {}, {}, {}};
  for (const auto& [key, name] : {std::pair{"says_no_is_no", "correctly negative"},
                                  {"says_yes_is_yes", "correctly positive"},
                                  {"says_yes_is_no", "wrongly positive"},
                                  {"says_no_is_yes", "wrongly negative"}}) {
    const double count = held[key], bar = held["error_95"];
    chart.bars.push_back({name, count, count - bar, count + bar});
  }
  pictures.push_back({"held_out.svg", report::Svg(chart)});
  return pictures;
}

}  // namespace

Shown ShowLearnt(Command& command, const AnalysisForm&) {
  const auto model = std::make_shared<std::string>();
  command.AddOption("--model", *model, "A file for the model: input of kith predict");
  Shown shown;
  shown.draw = [](const Answer& answer, const Policy*) { return DrawLearn(answer); };
  shown.keep = [model](const Answer& answer) -> Result<void> {
    return model->empty() ? Result<void>() : WriteTextFile(*model, JsonText(*answer.details, 2) + "\n");
  };
  return shown;
}

}  // namespace kith::cli
