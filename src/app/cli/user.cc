// kith user: who may ask a server, about what, and how much.
#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "app/cli/budget_output.h"
#include "app/cli/commands.h"
#include "app/cli/fail.h"
#include "app/cli/show.h"
#include "app/cli/text.h"
#include "app/cli/user_output.h"
#include "base/clock.h"
#include "document/json_line.h"
#include "people/enrol.h"
#include "people/people.h"
#include "policy/stay.h"
#include "release/release.h"

namespace kith::cli {
namespace {

using people::People;

struct Options {
  std::string state, name, role, token, policy;
  std::vector<std::string> datasets;
  std::vector<double> epsilons;
  std::string dataset, expires = people::kUsualLife;
  std::optional<double> epsilon;
  bool none = false, json = false;
};

Result<void> ShowUsers(const People& people, const Options& options) {
  auto users = options.name.empty() ? people.List() : Result<std::vector<people::User>>(std::vector<people::User>());
  if (!users) return users.error();
  if (!options.name.empty()) {
    auto user = people.Find(options.name);
    if (!user) return user.error();
    users->push_back(std::move(*user));
  }
  Show(options.json ? document::JsonLine(*users) : UsersText(*users, UnixSeconds(), TerminalWidth()));
  return {};
}

void ShowToken(const people::NewToken& made, const Options& options) {
  const document::ShownToken shown{options.name, made};
  Show(options.json ? document::JsonLine(shown) : TokenText(shown, TerminalWidth()));
}

Result<std::vector<people::WantedGrant>> GrantsIn(const Options& options, people::Role role) {
  const bool analyst = role == people::Role::kAnalyst;
  if (options.datasets.size() != options.epsilons.size() && (analyst || !options.epsilons.empty()))
    return InvalidArgument("every dataset needs its allowance", "--dataset",
                           "write --dataset NAME --epsilon 0.5 for each: plain loss, over all time");
  std::vector<people::WantedGrant> grants;
  for (std::size_t i = 0; i < options.datasets.size(); ++i) {
    grants.push_back({options.datasets[i], std::nullopt});
    if (analyst) grants.back().epsilon = options.epsilons[i];
  }
  return grants;
}

Result<void> AddOne(const Options& options) {
  const auto role = people::RoleOf(options.role);
  if (!role) return role.error();
  const auto lasts = people::LifeOf(options.expires);
  if (!lasts) return lasts.error();
  auto grants = GrantsIn(options, *role);
  auto people = People::Open(options.state, true);
  if (!people) return people.error();
  if (!grants) return grants.error();
  const auto made = people::Enrol(
      *people, {options.name, *role, std::move(*grants), options.token.empty() ? "first" : options.token, *lasts});
  if (!made) return made.error();
  ShowToken(*made, options);
  return {};
}

Result<void> MakeToken(People& people, const Options& options) {
  const auto lasts = people::LifeOf(options.expires);
  if (!lasts) return lasts.error();
  const auto made = people.AddToken(options.name, options.token, *lasts);
  if (!made) return made.error();
  ShowToken(*made, options);
  return {};
}

Result<void> Grant(People& people, const Options& options) {
  const auto done = options.none ? people.SetGrant(options.name, options.dataset, std::nullopt)
                                 : people::SetGrant(people, options.name, {options.dataset, options.epsilon});
  if (!done) return done;
  return ShowUsers(people, options);
}

Result<void> Password(People& people, const Options& options) {
  std::string password;
  std::getline(std::cin, password);
  if (auto done = people.SetPassword(options.name, password); !done) return done;
  return ShowUsers(people, options);
}

Result<void> Remove(People& people, const Options& options) {
  if (auto done = people.Remove(options.name); !done) return done;
  Options all = options;
  all.name.clear();
  return ShowUsers(people, all);
}

Result<void> HistoryOf(const People& people, const Options& options, const Call& call) {
  const auto user = people.Find(options.name);
  if (!user) return user.error();
  const auto curator = Curator::Open(options.policy, {}, call);
  if (!curator) return curator.error();
  const people::Identity who{user->name, user->role, user->grants, {}};
  const auto report =
      curator->Budget({who.user, who.AllowanceFor(curator->policy().dataset), std::nullopt, /*own_history=*/true});
  if (!report) return report.error();
  const std::string stay = StayOf(curator->policy());
  const std::size_t width = TerminalWidth();
  Show(options.json ? document::JsonLine(*report, stay)
                    : BudgetText(*report, stay, {width, OnTerminal() ? width : std::string::npos}));
  return {};
}

}  // namespace

void AddUser(Command& app, Context& context) {
  auto* command = app.AddVerb("user", "Say who may ask a server, about what, and how much");
  command->RequireVerb();
  auto options = std::make_shared<Options>();
  using Work = std::function<Result<void>(People&, const Options&)>;
  const auto verb = [&](const char* name, const char* help, const char* example, bool named) {
    auto* added = command->AddVerb(name, help);
    added->Footer(fmt::format("Example:\n  {}", example));
    if (named) added->AddOption("name", options->name, "The user")->Required();
    added->AddOption("--state", options->state, "The server's state folder")->Required();
    added->AddFlag("--json", options->json, "Machine-readable output");
    return added;
  };
  const auto run = [&](Command* added, Work work) {
    added->Run([options, &context, work = std::move(work)] {
      auto people = People::Open(options->state, false);
      const auto done = people ? work(*people, *options) : Result<void>(people.error());
      if (!done) context.exit_code = Fail(done.error(), options->json);
    });
  };

  auto* add = verb("add", "Add a user, and show a first token, once",
                   "kith user add ada --role analyst --dataset clinic --epsilon 0.5 --state state", true);
  add->AddOption("--role", options->role, "curator, analyst, auditor or operator")
      ->Required()
      ->OneOf({"curator", "analyst", "auditor", "operator"});
  add->AddOption("--dataset", options->datasets, "A dataset that the user may see, by its name; may be repeated")
      ->Repeatable();
  add->AddOption("--epsilon", options->epsilons,
                 "An analyst's allowance for the dataset at the same place: plain loss, over all time")
      ->Repeatable();
  add->AddOption("--expires", options->expires, "When the token ends: 90d, 12h, never")->ShowDefault();
  add->AddOption("--token", options->token, "The token's name")->ShowDefault("first");
  add->Run([options, &context] {
    if (const auto done = AddOne(*options); !done) context.exit_code = Fail(done.error(), options->json);
  });

  run(verb("list", "List users, what they may see and use, and their tokens; no secrets",
           "kith user list --state state", false),
      [](People& people, const Options& given) { return ShowUsers(people, given); });

  auto* token = verb("token", "Make another token, and show it, once",
                     "kith user token ada --token laptop --expires 30d --state state", true);
  token->AddOption("--token", options->token, "The token's name")->Required();
  token->AddOption("--expires", options->expires, "When it ends: 90d, 12h, never")->ShowDefault();
  run(token, MakeToken);

  auto* revoke = verb("revoke", "End one token of a user, or all of them, at once",
                      "kith user revoke ada --token laptop --state state", true);
  revoke->AddOption("--token", options->token, "The token's name; all of them without this");
  run(revoke, [](People& people, const Options& given) -> Result<void> {
    if (auto done = people.Revoke(given.name, given.token); !done) return done;
    return ShowUsers(people, given);
  });

  auto* grant = verb("grant", "Say what a user may use of a dataset from now on; what was used stays used",
                     "kith user grant ada --dataset clinic --epsilon 0.8 --state state", true);
  grant->AddOption("--dataset", options->dataset, "The dataset's name: [data] name, else the policy's name")
      ->Required();
  auto* epsilon = grant->AddOption("--epsilon", options->epsilon, "An analyst's allowance: plain loss, over all time");
  grant->AddFlag("--none", options->none, "Take the grant away")->Excludes(epsilon);
  run(grant, Grant);

  run(verb("password",
           "Set a password for the page in the browser: the first line of the standard input; programs use tokens",
           "kith user password ada --state state < password.txt", true),
      Password);
  run(verb("remove", "Remove a user with tokens, sessions and grants; what was used under the name stays used",
           "kith user remove ada --state state", true),
      Remove);

  auto* history = verb("history", "Show what a user asked and used under a policy, and nobody else's questions",
                       "kith user history ada clinic.toml --state state --json", true);
  history->AddOption("policy", options->policy, "The policy file")->Required();
  run(history, [&context](People& people, const Options& given) {
    return HistoryOf(people, given, TerminalCall(*context.cancel));
  });
}

}  // namespace kith::cli
