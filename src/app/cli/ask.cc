#include "app/cli/ask.h"

#include <iostream>

#include "app/cli/command.h"
#include "base/json.h"

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

Json AskOptions::body(const QuestionRequest& request) const {
  Json body = {{"question", request.sql}, {"unit", unit}};
  if (epsilon) body["epsilon"] = *epsilon;
  if (error) body["error"] = *error;
  if (!split.empty()) body["split"] = split;
  if (approval) body["approval"] = *approval;
  return body;
}

Price AskOptions::price() const {
  Price price;
  price.epsilon = epsilon;
  price.error_95 = error;
  price.split = split;
  return price;
}

void AddAskOptions(Command& command, AskOptions& options) {
  command.AddOption("policy", options.policy, "The policy file")->Required();
  command.AddOption("question", options.sql, "One SELECT, in quotes; or - to read it from standard input")->Required();
  auto* epsilon = command.AddOption(
      "--epsilon", options.epsilon,
      "Price: how much of the policy's epsilon to spend; buys the same noise however much was spent before");
  auto* error = command.AddOption("--error", options.error,
                                  "Instead of a price: the largest acceptable 95 % error bar; kith computes the cost");
  epsilon->Excludes(error);
  command.AddOption("--split", options.split, "Weights of the noisy statistics, e.g. 3,1 (default: equal)")
      ->Separated();
  command
      .AddOption("--unit", options.unit,
                 "Whose record the answer hides: person, or household where the policy says what that is")
      ->OneOf({"person", "household"});
  command.AddFlag("--json", options.json, "Machine-readable output");
}

}  // namespace kith::cli
