// The command line. Thin: everything it does is a call into the library.
#include "app/cli/main.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>

#include "app/cli/commands.h"
#include "app/cli/laboratory.h"
#include "app/cli/plan.h"
#include "app/cli/remote.h"
#include "app/cli/run.h"
#include "app/cli/serve.h"

namespace kith::cli {
namespace {

constexpr const char* kAbout =
    "kith answers questions about data whose records depend on each other, with privacy guarantees that still hold\n"
    "against somebody who knows how they depend on each other.\n\n"
    "Start:  kith init people.csv > policy.toml     then edit policy.toml\n"
    "        kith explain policy.toml \"SELECT count(*) FROM people\" --epsilon 0.1\n"
    "        kith query   policy.toml \"SELECT count(*) FROM people\" --epsilon 0.1\n";

constexpr const char* kExits =
    "Of the laboratory (kith-lab): affinity, attack, experiment, leakage, probe, rho, sample, audit of models, "
    "transfer --compare.\n\n"
    "Exit codes: 0 done, 1 claim refuted, 2 bad usage or policy, 3 refused (budget), 4 refused (query), 5 storage,\n"
    "            6 internal, 130 interrupted.";

// How many words --server and its address take, before the verb.
int WordsOfServer(int argc, char** argv) {
  if (argc < 2 || !std::string_view(argv[1]).starts_with("--server")) return 0;
  return std::string_view(argv[1]) == "--server" ? 2 : 1;
}

// What follows --server but cannot be asked of a server; empty: there is no such thing.
std::string NotForServer(int argc, char** argv) {
  const int at = 1 + WordsOfServer(argc, argv);
  if (at == 1 || at >= argc) return {};
  const std::string verb = argv[at], part = verb == "analyse" && at + 2 < argc ? argv[at + 2] : "";
  if (!IsRemoteVerb(verb)) return verb;
  return part == "records" ? verb + " ... " + part : "";
}

std::optional<Error> RefuseServer(const Command& program, int argc, char** argv) {
  const std::string verb = NotForServer(argc, argv), word = verb.substr(0, verb.find(' '));
  if (verb.empty() || !(program.Verb(word) || IsLaboratoryVerb(word))) return std::nullopt;
  return InvalidArgument(fmt::format("a server cannot be asked for this: {}", verb), {},
                         "run it beside the policy; of a server: columns, query, explain, plan, "
                         "analyse, budget, audit and approvals");
}

void AddOptions(Command& program, Context& context) {
  program.AddOption("--server", context.server,
                    "Ask a server at this address: columns, query, explain, plan, analyse, budget, audit and "
                    "approvals, with the name "
                    "of a dataset instead of a policy; the token comes from KITH_TOKEN");
}

constexpr auto kVerbs = std::to_array<VerbEntry>({
    {"init", AddInit},
    {"import", AddImport},
    {"columns", AddColumns},
    {"explain", AddExplain},
    {"query", AddQuery},
    {"plan", AddPlan},
    {"analyse", AddAnalyse},
    {"predict", AddPredict},
    {"budget", AddBudget},
    {"policy", AddPolicy},
    {"ledger", AddLedger},
    {"serve", AddServe},
    {"user", AddUser},
    {"approvals", AddApprovals},
    {"transfer", AddTransfer},
    {"estimate", AddEstimate},
    {"check", AddCheck},
    {"audit", AddAudit},
    {"doctor", AddDoctor},
    {"completion", AddCompletion, false},
    {"manual", AddManual, false},
});

}  // namespace

int Main(int argc, char** argv) {
  if (IsForLaboratory(argc, argv)) return RunLaboratory(argc, argv);
  return RunCommandLine(
      {kAbout, kExits, "kith " KITH_VERSION, LaboratoryVerbs(), kVerbs, AddOptions, RefuseServer, WordsOfServer}, argc,
      argv);
}

}  // namespace kith::cli
