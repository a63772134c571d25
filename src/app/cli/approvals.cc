// kith approvals: questions whose price a curator has to approve.
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/fail.h"
#include "app/cli/show.h"
#include "app/cli/text.h"
#include "app/cli/user_output.h"
#include "document/json_line.h"
#include "people/people.h"

namespace kith::cli {
namespace {

using people::People;

struct Options {
  std::string state, user, dataset, by, reason;
  std::int64_t id = 0;
  bool all = false, json = false;
};

Result<void> ShowApprovals(std::vector<people::Approval> approvals, const Options& options) {
  Show(options.json ? document::JsonLine(approvals) : ApprovalsText(approvals, TerminalWidth()));
  return {};
}

Result<void> List(const People& people, const Options& options) {
  auto approvals = people.Approvals(options.user, options.dataset, !options.all);
  if (!approvals) return approvals.error();
  return ShowApprovals(std::move(*approvals), options);
}

Result<void> Decide(const People& people, const Options& options, bool granted) {
  const auto user = people.Find(options.by);
  if (!user) return user.error();
  auto decided = people.Decide(options.id, {user->name, user->role, user->grants, {}}, granted, options.reason);
  if (!decided) return decided.error();
  return ShowApprovals({std::move(*decided)}, options);
}

}  // namespace

void AddApprovals(Command& app, Context& context) {
  auto* command = app.AddVerb("approvals", "Look at and decide about questions whose price a curator has to approve");
  command->RequireVerb();
  auto options = std::make_shared<Options>();
  using Work = std::function<Result<void>(const People&, const Options&)>;
  const auto verb = [&](const char* name, const char* help, Work work) {
    auto* added = command->AddVerb(name, help);
    added->AddOption("--state", options->state, "The server's state folder")->Required();
    added->AddFlag("--json", options->json, "Machine-readable output, with the explanation of each question");
    added->Run([options, &context, work = std::move(work)] {
      const auto people = People::Open(options->state, false);
      const auto done = people ? work(*people, *options) : Result<void>(people.error());
      if (!done) context.exit_code = Fail(done.error(), options->json);
    });
    return added;
  };
  auto* list = verb("list", "List the questions that wait", List);
  list->AddOption("--user", options->user, "Of this user alone");
  list->AddOption("--dataset", options->dataset, "About this dataset alone");
  list->AddFlag("--all", options->all, "Also those that were decided or have lapsed");
  for (const bool granted : {true, false}) {
    auto* decide =
        verb(granted ? "grant" : "refuse",
             granted ? "Let a question be asked, once, as it is" : "Do not let a question be asked",
             [granted](const People& people, const Options& given) { return Decide(people, given, granted); });
    decide->Footer(granted ? "Example:\n  kith approvals grant 3 --by curie --state state"
                           : "Example:\n  kith approvals refuse 3 --by curie --reason \"ask for less\" --state state");
    decide->AddOption("id", options->id, "The number in the list")->Required();
    decide->AddOption("--by", options->by, "The curator who decides")->Required();
    decide->AddOption("--reason", options->reason, "Words for the analyst");
  }
}

}  // namespace kith::cli
