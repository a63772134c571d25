// kith explain: what a question would cost and give. Touches no data.
#include <memory>

#include "app/cli/ask.h"
#include "app/cli/commands.h"
#include "app/cli/explain_output.h"
#include "app/cli/fail.h"
#include "app/cli/remote.h"
#include "app/cli/show.h"
#include "app/cli/text.h"
#include "base/json.h"
#include "document/codes.h"
#include "document/from_json.h"
#include "workload/entry.h"

namespace kith::cli {
namespace {

// Here or by a server.
Result<Explanation> Explained(const AskOptions& options, const QuestionRequest& request, const Context& context) {
  if (!context.server.empty())
    return ReadFrom(AskServer(context, options.policy, "explain", options.body(request)), document::ExplanationFrom);
  const Call call = TerminalCall(*context.cancel);
  const auto curator = Curator::Open(options.policy, {}, call);
  if (!curator) return curator.error();
  return curator->Explain(request, options.price(), call);
}

}  // namespace

void AddExplain(Command& app, Context& context) {
  auto* command = app.AddVerb("explain", "Show plan, cost, noise and guarantee of a question; touches no data");
  command->Footer(
      "Example:\n  kith explain policy.toml \"SELECT sex, avg(age) FROM people GROUP BY sex\" --epsilon 0.1\n"
      "Ends with exit code 3 if the question could not be paid for.");
  auto options = std::make_shared<AskOptions>();
  auto show_sql = std::make_shared<bool>(false);
  AddAskOptions(*command, *options);
  command->AddFlag("--sql", *show_sql, "Also print the SQL that the engine will run");
  command->Run([options, show_sql, &context] {
    const QuestionRequest request = options->request();
    if (workload::IsWorkload(request.sql)) {
      context.exit_code = Fail(InvalidArgument("the text is a plan of many questions", {}, "explain it with kith plan"),
                               options->as_json());
      return;
    }
    if (!context.server.empty() && options->as_json()) {
      context.exit_code = ShowDocument(AskServer(context, options->policy, "explain", options->body(request)));
      return;
    }
    const auto explained = Explained(*options, request, context);
    if (!explained) {
      context.exit_code = Fail(explained.error(), options->as_json());
    } else {
      Show(ExplanationAs(*explained, options->as_json(), TerminalWidth()));
      if (*show_sql && !options->as_json()) Show("\n" + explained->sql + "\n");
      if (!explained->affordable) context.exit_code = document::ExitCodeOf(Code::kBudgetExhausted);
    }
  });
}

}  // namespace kith::cli
