// kith analyse policy.toml top
#include "analysis/top/top.h"
#include "app/cli/analyse.h"

namespace kith::cli {

void AddTop(Command& analyse, const std::shared_ptr<std::string>& policy, Context& context) {
  auto* command = analyse.AddVerb("top", "The most frequent values of a column with declared values, by name alone");
  command->Footer(
      "Example:\n  kith analyse policy.toml top --column drug -k 5 --epsilon 0.5\n"
      "Values are chosen by how many units have them. Where a unit has one row, noisy counts are as good and show "
      "more:\n"
      "  kith query policy.toml \"SELECT drug, count(*) AS n FROM visits GROUP BY drug ORDER BY n DESC LIMIT 5\" "
      "--epsilon 0.5");
  auto options = std::make_shared<TopOptions>();
  command->AddOption("--column", options->column, "A column with declared values")->Required();
  command->AddOption("-k,--count", options->count, "How many values to name")->Required();
  command->AddOption("--where", options->where, "A condition as in SQL: only these rows");
  StudyVerb verb;
  verb.make = [options](const Policy& rules) -> Result<std::unique_ptr<Study>> {
    auto made = Top::Make(*options, rules);
    if (!made) return made.error();
    return std::unique_ptr<Study>(std::move(*made));
  };
  verb.draw = [](const Answer&) { return std::vector<Picture>(); };
  AddStudy(*command, policy, std::move(verb), context);
}

}  // namespace kith::cli
