// kith policy diff: what a changed policy would mean for what was spent, before it is used.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/fail.h"
#include "app/cli/show.h"
#include "app/cli/text.h"
#include "app/cli/unproven.h"
#include "document/codes.h"
#include "document/json_line.h"
#include "document/policy_diff.h"

namespace kith::cli {
namespace {

// The values that take a total other than their own.
std::string CellsText(const PolicyDiff& diff, std::size_t width) {
  std::string text;
  for (const std::string& column : diff.columns) {
    const auto& all = diff.growth.origins;
    const auto origins = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.column == column; });
    if (origins == all.end()) {
      text +=
          Labelled("cells", fmt::format("{}: every value starts with the total of the cell it divides", column), width);
      continue;
    }
    for (const auto& [value, from] : origins->from) {
      if (from == std::vector<std::string>{value}) continue;
      text += Labelled(
          "cells", fmt::format("{} = {} starts with the largest total of: {}", column, value, fmt::join(from, ", ")),
          width);
    }
  }
  return text;
}

std::string StoredText(const PolicyDiff& diff) {
  if (diff.growth.all_asked_again) return "no stored answer is found again: max_rows is part of every question";
  constexpr const char* kVersion =
      "about the same version of the data (an import begins another, unless [data] version is declared)";
  if (diff.growth.asked_again.empty()) return fmt::format("all stored answers {} are found again", kVersion);
  return fmt::format("stored answers {} are found again unless they read what changed about {:.200}", kVersion,
                     fmt::join(diff.growth.asked_again, ", "));
}

std::string DiffText(const PolicyDiff& diff, std::size_t width) {
  std::string text = Warning(diff.alarm, width);
  if (diff.growth.changes.empty()) text += "Nothing that matters to the ledger differs.\n";
  for (const PolicyChange& change : diff.growth.changes) {
    const bool done = change.verdict == GrowthVerdict::kReview && diff.reviewed;
    const std::string next = done || change.next.empty() ? "" : ": " + change.next;
    text += Labelled(done ? "reviewed" : std::string(document::NameOf(change.verdict)),
                     fmt::format("{} ({}){}", change.what, change.why, next), width);
  }
  text += CellsText(diff, width);
  if (diff.growth.other_data) text += Labelled("data", "a new version of the data begins", width);
  if (diff.accepted) text += Labelled("stored", StoredText(diff), width);
  const std::string number = diff.generation ? fmt::format(" as generation {}", *diff.generation) : "";
  text += Labelled("in all",
                   diff.accepted ? "accepted" + number + (diff.reason.empty() ? "" : ": " + diff.reason)
                                 : "not accepted: " + diff.reason,
                   width);
  return text;
}

}  // namespace

void AddPolicy(Command& app, Context& context) {
  auto* command = app.AddVerb("policy", "Compare policies");
  command->RequireVerb();
  auto* diff =
      command->AddVerb("diff", "Show what of a changed policy is accepted under its ledger, what is refused and why");
  diff->Footer(
      "Nothing is written. Exit code 2 if the new policy would not be accepted.\n\n"
      "Example:\n  kith policy diff policy.toml wider.toml");
  struct Options {
    std::string before, after;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  diff->AddOption("old", options->before, "The policy that the ledger was used under")->Required();
  diff->AddOption("new", options->after, "The policy as it shall be")->Required();
  diff->AddFlag("--json", options->json, "Machine-readable output");
  diff->Run([options, &context] {
    const auto found = DiffPolicies(options->before, options->after, TerminalCall(*context.cancel));
    if (!found) {
      context.exit_code = Fail(found.error(), options->json);
      return;
    }
    Show(options->json ? document::JsonLine(*found) : DiffText(*found, TerminalWidth()));
    if (!found->accepted) context.exit_code = document::ExitCodeOf(Code::kInvalidArgument);
  });
}

}  // namespace kith::cli
