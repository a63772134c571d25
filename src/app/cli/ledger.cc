// kith ledger: whole copies, whether a ledger is the one that answers were charged to, and one that continues another.
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/fail.h"
#include "app/cli/show.h"
#include "app/cli/text.h"
#include "base/json.h"
#include "base/text_file.h"
#include "loss/loss_text.h"
#include "release/upkeep/backup.h"
#include "release/upkeep/carry.h"

namespace kith::cli {
namespace {

std::string CarryText(const CarryReport& report, std::size_t width) {
  std::string text = Labelled("sealed", report.from + ": nothing is charged to it any more", width);
  text += Labelled("carried",
                   fmt::format("a plain loss of up to {} to {}, {}", LossText(report.largest), report.to,
                               report.by_cell ? "from cell to cell" : "the largest of any cell to every cell"),
                   width);
  if (report.exceeds) {
    text += Labelled("budget",
                     fmt::format("the total is more than the epsilon of {} that the new policy allows: nothing more "
                                 "can be asked until it allows more",
                                 LeftText(report.allowed)),
                     width);
  } else {
    text += Labelled("budget",
                     fmt::format("an epsilon of at most {} of {} is left for a question about everybody",
                                 LeftText(std::floor(report.left * 1e4) / 1e4), LeftText(report.allowed)),
                     width);
  }
  if (report.one_sided) text += Labelled("one-sided", "accounts of true records were carried over as they were", width);
  return text;
}

Json CarryJson(const CarryReport& report) {
  return {{"sealed", report.from},         {"to", report.to},
          {"plain", report.largest},       {"by_cell", report.by_cell},
          {"one_sided", report.one_sided}, {"epsilon_left", report.left},
          {"exceeds", report.exceeds}};
}

struct FileOptions {
  std::string policy, copy;
  std::vector<std::string> certificates;
  bool json = false;
};

Json StateJson(const LedgerState& state) {
  return {{"ledger", state.file},
          {"charges", state.charges},
          {"ledger_hash", state.head},
          {"certificates", state.certificates}};
}

std::string StateText(const LedgerState& state, const char* what, std::size_t width) {
  std::string text = Labelled(what, state.file + ": whole, with its chain, totals and answers", width);
  text += Labelled("charges", fmt::format("{}, head {}", state.charges, state.head.substr(0, 16)), width);
  if (state.certificates > 0)
    text += Labelled("answers", fmt::format("{} compared: it has the charge of every one", state.certificates), width);
  return text;
}

void ShowState(const Result<LedgerState>& state, const char* what, bool as_json, Context& context) {
  if (!state) {
    context.exit_code = Fail(state.error(), as_json);
    return;
  }
  Show(as_json ? JsonText(StateJson(*state)) + "\n" : StateText(*state, what, TerminalWidth()));
}

void AddBackup(Command& command, Context& context) {
  auto* backup = command.AddVerb("backup", "Copy a ledger while it is used, and verify the copy");
  backup->Footer(
      "The copy is as confidential as the ledger.\n\nExample:\n  kith ledger backup people.toml "
      "/backup/people.ledger.1");
  auto options = std::make_shared<FileOptions>();
  backup->AddOption("policy", options->policy, "The policy whose ledger is copied")->Required();
  backup->AddOption("copy", options->copy, "A new file; nothing is replaced")->Required();
  backup->AddFlag("--json", options->json, "Machine-readable output");
  backup->Run([options, &context] {
    ShowState(BackUpLedger(options->policy, options->copy, TerminalCall(*context.cancel)), "copied", options->json,
              context);
  });
}

void AddVerify(Command& command, Context& context) {
  auto* verify = command.AddVerb("verify", "Read a whole ledger again, and compare it with answers that it paid for");
  verify->Footer(
      "A ledger that was restored from an older copy does not have the charges of later answers.\n\nExample:\n  kith "
      "ledger verify people.toml answer.json --copy /backup/people.ledger.1");
  auto options = std::make_shared<FileOptions>();
  verify->AddOption("policy", options->policy, "The policy whose ledger is read")->Required();
  verify->AddOption("certificates", options->certificates, "Answers as printed with --json, or their certificates");
  verify->AddOption("--copy", options->copy, "Read this copy instead of the ledger of the policy");
  verify->AddFlag("--json", options->json, "Machine-readable output");
  verify->Run([options, &context] {
    const auto state = [&]() -> Result<LedgerState> {
      std::vector<Certified> certificates;
      for (const std::string& file : options->certificates) {
        const auto text = ReadTextFile(file);
        if (!text) return text.error();
        auto certified = CertifiedIn(*text, file);
        if (!certified) return certified.error();
        certificates.push_back(std::move(*certified));
      }
      return VerifyLedger(options->policy, options->copy, certificates, TerminalCall(*context.cancel));
    }();
    ShowState(state, "verified", options->json, context);
  });
}

}  // namespace

void AddLedger(Command& app, Context& context) {
  auto* command = app.AddVerb("ledger", "Copy and verify a ledger, or move what was spent to another one");
  command->RequireVerb();
  AddBackup(*command, context);
  AddVerify(*command, context);
  auto* carry =
      command->AddVerb("carry", "Seal the ledger of one policy, and add what was spent to the ledger of another");
  carry->Footer("Interrupted, it is finished by running it again.\n\nExample:\n  kith ledger carry old.toml new.toml");
  struct Options {
    std::string before, after;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  carry->AddOption("old", options->before, "The policy whose ledger ends")->Required();
  carry->AddOption("new", options->after, "The policy whose ledger goes on")->Required();
  carry->AddFlag("--json", options->json, "Machine-readable output");
  carry->Run([options, &context] {
    const auto report = CarryLedger(options->before, options->after, TerminalCall(*context.cancel));
    if (!report) {
      context.exit_code = Fail(report.error(), options->json);
      return;
    }
    Show(options->json ? JsonText(CarryJson(*report)) + "\n" : CarryText(*report, TerminalWidth()));
  });
}

}  // namespace kith::cli
