// kith analyse policy.toml svm, and logistic
#include <fmt/format.h>

#include <algorithm>

#include "analysis/learn/learn.h"
#include "app/cli/analyse.h"
#include "base/json.h"
#include "base/text_file.h"
#include "query/parse/syntax.h"
#include "report/chart.h"

namespace kith::cli {
namespace {

struct LearnFlags {
  LearnOptions options;
  std::vector<std::string> features;  // lists
  double regularise = 0;
  Option* has_regularise = nullptr;
  std::string model;
};

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

void AddOne(Command& analyse, const char* name, const char* about, learn::Loss loss,
            const std::shared_ptr<std::string>& policy, Context& context) {
  auto* command = analyse.AddVerb(name, about);
  command->Footer(
      fmt::format("Example:\n  kith analyse policy.toml {} --label income --features age,hours,education --epsilon 0.9 "
                  "--holdout 0.2 --model model.json\n"
                  "Then:\n  kith predict model.json --csv new.csv\n"
                  "Numbers need declared bounds; columns with declared values get a weight for each value.",
                  name));
  auto flags = std::make_shared<LearnFlags>();
  flags->options.loss = loss;
  learn::DesignOptions& design = flags->options.design;
  command
      ->AddOption("--label", design.label,
                  "What to predict: a column with two declared values, or a condition, e.g. \"income > 50000\"")
      ->Required();
  command->AddOption("--positive", design.positive,
                     "The value to distinguish from all others; by default the second one declared");
  command
      ->AddOption("--features", flags->features,
                  "What to predict it from, e.g. age,hours,education; or numbers made of columns, as in SQL")
      ->Required();
  command->AddOption("--where", design.where, "A condition as in SQL: only these rows");
  flags->has_regularise = command->AddOption(
      "--regularise", flags->regularise, "How strongly weights are pulled to zero; by default chosen from the price");
  command->AddOption("--holdout", flags->options.holdout,
                     "Part of the units to test the classifier on, e.g. 0.2; costs nothing extra");
  command->AddOption("--model", flags->model, "A file for the model: input of kith predict");
  AddStudy(*command, policy,
           {[flags](const Policy& rules) -> Result<std::unique_ptr<Study>> {
              if (flags->has_regularise->given()) flags->options.regularise = flags->regularise;
              flags->options.design.features.clear();
              for (const std::string& list : flags->features) {
                for (std::string& feature : SplitList(list))
                  flags->options.design.features.push_back(std::move(feature));
              }
              auto made = Learn::Make(flags->options, rules);
              if (!made) return made.error();
              return std::unique_ptr<Study>(std::move(*made));
            },
            DrawLearn,
            [flags](const Answer& answer) -> Result<void> {
              if (flags->model.empty()) return {};
              return WriteTextFile(flags->model, JsonText(*answer.details, 2) + "\n");
            }},
           context);
}

}  // namespace

void AddLearn(Command& analyse, const std::shared_ptr<std::string>& policy, Context& context) {
  AddOne(analyse, "svm", "A linear classifier with large margins (support vector machine)", learn::Loss::kHinge, policy,
         context);
  AddOne(analyse, "logistic", "A linear classifier with probabilities (logistic regression)", learn::Loss::kLogistic,
         policy, context);
}

}  // namespace kith::cli
