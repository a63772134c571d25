// kith budget: what was spent on what, what is left, in both losses.
#include <algorithm>
#include <memory>

#include "app/cli/budget_output.h"
#include "app/cli/commands.h"
#include "app/cli/fail.h"
#include "app/cli/remote.h"
#include "app/cli/show.h"
#include "app/cli/text.h"
#include "base/json.h"
#include "document/from_json.h"
#include "document/json_line.h"
#include "document/words.h"
#include "policy/stay.h"
#include "release/release.h"

namespace kith::cli {
namespace {

int RemoteBudget(const std::string& dataset, bool as_json, const Context& context) {
  const auto document = AskServerForBudget(context, dataset);
  if (as_json) return ShowDocument(document);
  const auto report = ReadFrom(document, document::BudgetFrom);
  if (!report) return Fail(report.error(), false);
  const std::string about = document->value("about", std::string());  // of a stream: "a unit ..."
  const std::size_t width = TerminalWidth(), before = std::string("a unit ").size();
  Show(BudgetText(*report, about.substr(std::min(before, about.size())),
                  {width, OnTerminal() ? width : std::string::npos}));
  return 0;
}

}  // namespace

void AddBudget(Command& app, Context& context) {
  auto* command = app.AddVerb("budget", "Show what was spent, on what, and what is left, in both losses");
  command->Footer("Example:\n  kith budget policy.toml");
  struct Options {
    std::string policy;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  command->AddOption("policy", options->policy, "The policy file")->Required();
  command->AddFlag("--json", options->json, "Machine-readable output");
  command->Run([options, &context] {
    if (!context.server.empty()) {
      context.exit_code = RemoteBudget(options->policy, options->json, context);
      return;
    }
    const Call call = TerminalCall(*context.cancel);
    const auto curator = Curator::Open(options->policy, {}, call);
    const auto report = [&] {
      const Stage stage(call, "adding up what was spent");
      return curator ? curator->Budget() : Result<BudgetReport>(curator.error());
    }();
    if (!report) {
      context.exit_code = Fail(report.error(), options->json);
    } else if (options->json) {
      Show(document::JsonLine(*report, StayOf(curator->policy())));
    } else {
      const std::size_t width = TerminalWidth();
      Show(BudgetText(*report, StayOf(curator->policy()), {width, OnTerminal() ? width : std::string::npos}));
    }
  });
}

}  // namespace kith::cli
