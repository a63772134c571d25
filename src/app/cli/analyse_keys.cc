// kith analyse policy.toml keys
#include "app/cli/analyse_keys.h"

#include "analysis/keys/keys.h"
#include "app/cli/analyse.h"

namespace kith::cli {

void AddKeys(Command& analyse, const std::shared_ptr<std::string>& policy, Context& context) {
  auto* command = analyse.AddVerb("keys", "Counts by columns of which nobody declared the values: keys of many units");
  command->Footer(
      "Example:\n  kith analyse policy.toml keys --columns surname --epsilon 0.5\n"
      "Columns are texts, whole numbers or dates. The policy has a delta, of which keys_delta is kept for this. A key "
      "that is not shown may occur; one that a household shares does not appear because of that: "
      "docs/guide/many_cells.md");
  auto options = std::make_shared<KeysOptions>();
  command->AddOption("--columns", options->columns, "What makes a key, e.g. surname or surname,town")
      ->Separated()
      ->Required();
  command->AddOption("--where", options->where, "A condition as in SQL: only these rows");
  command->AddOption("--keys-per-unit", options->per_unit, "The most keys that a unit counts for");
  command->AddOption("--most", options->most, "The most keys to show: those with the largest noisy counts");
  StudyVerb verb;
  verb.make = [options](const Policy& rules) -> Result<std::unique_ptr<Study>> {
    auto made = KeyCounts::Make(*options, rules);
    if (!made) return made.error();
    return std::unique_ptr<Study>(std::move(*made));
  };
  verb.draw = [](const Answer&) { return std::vector<Picture>(); };
  AddStudy(*command, policy, std::move(verb), context);
}

}  // namespace kith::cli
