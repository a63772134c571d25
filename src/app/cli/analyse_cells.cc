// kith analyse policy.toml cells
#include "analysis/cells/cells.h"
#include "app/cli/analyse.h"

namespace kith::cli {

void AddCells(Command& analyse, const std::shared_ptr<std::string>& policy, Context& context) {
  auto* command =
      analyse.AddVerb("cells", "Counts by columns with very many declared values: the cells that are large");
  command->Footer(
      "Example:\n  kith analyse policy.toml cells --columns postcode,diagnosis --false-cells 1 --epsilon 0.5\n"
      "Columns have declared values, bounds (whole numbers and dates) or a pattern (pattern = \"[0-9]{5}\"), and may "
      "make 10^9 cells or more. A cell that is not shown is not empty for that: docs/guide/many_cells.md");
  auto options = std::make_shared<CellsOptions>();
  command->AddOption("--columns", options->columns, "What tells cells apart, e.g. postcode,diagnosis")
      ->Separated()
      ->Required();
  command->AddOption("--false-cells", options->false_cells, "How many cells that hold nothing may be shown on average");
  command->AddOption("--threshold", options->threshold, "Or the smallest noisy count that is shown");
  command->AddOption("--where", options->where, "A condition as in SQL: only these rows");
  command->AddFlag("--units", options->units, "Counts units instead of rows");
  command->AddOption("--most", options->most, "The most cells to show: those with the largest noisy counts");
  StudyVerb verb;
  verb.make = [options](const Policy& rules) -> Result<std::unique_ptr<Study>> {
    auto made = CellCounts::Make(*options, rules);
    if (!made) return made.error();
    return std::unique_ptr<Study>(std::move(*made));
  };
  verb.draw = [](const Answer&) { return std::vector<Picture>(); };
  AddStudy(*command, policy, std::move(verb), context);
}

}  // namespace kith::cli
