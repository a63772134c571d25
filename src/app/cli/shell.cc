// kith completion, kith manual: the command line described to shells and to man.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/fail.h"
#include "app/cli/manual.h"
#include "app/cli/show.h"

namespace kith::cli {
namespace {

bool Write(const std::filesystem::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  return out.flush().good();
}

}  // namespace

void AddCompletion(Command& app, Context&) {
  auto* command = app.AddVerb("completion", "Print a script that completes verbs and options in a shell");
  command->Footer(
      "Examples:\n  kith completion bash > ~/.local/share/bash-completion/completions/kith\n"
      "  kith completion zsh > ~/.zfunc/_kith      (a folder of $fpath)\n"
      "  kith completion fish > ~/.config/fish/completions/kith.fish");
  auto shell = std::make_shared<std::string>();
  command->AddOption("shell", *shell, "bash, zsh or fish")->Required()->OneOf({"bash", "zsh", "fish"});
  command->Run([shell, &app] {
    const VerbFacts facts = app.Facts();
    Show(*shell == "bash" ? BashCompletion(facts) : *shell == "zsh" ? ZshCompletion(facts) : FishCompletion(facts));
  });
}

void AddManual(Command& app, Context& context) {
  auto* command = app.AddVerb("manual", "Write the manual pages, one for each verb, into a folder");
  command->Footer("Example:\n  kith manual man1 && man -l man1/kith-query.1");
  auto folder = std::make_shared<std::string>();
  command->AddOption("folder", *folder, "Where to; it is made if it is not there")->Required();
  command->Run([folder, &app, &context] {
    const VerbFacts facts = app.Facts();
    const std::filesystem::path to = *folder;
    std::error_code failed;
    std::filesystem::create_directories(to, failed);
    bool written = !failed && Write(to / "kith.1", ManualPage(facts, KITH_VERSION));
    for (const VerbFacts& verb : facts.verbs)
      written = written && Write(to / fmt::format("kith-{}.1", verb.name), ManualPageOf(verb, KITH_VERSION));
    if (!written)
      context.exit_code =
          Fail(StorageError("the manual pages cannot be written", *folder, "name a folder that this user may write to"),
               false);
  });
}

}  // namespace kith::cli
