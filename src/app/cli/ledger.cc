// kith ledger carry: one ledger ends, and another goes on with what was spent.
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/fail.h"
#include "app/cli/show.h"
#include "app/cli/text.h"
#include "base/json.h"
#include "loss/loss_text.h"
#include "release/carry.h"

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

nlohmann::json CarryJson(const CarryReport& report) {
  return {{"sealed", report.from},         {"to", report.to},
          {"plain", report.largest},       {"by_cell", report.by_cell},
          {"one_sided", report.one_sided}, {"epsilon_left", report.left},
          {"exceeds", report.exceeds}};
}

}  // namespace

void AddLedger(Command& app, Context& context) {
  auto* command = app.AddVerb("ledger", "Move what was spent to another ledger");
  command->RequireVerb();
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
