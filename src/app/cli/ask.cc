#include "app/cli/ask.h"

#include <CLI/CLI.hpp>
#include <iostream>

namespace kith::cli {

std::string AskOptions::question() const {
  if (sql != "-") return sql;
  constexpr std::size_t kMost = 1u << 20;  // the planner says how much is too much
  std::string text;
  for (char c = 0; text.size() < kMost && std::cin.get(c);) text += c;
  return text;
}

QuestionRequest AskOptions::request() const {
  return {question(), unit == "household" ? UnitLevel::kHousehold : UnitLevel::kPerson};
}

Price AskOptions::price() const {
  Price price;
  price.epsilon = epsilon;
  price.error_95 = error;
  price.split = split;
  return price;
}

void AddAskOptions(CLI::App& command, AskOptions& options) {
  command.add_option("policy", options.policy, "The policy file")->required();
  command.add_option("question", options.sql, "One SELECT, in quotes; or - to read it from standard input")->required();
  auto* epsilon = command.add_option(
      "--epsilon", options.epsilon,
      "Price: how much of the policy's epsilon to spend; buys the same noise however much was spent before");
  auto* error = command.add_option("--error", options.error,
                                   "Instead of a price: the largest acceptable 95 % error bar; kith computes the cost");
  epsilon->excludes(error);
  command.add_option("--split", options.split, "Weights of the noisy statistics, e.g. 3,1 (default: equal)")
      ->delimiter(',');
  command
      .add_option("--unit", options.unit,
                  "Whose record the answer hides: person, or household where the policy says what that is")
      ->check(CLI::IsMember({"person", "household"}));
  command.add_flag("--json", options.json, "Machine-readable output");
}

}  // namespace kith::cli
