// kith explain: what a question would cost and give. Touches no data.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/ask.h"
#include "app/cli/commands.h"
#include "app/cli/report.h"
#include "app/cli/text.h"
#include "app/cli/unproven.h"

namespace kith::cli {
namespace {

std::string Thousands(double whole) {
  std::string digits = fmt::format("{:.0f}", whole);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string AverageText(const AverageError& line) {
  std::string text;
  for (const auto& at : line.at) {
    if (at.rows < 1000) continue;
    text += fmt::format("{}{} with {}", text.empty() ? line.output + ": about " : ", ", Short(at.error_95),
                        Thousands(at.rows));
  }
  return text + " rows in the group: from the bars of its sum and its count, each at 97.5 %";
}

void PrintJson(const Explanation& e, const std::string& unproven) {
  nlohmann::json out = {{"question", e.plan.normalised},
                        {"sql", e.sql},
                        {"groups", e.plan.groups()},
                        {"plain", {{"epsilon", e.units.epsilon()}, {"units", e.units.count()}}},
                        {"plain_spent_before", e.plain_spent_before},
                        {"plain_spent_after", e.plain_spent_after},
                        {"dependent_before", e.dependent_before},
                        {"dependent_after", e.dependent_after},
                        {"transfer", e.transfer},
                        {"adversary", e.adversary},
                        {"assumes", e.assumes},
                        {"charged_cells", e.charged_cells},
                        {"cells", e.cells},
                        {"affordable", e.affordable},
                        {"refusal", e.refusal},
                        {"notes", e.plan.notes}};
  if (!unproven.empty()) out["unproven"] = unproven;
  out["statistics"] = nlohmann::json::array();
  for (std::size_t k = 0; k < e.noise.size(); ++k) {
    const auto& line = e.noise[k];
    out["statistics"].push_back({{"name", line.statistic},
                                 {"sensitivity", line.sensitivity},
                                 {"reason", e.plan.statistics[k].reason},
                                 {"lattice", line.lattice},
                                 {"plain_epsilon", line.share.epsilon()},
                                 {"scale", line.scale},
                                 {"error_95", line.error_95},
                                 {"error_95_all", line.error_95_all}});
  }
  out["averages"] = nlohmann::json::array();
  for (const auto& line : e.averages) {
    nlohmann::json by_rows = nlohmann::json::array();
    for (const auto& at : line.at) by_rows.push_back({{"rows", at.rows}, {"error_95", at.error_95}});
    out["averages"].push_back({{"output", line.output}, {"by_rows", std::move(by_rows)}});
  }
  fmt::print("{}\n", out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void PrintText(const Explanation& e, const std::string& unproven) {
  const std::size_t width = TerminalWidth();
  fmt::print("{}", Warning(unproven));
  // "±95 % all": every group at once.
  TextTable table({"statistic", "one unit ±", "plain share", "scale", "±95 %", "±95 % all"});
  for (const auto& line : e.noise) {
    table.Add({line.statistic, Short(line.sensitivity), Short(line.share.epsilon()), Short(line.scale),
               Short(line.error_95), Short(line.error_95_all)});
  }
  fmt::print("{}\n", table.Render(width));
  for (std::size_t k = 0; k < e.noise.size(); ++k) {
    fmt::print("{}",
               Labelled(k == 0 ? "because" : "", e.noise[k].statistic + ": " + e.plan.statistics[k].reason, width));
  }
  for (const auto& line : e.averages) fmt::print("{}", Labelled("±95 %", AverageText(line), width));
  if (e.plan.groups() > 1)
    fmt::print("{}", Labelled("groups", fmt::format("{}, the empty ones included", e.plan.groups()), width));
  fmt::print("{}", Labelled("charges", fmt::format("{} of {} public cells", e.charged_cells, e.cells), width));
  fmt::print("{}", Labelled("plain loss",
                            fmt::format("{} for this question; {} in all afterwards", Short(e.units.epsilon()),
                                        Short(e.plain_spent_after)),
                            width));
  fmt::print("{}", Labelled("dependent",
                            fmt::format("{} before, {} afterwards, by {}", Short(e.dependent_before),
                                        Short(e.dependent_after), e.transfer),
                            width));
  fmt::print("{}{}", Labelled("against", e.adversary, width), Labelled("assuming", e.assumes, width));
  for (const auto& note : e.plan.notes) fmt::print("{}", Labelled("note", note, width));
  fmt::print("{}", e.affordable ? Labelled("verdict", "affordable; no data was touched and nothing was charged", width)
                                : Labelled("verdict", "refused: " + e.refusal, width));
}

}  // namespace

void AddExplain(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("explain", "Show plan, cost, noise and guarantee of a question; touches no data");
  command->footer(
      "Example:\n  kith explain policy.toml \"SELECT sex, avg(age) FROM people GROUP BY sex\" --epsilon 0.1");
  auto options = std::make_shared<AskOptions>();
  auto show_sql = std::make_shared<bool>(false);
  AddAskOptions(*command, *options);
  command->add_flag("--sql", *show_sql, "Also print the SQL that the engine will run");
  command->callback([options, show_sql, &context] {
    const auto curator = Curator::Open(options->policy, TerminalOptions());
    const auto explained =
        curator ? curator->Explain(options->question(), options->price()) : Result<Explanation>(curator.error());
    const std::string unproven = curator ? UnprovenOn(curator->policy().dependence.model) : "";
    if (!explained) {
      context.exit_code = Fail(explained.error(), options->as_json());
    } else if (options->as_json()) {
      PrintJson(*explained, unproven);
    } else {
      PrintText(*explained, unproven);
      if (*show_sql) fmt::print("\n{}\n", explained->sql);
    }
  });
}

}  // namespace kith::cli
