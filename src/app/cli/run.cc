#include "app/cli/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "app/cli/fail.h"
#include "base/spelling.h"
#include "base/unexpected.h"
#include "document/codes.h"

namespace kith::cli {
namespace {

CancelFlag interrupted;

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

bool WantsJson(int argc, char** argv) {
  for (int k = 1; k < argc; ++k) {
    const std::string_view word(argv[k]), before(argv[k - 1]);
    if (word == "--json" || word == "--format=json" || (word == "json" && before == "--format")) return true;
  }
  return false;
}

// A verb with parts (analyse POLICY kmeans): which part is meant, and how to get its help.
Error PartError(const Command& verb, int argc, char** argv, const std::string& what) {
  const bool of_policy = verb.HasOption("policy");  // it is between the two
  const int at = of_policy ? 3 : 2;
  const std::string start = fmt::format("kith {}{}", verb.name(), of_policy ? " policy.toml" : "");
  for (int k = 2; k < argc; ++k) {
    if (verb.Verb(argv[k])) return InvalidArgument(what, {}, fmt::format("{} {} --help", start, argv[k]));
  }
  const auto names = verb.VerbNames();
  const std::string list = fmt::format("choose from: {}", fmt::join(names, ", "));
  if (argc <= at || argv[at][0] == '-') {
    return InvalidArgument(fmt::format("kith {} does not say what to do", verb.name()), {},
                           fmt::format("{} {} --help; {}", start, names.front(), list));
  }
  return InvalidArgument(fmt::format("kith {} has no '{}'", verb.name(), argv[at]), {},
                         DidYouMean(argv[at], names) + list);
}

Error UsageErrorOf(const Command& program, const std::vector<std::string>& elsewhere, int argc, char** argv,
                   const std::string& what) {
  const std::string word = argc > 1 ? argv[1] : "";
  if (const Command* verb = program.Verb(word)) {
    if (!verb->VerbNames().empty()) return PartError(*verb, argc, argv, what);
    const bool asks = word == "query" || word == "explain";
    return InvalidArgument(what, {}, fmt::format("kith {} --help{}", word, asks ? " (a question goes in quotes)" : ""));
  }
  if (word.empty()) return InvalidArgument("a command is missing", {}, "kith --help");
  if (word[0] == '-') return InvalidArgument(what, {}, "kith --help");
  auto known = program.VerbNames();
  known.insert(known.end(), elsewhere.begin(), elsewhere.end());
  const std::string nearest = NearestWord(word, known);
  return InvalidArgument(fmt::format("unknown command '{}'", word), {},
                         nearest.empty() ? "kith --help" : "kith " + nearest);
}

int UsageError(const Command& program, const Verbs& verbs, int argc, char** argv, const std::string& what) {
  const int before = verbs.before ? verbs.before(argc, argv) : 0;
  return Fail(UsageErrorOf(program, verbs.elsewhere, argc - before, argv + before, what), WantsJson(argc, argv));
}

// The verb that is asked for; all of them where none is, for help and for what was meant.
void Declare(const Verbs& verbs, Command& program, Context& context, int argc, char** argv) {
  if (verbs.options) verbs.options(program, context);
  const int at = 1 + (verbs.before ? verbs.before(argc, argv) : 0);
  const std::string_view word = at < argc ? argv[at] : "";
  const auto asked = std::ranges::find(verbs.verbs, word, &VerbEntry::name);
  if (asked != verbs.verbs.end() && asked->alone) return asked->add(program, context);
  for (const VerbEntry& verb : verbs.verbs) verb.add(program, context);
}

int RunVerb(const Verbs& verbs, int argc, char** argv) {
  Program whole(verbs.about, verbs.footer, verbs.version);
  Command& program = whole.command();
  Context context{&interrupted, 0};
  Declare(verbs, program, context, argc, argv);
  if (verbs.refuse) {
    if (const auto refused = verbs.refuse(program, argc, argv)) return Fail(*refused, WantsJson(argc, argv));
  }
  if (const auto misuse = whole.Run(argc, argv)) return UsageError(program, verbs, argc, argv, *misuse);
  return context.exit_code;
}

}  // namespace

int RunCommandLine(const Verbs& verbs, int argc, char** argv) {
  InstallHandler();
  try {
    return RunVerb(verbs, argc, argv);
  } catch (const std::exception& error) {
    const bool as_json = WantsJson(argc, argv);
    try {
      return Fail(Unexpected(error), as_json);
    } catch (const std::exception&) {  // not even that could be written
      return document::ExitCodeOf(Code::kStorage);
    }
  }
}

}  // namespace kith::cli
