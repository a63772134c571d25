// kith analyse policy.toml identity
#include "analysis/identity/identity.h"
#include "app/cli/analyse.h"

namespace kith::cli {

void AddIdentity(Command& analyse, const std::shared_ptr<std::string>& policy, Context& context) {
  auto* command = analyse.AddVerb("identity", "Every unit's value with noise of its own; presence must be public");
  command->Footer(
      "Example:\n  kith analyse policy.toml identity --columns age --units 1,300 --epsilon 0.5 --format csv\n"
      "The noise of one value is as wide as its bounds: useful for sums over many units, not for single ones.");
  auto options = std::make_shared<IdentityOptions>();
  auto units = std::make_shared<std::vector<std::int64_t>>();
  command->AddOption("--columns", options->columns, "Numbers with declared bounds, e.g. age,income")
      ->Separated()
      ->Required();
  command->AddOption("--units", *units, "The first and the last key, e.g. 1,300: the public list of units")
      ->Separated()
      ->Exactly(2)
      ->Required();
  AddAnalysis(*command, policy,
              {[options, units](const Policy& rules) -> Result<std::unique_ptr<Analysis>> {
                 options->first = (*units)[0];
                 options->last = (*units)[1];
                 auto made = Identity::Make(*options, rules);
                 if (!made) return made.error();
                 return std::unique_ptr<Analysis>(std::move(*made));
               },
               [](const Answer&) { return std::vector<Picture>(); }},
              context);
}

}  // namespace kith::cli
