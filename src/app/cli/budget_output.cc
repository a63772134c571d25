#include "app/cli/budget_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/cli/text.h"
#include "app/cli/unproven.h"
#include "document/words.h"
#include "loss/loss_kinds.h"
#include "loss/loss_text.h"

namespace kith::cli {
namespace {

// What was spent is rounded up and what is allowed down: with more digits where that would read as more than allowed.
std::pair<std::string, std::string> SpentAndBudget(double spent, double budget) {
  constexpr int kDigits = 4, kMost = 8;
  for (int digits = kDigits; spent < budget && digits <= kMost; ++digits) {
    const std::string up = LossText(spent, digits), down = LeftText(budget, digits);
    if (std::stod(up) <= std::stod(down)) return {up, down};
  }
  return {LossText(spent), spent > budget ? LeftText(budget) : LossText(budget)};
}

std::string PriceText(double price) { return LeftText(std::floor(price * 1e4) / 1e4); }

std::string EverybodyText(const BudgetReport& report) {
  if (!report.continued_in.empty()) return "nothing can be asked under this ledger any more";
  const std::string left = PriceText(report.epsilon_left);
  // Something is left of every cap, but no price would do.
  const auto open = [](const BudgetReport::Cell& cell) {
    const bool room = cell.mu_cap > 0 ? cell.mu_spent < cell.mu_cap : cell.plain_spent < cell.plain_budget;
    return room && cell.epsilon_left == 0;
  };
  if (report.guarantee.CountsDelta() && std::all_of(report.cells.begin(), report.cells.end(), open))
    return "nothing: the policy now allows less than the caps that were fixed when this ledger began to count with a "
           "delta";
  return left == "0" ? "nothing for a question about everybody: some cell of the table above has nothing left"
                     : fmt::format("a question about everybody may cost up to --epsilon {} of the policy's {}", left,
                                   LeftText(report.epsilon_total));
}

std::string CapsTable(const BudgetReport& report, std::size_t width) {
  TextTable cells({"charged for", "Gaussian loss", "cap", "left", "as --epsilon"});
  constexpr std::size_t kShown = 20;
  auto sorted = report.cells;
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.mu_spent > b.mu_spent; });
  for (std::size_t i = 0; i < std::min(kShown, sorted.size()); ++i) {
    const auto& cell = sorted[i];
    const double used = cell.mu_cap > 0 ? cell.mu_spent * cell.mu_spent / (cell.mu_cap * cell.mu_cap) : 1;
    cells.Add({cell.name, LossText(cell.mu_spent), LeftText(cell.mu_cap),
               fmt::format("{:.0f} %", std::floor(std::max(0.0, 1 - used) * 100)), PriceText(cell.epsilon_left)});
  }
  std::string text = cells.Render(width);
  if (sorted.size() > kShown)
    text += fmt::format("… and {} more cells, none with a larger loss (--json lists all)\n", sorted.size() - kShown);
  return text + "\n" + Labelled("delta", document::CapsText(report.guarantee), width);
}

// Pure losses against their limits, and deltas against their caps.
std::string DeltasTable(const BudgetReport& report, std::size_t width) {
  TextTable cells({"charged for", "plain spent", "plain budget", "delta spent", "delta cap", "left", "as --epsilon"});
  constexpr std::size_t kShown = 20;
  auto sorted = report.cells;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.plain_spent > b.plain_spent; });
  for (std::size_t i = 0; i < std::min(kShown, sorted.size()); ++i) {
    const auto& cell = sorted[i];
    const auto [spent, budget] = SpentAndBudget(cell.plain_spent, cell.plain_budget);
    const double left = cell.plain_budget > 0 ? 1 - cell.plain_spent / cell.plain_budget : 0;
    cells.Add({cell.name, spent, budget, LossText(cell.delta_spent), LeftText(cell.delta_cap),
               fmt::format("{:.0f} %", std::floor(std::max(0.0, left) * 100)), PriceText(cell.epsilon_left)});
  }
  std::string text = cells.Render(width);
  if (sorted.size() > kShown)
    text += fmt::format("… and {} more cells, none with a larger loss (--json lists all)\n", sorted.size() - kShown);
  return text + "\n" + Labelled("delta", document::CapsText(report.guarantee), width);
}

std::string CellsText(const BudgetReport& report, std::size_t width) {
  const Guarantee& g = report.guarantee;
  if (g.mu_cap > 0) return CapsTable(report, width);
  if (g.CountsDelta()) return DeltasTable(report, width);
  std::vector<std::string> header = {"charged for", "plain spent", g.counts_presence ? "budget" : "plain budget",
                                     "dependent",   "left",        "as --epsilon"};
  if (g.plain_presence) header.insert(header.begin() + (g.counts_presence ? 2 : 4), "presence");
  TextTable cells(header);
  constexpr std::size_t kShown = 20;
  auto sorted = report.cells;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.dependent_spent > b.dependent_spent; });
  for (std::size_t i = 0; i < std::min(kShown, sorted.size()); ++i) {
    const auto& cell = sorted[i];
    const bool open = report.continued_in.empty();  // a sealed ledger has nothing left for anybody
    const double counted = g.counts_presence ? cell.plain_presence : cell.plain_spent;
    const double left = open && cell.plain_budget > 0 ? 1 - counted / cell.plain_budget : 0;
    const auto [spent, budget] = SpentAndBudget(counted, cell.plain_budget);
    std::vector<std::string> line = {cell.name,
                                     g.counts_presence ? LossText(cell.plain_spent) : spent,
                                     budget,
                                     LossText(cell.dependent_spent),
                                     fmt::format("{:.0f} %", std::floor(std::max(0.0, left) * 100)),
                                     PriceText(cell.epsilon_left)};
    if (g.counts_presence)
      line.insert(line.begin() + 2, spent);
    else if (g.plain_presence)
      line.insert(line.begin() + 4, LossText(cell.plain_presence));
    cells.Add(std::move(line));
  }
  std::string text = cells.Render(width);
  if (sorted.size() > kShown)
    text += fmt::format("… and {} more cells, none with a larger loss (--json lists all)\n", sorted.size() - kShown);
  return text;
}

