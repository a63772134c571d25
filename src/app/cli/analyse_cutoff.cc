// kith analyse policy.toml cutoff
#include "analysis/cutoff/cutoff.h"
#include "app/cli/analyse.h"

namespace kith::cli {

void AddCutoff(Command& analyse, const std::shared_ptr<std::string>& policy, Context& context) {
  auto* command =
      analyse.AddVerb("cutoff", "How many units have more than max_rows rows, and how many rows do not count");
  command->Footer(
      "Example:\n  kith analyse policy.toml cutoff --table visits --epsilon 0.1\n"
      "Both numbers have noise. Once they are bought, they are said with every answer about the table.");
  auto options = std::make_shared<CutoffOptions>();
  command->AddOption("--table", options->table, "A table of the units (needed if rows of several can be left out)");
  command->AddOption("--at-most", options->at_most,
                     "How many rows of one unit beyond max_rows are counted (default: ten times max_rows)");
  AnalysisVerb verb;
  verb.make = [options](const Policy& rules) -> Result<std::unique_ptr<Analysis>> {
    auto made = Cutoff::Make(*options, rules);
    if (!made) return made.error();
    return std::unique_ptr<Analysis>(std::move(*made));
  };
  verb.draw = [](const Answer&) { return std::vector<Picture>(); };
  AddAnalysis(*command, policy, std::move(verb), context);
}

}  // namespace kith::cli
