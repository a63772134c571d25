// kith approvals: questions whose price a curator has to approve.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "app/cli/commands.h"
#include "app/cli/fail.h"
#include "app/cli/remote.h"
#include "app/cli/show.h"
#include "app/cli/text.h"
#include "app/cli/user_output.h"
#include "base/json.h"
#include "document/json_line.h"
#include "document/people.h"
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
  const auto found = people.FindApproval(options.id);
  if (!found) return found.error();
  if (!options.dataset.empty() && options.dataset != found->dataset)
    return InvalidArgument("the question is about another dataset", "--dataset", "look at the list");
  auto decided = people.Decide(options.id, {user->name, user->role, user->grants, {}}, granted, options.reason);
  if (!decided) return decided.error();
  return ShowApprovals({std::move(*decided)}, options);
}

// The list of one dataset, as the server shows it to the caller; or what becomes of a decision.
Result<std::vector<people::Approval>> AskedOfServer(const Options& options, const Context& context,
                                                    std::optional<bool> granted) {
  if (options.dataset.empty())
    return InvalidArgument("a server is asked about one dataset", "--dataset", "write --dataset NAME");
  if (!options.state.empty() || !options.by.empty())
    return InvalidArgument("a server knows its users, and you by your token", {}, "leave --state and --by out");
  if (!granted) return ReadFrom(AskServer(context, options.dataset, "approvals", nullptr), document::ApprovalsFrom);
  const Json body = {{"granted", *granted}, {"reason", options.reason}};
  const std::string part = fmt::format("approvals/{}", options.id);
  return ReadFrom(AskServer(context, options.dataset, part, body), document::ApprovalsFrom);
}

Result<void> Remotely(const Options& options, const Context& context, std::optional<bool> granted) {
  auto found = AskedOfServer(options, context, granted);
  if (!found) return found.error();
  std::erase_if(*found, [&](const people::Approval& each) {
    const bool open = each.state == people::ApprovalState::kWaiting;
    return !granted && ((!options.user.empty() && each.user != options.user) || (!options.all && !open));
  });
  return ShowApprovals(std::move(*found), options);
}

Result<void> Here(const Options& options, std::optional<bool> granted) {
  if (options.state.empty())
    return InvalidArgument("the server's state folder is not named", "--state", "write --state FOLDER");
  if (granted && options.by.empty())
    return InvalidArgument("it is not said who decides", "--by", "write --by NAME, of a curator");
  const auto people = People::Open(options.state, false);
  if (!people) return people.error();
  return granted ? Decide(*people, options, *granted) : List(*people, options);
}

}  // namespace

void AddApprovals(Command& app, Context& context) {
  auto* command = app.AddVerb("approvals", "Look at and decide about questions whose price a curator has to approve");
  command->RequireVerb();
  auto options = std::make_shared<Options>();
  const auto verb = [&](const char* name, const char* help, std::optional<bool> granted) {
    auto* added = command->AddVerb(name, help);
    added->AddOption("--state", options->state, "The server's state folder; not with --server");
    added->AddOption("--dataset", options->dataset, "About this dataset alone; with --server it must be named");
    added->AddFlag("--json", options->json, "Machine-readable output, with the explanation of each question");
    added->Run([options, &context, granted] {
      const auto done = context.server.empty() ? Here(*options, granted) : Remotely(*options, context, granted);
      if (!done) context.exit_code = Fail(done.error(), options->json);
    });
    return added;
  };
  auto* list = verb("list", "List the questions that wait", std::nullopt);
  list->AddOption("--user", options->user, "Of this user alone");
  list->AddFlag("--all", options->all, "Also those that were decided or have lapsed");
  for (const bool granted : {true, false}) {
    auto* decide =
        verb(granted ? "grant" : "refuse",
             granted ? "Let a question be asked, once, as it is" : "Do not let a question be asked", granted);
    decide->Footer(granted ? "Example:\n  kith approvals grant 3 --by curie --state state"
                           : "Example:\n  kith approvals refuse 3 --by curie --reason \"ask for less\" --state state");
    decide->AddOption("id", options->id, "The number in the list")->Required();
    decide->AddOption("--by", options->by, "The curator who decides; not with --server, which knows you");
    decide->AddOption("--reason", options->reason, "Words for the analyst");
  }
}

}  // namespace kith::cli
