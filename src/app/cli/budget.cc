// kith budget: what was spent on what, what is left, in both losses.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/fail.h"
#include "app/cli/text.h"
#include "app/cli/unproven.h"
#include "loss/loss_text.h"
#include "release/release.h"

namespace kith::cli {
namespace {

std::string Day(std::int64_t unix_seconds) {
  const std::time_t time = unix_seconds;
  std::tm parts{};
  gmtime_r(&time, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &parts);
  return text;
}

/// What the policy allows, or what was spent where that is more: before its epsilon was lowered.
double TotalAtMost(const BudgetReport& report) {
  double total = report.epsilon_total;
  for (const auto& cell : report.cells) total = std::max(total, cell.dependent_spent);
  return total;
}

nlohmann::json NumberOrNull(double value) { return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(); }

std::string TotalText(const BudgetReport& report, const std::string& stay) {
  const double total = TotalAtMost(report);
  std::string text = std::isfinite(total) ? fmt::format("at most {} of dependent loss", LossText(total))
                                          : "no bound on the dependent loss";
  if (!report.guarantee.one_sided.empty()) text += ", noisy answers alone";
  text += fmt::format(", by {}", report.guarantee.bound);
  if (!stay.empty()) text += ", of a unit " + stay;
  if (total > report.epsilon_total * (1 + 1e-9))
    text +=
        fmt::format("; spent before, and more than the {} that the policy now allows", LeftText(report.epsilon_total));
  return text;
}

std::string VersionLine(const DataLine& line) {
  const std::string name = line.label.empty() ? fmt::format("{}", line.number) : fmt::format("'{}'", line.label);
  return fmt::format("data: version {}{}", name,
                     line.merged ? "; every cell starts with the most that anybody can have lost" : "");
}

void PrintJson(const BudgetReport& report, const std::string& stay) {
  const Guarantee& g = report.guarantee;
  nlohmann::json out = {{"epsilon_total", report.epsilon_total},
                        {"transfer", g.bound},
                        {"adversary", g.adversary},
                        {"assumes", g.assumes},
                        {"ledger_head", report.head},
                        {"data_version", report.guarantee.version},
                        {"policy_changed", report.policy_changed}};
  const bool alone = !g.one_sided.empty();  // no loss of everything that was released has a bound
  out["dependent_total"] = alone ? nlohmann::json() : NumberOrNull(TotalAtMost(report));
  if (!stay.empty()) out["about"] = "a unit " + stay;
  if (!g.unproven.empty()) out["unproven"] = g.unproven;
  if (g.audit) out["audit"] = {{"dependent", g.audit->dependent}, {"exact", g.audit->exact}, {"of", g.audit->of}};
  if (!g.moves.empty()) out["moves"] = g.moves;
  if (!g.one_sided.empty()) out["one_sided_warning"] = g.one_sided;
  out["one_sided"] = nlohmann::json::array();
  for (const auto& line : report.one_sided) {
    out["one_sided"].push_back({{"attribute", line.account.name},
                                {"spent", line.account.spent.epsilon()},
                                {"limit", line.limit ? nlohmann::json(*line.limit) : nlohmann::json(nullptr)},
                                {"rules", line.account.rules}});
  }
  out["cells"] = nlohmann::json::array();
  for (const auto& cell : report.cells) {
    out["cells"].push_back({{"name", cell.name},
                            {"plain_spent", cell.plain_spent},
                            {"plain_budget", cell.plain_budget},
                            {"dependent_spent", alone ? nlohmann::json() : NumberOrNull(cell.dependent_spent)}});
    if (alone) out["cells"].back()["noisy_answers_alone"] = NumberOrNull(cell.dependent_spent);
  }
  out["versions"] = nlohmann::json::array();
  for (const auto& line : report.versions) {
    out["versions"].push_back({{"number", line.number},
                               {"version", line.label},
                               {"time", line.unix_seconds},
                               {"after_charge", line.after_charge},
                               {"cells_merged", line.merged}});
  }
  if (report.safe_from > 0) out["heads_safe_after"] = report.safe_from;
  out["history"] = nlohmann::json::array();
  for (const auto& line : report.history) {
    out["history"].push_back({{"number", line.number},
                              {"time", line.unix_seconds},
                              {"question", line.question},
                              {"plain_epsilon", line.units.epsilon()},
                              {"cells", line.cells.size()},
                              {"one_sided_attribute", line.one_sided_account},
                              {"one_sided_epsilon", line.one_sided_units.epsilon()},
                              {"answered", line.answered},
                              {"head", line.head}});
    if (!stay.empty()) out["history"].back()["step"] = line.tick;
  }
  fmt::print("{}\n", out.dump());
}

void PrintText(const BudgetReport& report, const std::string& stay) {
  const std::size_t width = TerminalWidth();
  const bool stream = !stay.empty();
  fmt::print("{}", Warnings(report.guarantee));
  if (report.policy_changed) {
    fmt::print("{}\n\n", Wrap("Dependence or budget changed since the last charge: all that was spent is counted again "
                              "under the policy as it is now.",
                              width, 0));
  }
  TextTable cells({"charged for", "plain spent", "plain budget", "dependent", "left"});
  constexpr std::size_t kShown = 20;
  auto sorted = report.cells;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.dependent_spent > b.dependent_spent; });
  for (std::size_t i = 0; i < std::min(kShown, sorted.size()); ++i) {
    const auto& cell = sorted[i];
    const double left = cell.plain_budget > 0 ? 1 - cell.plain_spent / cell.plain_budget : 0;
    cells.Add({cell.name, LossText(cell.plain_spent), LeftText(cell.plain_budget), LossText(cell.dependent_spent),
               fmt::format("{:.0f} %", std::floor(std::max(0.0, left) * 100))});
  }
  fmt::print("{}", cells.Render(width));
  if (sorted.size() > kShown)
    fmt::print("… and {} more cells, none with a larger loss (--json lists all)\n", sorted.size() - kShown);
  if (stream)
    fmt::print("\n{}", Labelled("stream",
                                "spent is the most so far of a unit " + stay +
                                    ", not the sum of all steps; it becomes available again as steps pass",
                                width));
  fmt::print("\n{}", Labelled("total", TotalText(report, stay), width));
  const Guarantee& g = report.guarantee;
  fmt::print("{}{}{}\n", AuditLine(g, width), Labelled("adversary", g.adversary, width),
             Labelled("assumption", g.assumes, width));
  if (!g.moves.empty()) fmt::print("{}\n", Labelled("moves", g.moves, width));
  if (!report.one_sided.empty()) {
    TextTable accounts({"one-sided", "spent", "limit", "sensitive"});
    for (const auto& line : report.one_sided) {
      accounts.Add({line.account.name, LossText(line.account.spent.epsilon()),
                    line.limit ? LeftText(*line.limit) : "not in the policy",
                    fmt::format("{}", fmt::join(line.account.rules, "; and "))});
    }
    fmt::print("{}\n", accounts.Render(width));
  }
  TextTable history({"#", "when (UTC)", "plain", "cells", "head", "question"});
  constexpr std::size_t kSteps = 50;  // a stream goes on without end
  const std::size_t hidden = stream && report.history.size() > kSteps ? report.history.size() - kSteps : 0;
  if (hidden > 0) fmt::print("{} earlier charges are not shown (--json lists all)\n\n", hidden);
  auto version = report.versions.begin();
  const auto versions_before = [&](std::int64_t number) {
    for (; version != report.versions.end() && version->after_charge < number; ++version) {
      if (version->number > 1 || version->merged || !version->label.empty())
        history.Add({"", Day(version->unix_seconds), "", "", "", VersionLine(*version)});
    }
  };
  for (std::size_t i = hidden; i < report.history.size(); ++i) {
    const auto& line = report.history[i];
    versions_before(line.number);
    history.Add({fmt::format("{}", line.number), Day(line.unix_seconds),
                 line.one_sided_account.empty() ? LossText(line.units.epsilon())
                                                : fmt::format("{} one-sided", LossText(line.one_sided_units.epsilon())),
                 fmt::format("{}", line.cells.size()), line.head.substr(0, 8),
                 (line.answered ? "" : "(charged, no answer) ") +
                     (stream ? fmt::format("step {} of ", line.tick) : "") + line.question});
  }
  versions_before(std::numeric_limits<std::int64_t>::max());
  if (report.safe_from > 0) {
    fmt::print(
        "{}\n",
        Wrap(fmt::format("Entries 1 to {} are from before the ledger had a secret. Their heads were digests that "
                         "somebody who knew nearly all of the data could test guesses against; they are no longer "
                         "shown.",
                         report.safe_from),
             width, 0));
  }
  if (report.history.empty())
    fmt::print("No question has been asked yet.\n");
  else
    fmt::print("{}", history.Render(OnTerminal() ? width : std::string::npos));  // a file gets the whole questions
}

}  // namespace

void AddBudget(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("budget", "Show what was spent, on what, and what is left, in both losses");
  command->footer("Example:\n  kith budget policy.toml");
  struct Options {
    std::string policy;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  command->add_option("policy", options->policy, "The policy file")->required();
  command->add_flag("--json", options->json, "Machine-readable output");
  command->callback([options, &context] {
    const auto curator = Curator::Open(options->policy, {}, TerminalCall(*context.cancel));
    const auto report = curator ? curator->Budget() : Result<BudgetReport>(curator.error());
    if (!report) {
      context.exit_code = Fail(report.error(), options->json);
    } else if (options->json) {
      PrintJson(*report, StayOf(curator->policy()));
    } else {
      PrintText(*report, StayOf(curator->policy()));
    }
  });
}

}  // namespace kith::cli
