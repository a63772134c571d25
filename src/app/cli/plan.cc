// kith plan: many questions as a whole. Shows what would be measured and how good every answer would be; with --answer
// charges once and answers all of them.
#include "app/cli/plan.h"

#include <iostream>
#include <memory>
#include <optional>

#include "app/cli/fail.h"
#include "app/cli/plan_output.h"
#include "app/cli/progress.h"
#include "app/cli/remote.h"
#include "app/cli/show.h"
#include "app/cli/text.h"
#include "base/json.h"
#include "base/text_file.h"
#include "document/codes.h"
#include "document/from_json.h"
#include "document/to_json.h"
#include "release/release.h"
#include "workload/entry.h"

namespace kith::cli {
namespace {

struct PlanOptions {
  std::string policy, questions, unit = "person";
  std::optional<double> epsilon;
  std::optional<std::uint64_t> approval;
  bool answer = false, json = false;
};

Result<std::string> TextOf(const std::string& file) {
  if (file != "-") return ReadTextFile(file, workload::kMostBytes);
  std::string text;
  for (char c = 0; text.size() <= workload::kMostBytes && std::cin.get(c);) text += c;
  return text;
}

int RemotePlan(const PlanOptions& options, const std::string& questions, const Context& context) {
  Json body = {{"questions", questions}, {"unit", options.unit}};
  if (options.epsilon) body["epsilon"] = *options.epsilon;
  if (options.approval && options.answer) body["approval"] = *options.approval;
  const auto document = AskServer(context, options.policy, options.answer ? "plan/release" : "plan/explain", body);
  if (options.json) return ShowDocument(document);
  if (options.answer) {
    const auto answer = ReadFrom(document, document::AnswerFrom);
    if (!answer) return Fail(answer.error(), false);
    Show(PlanAnswersText(*answer, TerminalWidth()));
    return 0;
  }
  const auto explanation = ReadFrom(document, document::ExplanationFrom);
  if (!explanation) return Fail(explanation.error(), false);
  Show(PlanText(*explanation, TerminalWidth()));
  return explanation->affordable ? 0 : document::ExitCodeOf(Code::kBudgetExhausted);
}

int Plan(const PlanOptions& options, const Context& context) {
  if (const auto refused = NobodyApproves(options.approval, context)) return Fail(*refused, options.json);
  const Call call = TerminalCall(*context.cancel);
  auto text = TextOf(options.questions);
  if (!text) return Fail(text.error(), options.json);
  if (!context.server.empty()) return RemotePlan(options, *text, context);
  const auto curator = Curator::Open(options.policy, {}, call);
  if (!curator) return Fail(curator.error(), options.json);
  const WorkloadRequest request{*text, options.unit == "household" ? UnitLevel::kHousehold : UnitLevel::kPerson};
  Price price;
  price.epsilon = options.epsilon;
  if (options.answer) {
    const auto answer = curator->Release(request, price, {}, call);
    if (!answer) return Fail(answer.error(), options.json);
    Show(options.json ? JsonText(document::ToJson(*answer)) + "\n" : PlanAnswersText(*answer, TerminalWidth()));
    return 0;
  }
  const auto explanation = curator->Explain(request, price, call);
  if (!explanation) return Fail(explanation.error(), options.json);
  Show(options.json ? JsonText(document::ToJson(*explanation)) + "\n" : PlanText(*explanation, TerminalWidth()));
  return explanation->affordable ? 0 : document::ExitCodeOf(Code::kBudgetExhausted);
}

}  // namespace

void AddPlan(Command& app, Context& context) {
  auto* command = app.AddVerb("plan", "Plan many questions as a whole; with --answer: charge once and answer them all");
  command->Footer(
      "Example:\n  kith plan policy.toml questions.sql --epsilon 2\n"
      "  kith plan policy.toml questions.sql --epsilon 2 --answer\n"
      "The file has SELECTs that end with semicolons. Each may carry a hint: -- kith: error 50, -- kith: "
      "epsilon 0.1 or -- kith: weight 3. Without --answer no data is touched and nothing is charged. Ends with exit "
      "code 3 if "
      "the plan could not be paid for. See docs/guide/plan.md.");
  auto options = std::make_shared<PlanOptions>();
  command->AddOption("policy", options->policy, "The policy file")->Required();
  command->AddOption("questions", options->questions, "A file of questions; or - to read them from standard input")
      ->Required();
  command->AddOption("--epsilon", options->epsilon,
                     "Price of all questions together: how much of the policy's epsilon to spend; not needed if every "
                     "question has a hint of its own");
  command->AddFlag("--answer", options->answer, "Charge, read the data and answer");
  command
      ->AddOption("--unit", options->unit,
                  "Whose record the answers hide: person, or household where the policy says what that is")
      ->OneOf({"person", "household"});
  command->AddOption("--approval", options->approval, std::string(kApprovalHelp));
  command->AddFlag("--json", options->json, "Machine-readable output");
  command->Run([options, &context] { context.exit_code = Plan(*options, context); });
}

}  // namespace kith::cli
