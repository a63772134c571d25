#include "app/cli/ask.h"

namespace kith::cli {

Price AskOptions::price() const {
  Price price;
  if (has_epsilon->count() > 0) price.epsilon = epsilon;
  if (has_error->count() > 0) price.error_95 = error;
  price.split = split;
  return price;
}

void AddAskOptions(CLI::App& command, AskOptions& options) {
  command.add_option("policy", options.policy, "The policy file")->required();
  command.add_option("question", options.sql, "One SELECT, in quotes")->required();
  options.has_epsilon = command.add_option("--epsilon", options.epsilon,
                                           "Price: this part of the policy's epsilon, whatever was spent before");
  options.has_error = command.add_option(
      "--error", options.error, "Instead of a price: the largest 95 % error bar you can use; the cost is solved for");
  options.has_epsilon->excludes(options.has_error);
  command.add_option("--split", options.split, "Weights of the noisy statistics, e.g. 3,1 (default: equal)")
      ->delimiter(',');
  command.add_flag("--json", options.json, "Machine-readable output");
}

}  // namespace kith::cli
