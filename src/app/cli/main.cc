// The command line. Thin: everything it does is a call into the library.
#include "app/cli/main.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/fail.h"
#include "app/cli/plan.h"
#include "app/cli/serve.h"
#include "base/spelling.h"
#include "document/codes.h"

namespace {

using kith::cli::Command;

kith::CancelFlag interrupted;

// The first Ctrl-C asks long work to stop; the second one ends the program at once (a charge on disk stays there).
extern "C" void OnInterrupt(int signal) {
  if (interrupted.cancelled()) std::_Exit(128 + signal);
  interrupted.Cancel();
}

// Beyond a limit on the size of files (ulimit -f) a write then fails with EFBIG, which is handled like a full disk.
// Caught, not ignored: what kith starts (probe) gets the default back.
extern "C" void OnFileTooLarge(int) {}

void InstallHandler() {
  struct sigaction action {};
  action.sa_handler = OnInterrupt;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  action.sa_handler = OnFileTooLarge;
  sigaction(SIGXFSZ, &action, nullptr);
}

constexpr const char* kAbout =
    "kith answers questions about data whose records depend on each other, with privacy guarantees that still hold\n"
    "against somebody who knows how they depend on each other.\n\n"
    "Start:  kith init people.csv > policy.toml     then edit policy.toml\n"
    "        kith explain policy.toml \"SELECT count(*) FROM people\" --epsilon 0.1\n"
    "        kith query   policy.toml \"SELECT count(*) FROM people\" --epsilon 0.1\n";

constexpr const char* kExits =
    "Exit codes: 0 done, 1 claim refuted, 2 bad usage or policy, 3 refused (budget), 4 refused (query), 5 storage,\n"
    "            6 internal, 130 interrupted.";

bool WantsJson(int argc, char** argv) {
  for (int k = 1; k < argc; ++k) {
    const std::string_view word(argv[k]), before(argv[k - 1]);
    if (word == "--json" || word == "--format=json" || (word == "json" && before == "--format")) return true;
  }
  return false;
}

// A verb with parts (analyse POLICY kmeans): which part is meant, and how to get its help.
kith::Error PartError(const Command& verb, int argc, char** argv, const std::string& what) {
  const bool of_policy = verb.HasOption("policy");  // it is between the two
  const int at = of_policy ? 3 : 2;
  const std::string start = fmt::format("kith {}{}", verb.name(), of_policy ? " policy.toml" : "");
  for (int k = 2; k < argc; ++k) {
    if (verb.Verb(argv[k])) return kith::InvalidArgument(what, {}, fmt::format("{} {} --help", start, argv[k]));
  }
  const auto names = verb.VerbNames();
  const std::string list = fmt::format("choose from: {}", fmt::join(names, ", "));
  if (argc <= at || argv[at][0] == '-') {
    return kith::InvalidArgument(fmt::format("kith {} does not say what to do", verb.name()), {},
                                 fmt::format("{} {} --help; {}", start, names.front(), list));
  }
  return kith::InvalidArgument(fmt::format("kith {} has no '{}'", verb.name(), argv[at]), {},
                               kith::DidYouMean(argv[at], names) + list);
}

// How many words --server and its address take, before the verb.
int WordsOfServer(int argc, char** argv) {
  if (argc < 2 || !std::string_view(argv[1]).starts_with("--server")) return 0;
  return std::string_view(argv[1]) == "--server" ? 2 : 1;
}

kith::Error UsageErrorOf(const Command& program, int argc, char** argv, const std::string& what) {
  const std::string word = argc > 1 ? argv[1] : "";
  if (const Command* verb = program.Verb(word)) {
    if (!verb->VerbNames().empty()) return PartError(*verb, argc, argv, what);
    const bool asks = word == "query" || word == "explain";
    return kith::InvalidArgument(what, {},
                                 fmt::format("kith {} --help{}", word, asks ? " (a question goes in quotes)" : ""));
  }
  if (word.empty()) return kith::InvalidArgument("a command is missing", {}, "kith --help");
  if (word[0] == '-') return kith::InvalidArgument(what, {}, "kith --help");
  const std::string nearest = kith::NearestWord(word, program.VerbNames());
  return kith::InvalidArgument(fmt::format("unknown command '{}'", word), {},
                               nearest.empty() ? "kith --help" : "kith " + nearest);
}

int UsageError(const Command& program, int argc, char** argv, const std::string& what) {
  const int words = WordsOfServer(argc, argv);
  return kith::cli::Fail(UsageErrorOf(program, argc - words, argv + words, what), WantsJson(argc, argv));
}

// What follows --server but cannot be asked of a server; empty: there is no such thing.
std::string NotForServer(int argc, char** argv) {
  const int at = 1 + WordsOfServer(argc, argv);
  if (at == 1 || at >= argc) return {};
  const std::string verb = argv[at], part = verb == "analyse" && at + 2 < argc ? argv[at + 2] : "";
  if (!kith::cli::IsRemoteVerb(verb)) return verb;
  return part == "records" ? verb + " ... " + part : "";
}

int Run(int argc, char** argv) {
  kith::cli::Program whole(kAbout, kExits, "kith " KITH_VERSION);
  Command& program = whole.command();
  kith::cli::Context context{&interrupted, 0};
  program.AddOption("--server", context.server,
                    "Ask a server at this address: columns, query, explain, plan, analyse, budget, audit and "
                    "approvals, with the name "
                    "of a dataset instead of a policy; the token comes from KITH_TOKEN");
  kith::cli::AddInit(program, context);
  kith::cli::AddImport(program, context);
  kith::cli::AddColumns(program, context);
  kith::cli::AddExplain(program, context);
  kith::cli::AddQuery(program, context);
  kith::cli::AddPlan(program, context);
  kith::cli::AddAnalyse(program, context);
  kith::cli::AddPredict(program, context);
  kith::cli::AddBudget(program, context);
  kith::cli::AddPolicy(program, context);
  kith::cli::AddLedger(program, context);
  kith::cli::AddServe(program, context);
  kith::cli::AddUser(program, context);
  kith::cli::AddApprovals(program, context);
  kith::cli::AddTransfer(program, context);
  kith::cli::AddRho(program, context);
  kith::cli::AddAffinity(program, context);
  kith::cli::AddEstimate(program, context);
  kith::cli::AddCheck(program, context);
  kith::cli::AddProbe(program, context);
  kith::cli::AddAudit(program, context);
  kith::cli::AddAttack(program, context);
  kith::cli::AddLeakage(program, context);
  kith::cli::AddSample(program, context);
  kith::cli::AddExperiment(program, context);
  kith::cli::AddDoctor(program, context);
  kith::cli::AddCompletion(program, context);
  kith::cli::AddManual(program, context);
  if (const std::string verb = NotForServer(argc, argv); !verb.empty() && program.Verb(verb.substr(0, verb.find(' '))))
    return kith::cli::Fail(
        kith::InvalidArgument(fmt::format("a server cannot be asked for this: {}", verb), {},
                              "run it beside the policy; of a server: columns, query, explain, plan, "
                              "analyse, budget, audit and approvals"),
        WantsJson(argc, argv));
  if (const auto misuse = whole.Run(argc, argv)) return UsageError(program, argc, argv, *misuse);
  return context.exit_code;
}

// What got through everything else. The text of a foreign exception may quote data: only its kind is said, and what
// the operating system calls it.
kith::Error Unexpected(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
    return kith::StorageError("memory ran out", {}, "give kith more memory, or ask for less at a time")
        .That(kith::Charged::kMaybe);
  }
  if (const auto* system = dynamic_cast<const std::system_error*>(&error)) {
    return kith::StorageError("the operating system refused: " + system->code().message(), {},
                              "look at the files, the disk and the limits of this account (ulimit -a)")
        .That(kith::Charged::kMaybe);
  }
  return kith::InternalError(fmt::format("internal error ({})", typeid(error).name()));
}

}  // namespace

int kith::cli::Main(int argc, char** argv) {
  InstallHandler();
  try {
    return Run(argc, argv);
  } catch (const std::exception& error) {
    const bool as_json = WantsJson(argc, argv);
    try {
      return kith::cli::Fail(Unexpected(error), as_json);
    } catch (const std::exception&) {  // not even that could be written
      return kith::document::ExitCodeOf(kith::Code::kStorage);
    }
  }
}
