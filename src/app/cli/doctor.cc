// kith doctor: whether this machine can keep what kith promises.
#include "release/upkeep/doctor.h"

#include <algorithm>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/fail.h"
#include "app/cli/show.h"
#include "app/cli/text.h"
#include "base/json.h"
#include "document/codes.h"

namespace kith::cli {
namespace {

const char* Word(Health health) {
  switch (health) {
    case Health::kGood:
      return "ok";
    case Health::kDoubtful:
      return "doubtful";
    case Health::kBad:
      break;
  }
  return "bad";
}

std::string FindingsText(const std::vector<Finding>& findings, std::size_t width) {
  std::string text;
  for (const Finding& each : findings) {
    const std::string mark = each.health == Health::kGood ? "" : std::string(Word(each.health)) + ": ";
    text += Labelled(each.about, mark + each.what + (each.next.empty() ? "" : "; " + each.next), width);
  }
  return text;
}

Json FindingsJson(const std::vector<Finding>& findings) {
  Json all = Json::array();
  for (const Finding& each : findings) {
    Json line = {{"about", each.about}, {"health", Word(each.health)}, {"what", each.what}};
    if (!each.next.empty()) line["next"] = each.next;
    all.push_back(std::move(line));
  }
  return {{"findings", all}};
}

}  // namespace

void AddDoctor(Command& app, Context& context) {
  auto* command = app.AddVerb("doctor", "Examine engine, randomness and clock, and what lies beside a policy");
  command->Footer(
      "With a policy: its sources, the disk under its ledger, permissions, and the ledger itself. Reads no data.\n"
      "Exit code 5 if something is bad.\n\nExample:\n  kith doctor policy.toml");
  struct Options {
    std::string policy;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  command->AddOption("policy", options->policy, "The policy file");
  command->AddFlag("--json", options->json, "Machine-readable output");
  command->Run([options, &context] {
    const auto found = Examine(options->policy, TerminalCall(*context.cancel));
    Show(options->json ? JsonText(FindingsJson(found)) + "\n" : FindingsText(found, TerminalWidth()));
    const bool bad =
        std::any_of(found.begin(), found.end(), [](const Finding& each) { return each.health == Health::kBad; });
    if (bad) context.exit_code = document::ExitCodeOf(Code::kStorage);
  });
}

}  // namespace kith::cli