std::string OneSidedText(const BudgetReport& report, std::size_t width) {
  if (report.one_sided.empty()) return {};
  TextTable accounts({"one-sided", "spent", "limit", "sensitive"});
  for (const auto& line : report.one_sided) {
    accounts.Add({line.account.name, LossText(line.account.spent.epsilon()),
                  line.limit ? LeftText(*line.limit) : "not in the policy",
                  fmt::format("{}", fmt::join(line.account.rules, "; and "))});
  }
  return accounts.Render(width) + "\n";
}

// Both accounts that a charge went to.
std::string PaidText(const HistoryLine& line) {
  const auto value = [](LossKind kind, std::int64_t amount) {
    return Loss::Of(kind, std::min(amount, Loss::Largest(kind))).value().value(kind);
  };
  const std::string beside =
      line.delta > 0 ? fmt::format(", delta {}", document::DeltaText(value(LossKind::kDelta, line.delta))) : "";
  if (line.mu > 0) return fmt::format("mu {}{}", LossText(std::sqrt(value(LossKind::kMu, line.mu))), beside);
  const std::string plain = LossText(line.units.epsilon()) + beside;
  if (line.one_sided_account.empty()) return plain;
  const std::string one_sided = LossText(line.one_sided_units.epsilon()) + " one-sided";
  return line.units.count() == 0 ? one_sided : plain + " + " + one_sided;
}

std::string HistoryText(const BudgetReport& report, bool stream, std::size_t first, std::size_t width) {
  TextTable history({"#", "when (UTC)", "plain", "cells", "head", "question"});
  auto version = report.versions.begin();
  auto generation = report.generations.begin();
  const auto versions_before = [&](std::int64_t number) {
    for (; version != report.versions.end() && version->after_charge < number; ++version) {
      if (version->number > 1 || version->merged || !version->label.empty())
        history.Add({"", document::TimeText(version->unix_seconds), "", "", "", document::VersionText(*version)});
    }
    for (; generation != report.generations.end() && generation->after_charge < number; ++generation) {
      if (generation->number > 1)
        history.Add({"", document::TimeText(generation->unix_seconds), "", "", "",
                     fmt::format("policy: generation {}", generation->number)});
    }
  };
  for (std::size_t i = first; i < report.history.size(); ++i) {
    const auto& line = report.history[i];
    versions_before(line.number);
    history.Add({fmt::format("{}", line.number), document::TimeText(line.unix_seconds), PaidText(line),
                 fmt::format("{}", line.cells.size()), line.head.substr(0, 8),
                 std::string(line.answered ? "" : "(charged, no answer) ") +
                     (line.level == UnitLevel::kHousehold ? "about households: " : "") +
                     (stream ? fmt::format("step {} of ", line.tick) : "") + line.question});
  }
  versions_before(std::numeric_limits<std::int64_t>::max());
  return history.Render(width);
}

}  // namespace

std::string BudgetText(const BudgetReport& report, const std::string& stay, const BudgetWidths& widths) {
  const std::size_t width = widths.text;
  const bool stream = !stay.empty();
  std::string text = Warnings(report.guarantee, width);
  if (report.policy_changed) {
    text += Wrap(
                "The policy changed since the last charge: all that was spent is counted again under the "
                "policy as it is now.",
                width, 0) +
            "\n\n";
  }
  text += CellsText(report, width);
  if (stream)
    text += "\n" + Labelled("stream",
                            "spent is the most so far of a unit " + stay +
                                ", not the sum of all steps; it becomes available again as steps pass",
                            width);
  text += "\n";
  if (!report.continued_in.empty())
    text += Labelled("sealed",
                     fmt::format("nothing is charged here any more: the ledger continues in {}", report.continued_in),
                     width);
  text += Labelled("left", EverybodyText(report), width);
  if (report.allowance) {
    const auto [spent, allowed] =
        SpentAndBudget(report.allowance->spent.epsilon(), report.allowance->allowed.epsilon());
    text += Labelled("allowance",
                     fmt::format("'{}' has used {} of {} of plain loss; what everybody spent is in the table above",
                                 report.allowance->name, spent, allowed),
                     width);
  }
  text += Labelled("total", document::TotalText(report, stay), width);
  const Guarantee& g = report.guarantee;
  if (!g.strata.empty()) text += Labelled("strata", document::StrataText(g.strata), width);
  if (g.household) text += Labelled("household", document::HouseholdText(*g.household), width);
  text += AuditLine(g, width) + Labelled("adversary", g.adversary, width) +
          Labelled("assumption", g.assumption, width) + "\n";
  if (!g.moves.empty()) text += Labelled("moves", g.moves, width) + "\n";
  text += OneSidedText(report, width);
  constexpr std::size_t kSteps = 50;  // a stream goes on without end
  const std::size_t hidden = stream && report.history.size() > kSteps ? report.history.size() - kSteps : 0;
  if (hidden > 0) text += fmt::format("{} earlier charges are not shown (--json lists all)\n\n", hidden);
  return text + (report.history.empty() ? "No question has been asked yet.\n"
                                        : HistoryText(report, stream, hidden, widths.history));
}

}  // namespace kith::cli
