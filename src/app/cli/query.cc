// kith query: asks, pays and prints the answer with its error bar and certificate.
#include <memory>

#include "app/cli/answer_output.h"
#include "app/cli/ask.h"
#include "app/cli/commands.h"
#include "app/cli/fail.h"
#include "app/cli/remote.h"
#include "app/cli/text.h"
#include "base/json.h"
#include "document/from_json.h"
#include "workload/entry.h"

namespace kith::cli {
namespace {

// The answer, here or from a server.
Result<Answer> AnswerTo(const AskOptions& options, const QuestionRequest& request, const Context& context) {
  if (!context.server.empty())
    return ReadFrom(AskServer(context, options.policy, "release", options.body(request)), document::AnswerFrom);
  const Call call = TerminalCall(*context.cancel);
  const auto curator = Curator::Open(options.policy, {}, call);
  if (!curator) return curator.error();
  return curator->Release(request, options.price(), {}, call);
}

int Query(const AskOptions& options, const Context& context) {
  if (const auto refused = TwoFormats(options.json, options.format)) return Fail(*refused, true);
  if (const auto refused = NobodyApproves(options.approval, context)) return Fail(*refused, options.as_json());
  const QuestionRequest request = options.request();
  if (workload::IsWorkload(request.sql))
    return Fail(InvalidArgument("the text is a plan of many questions", {}, "ask them with kith plan ... --answer"),
                options.as_json());
  if (!context.server.empty() && options.as_json())
    return ShowDocument(AskServer(context, options.policy, "release", options.body(request)));
  const auto answer = AnswerTo(options, request, context);
  if (!answer) return Fail(answer.error(), options.as_json());
  ShowAnswer(*answer, options.as_json() ? "json" : options.format, TerminalWidth());
  return 0;
}

}  // namespace

void AddQuery(Command& app, Context& context) {
  auto* command = app.AddVerb("query", "Ask a question: charges the budget, then reads data, then answers with noise");
  command->Footer(
      "Example:\n  kith query policy.toml \"SELECT count(*) FROM people WHERE ill = 'yes'\" --epsilon 0.1\n"
      "  kith query policy.toml \"SELECT count(*) FROM people WHERE ill = 'yes'\" --error 50\n"
      "  kith query policy.toml \"SELECT ward, count(*) AS n FROM people WHERE ill = 'yes' GROUP BY ward HAVING "
      "count(*) > "
      "20\" "
      "--epsilon 0.1\n"
      "Sub-selects may have one row for each unit, and anything may be computed on noisy answers: see "
      "docs/guide/sql.md.");
  auto options = std::make_shared<AskOptions>();
  AddAskOptions(*command, *options);
  command->AddOption("--approval", options->approval, std::string(kApprovalHelp));
  command->AddOption("--format", options->format, "table, json or csv")->OneOf({"table", "json", "csv"});
  command->Run([options, &context] { context.exit_code = Query(*options, context); });
}

}  // namespace kith::cli
