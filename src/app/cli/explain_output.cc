#include "app/cli/explain_output.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/cli/text.h"
#include "app/cli/unproven.h"
#include "base/json.h"
#include "loss/loss_text.h"

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
  return text + " rows in the group: from the bars of its statistics";
}

void PrintExplanationJson(const Explanation& e) {
  const Guarantee& g = e.guarantee;
  nlohmann::json out = {{"question", e.plan.normalised},
                        {"sql", e.sql},
                        {"groups", e.plan.groups()},
                        {"plain", {{"epsilon", e.units.epsilon()}, {"units", e.units.count()}}},
                        {"plain_spent_before", e.plain_spent_before},
                        {"plain_spent_after", g.plain},
                        {"dependent_before", e.dependent_before},
                        {"dependent_after", g.dependent},
                        {"transfer", g.bound},
                        {"adversary", g.adversary},
                        {"assumes", g.assumes},
                        {"neighbours", g.neighbours},
                        {"charged_cells", e.charged_cells},
                        {"cells", e.cells},
                        {"affordable", e.affordable},
                        {"refusal", e.refusal}};
  PutNotes(e.plan.notes, out);
  if (!g.unproven.empty()) out["unproven"] = g.unproven;
  if (g.audit) out["audit"] = {{"dependent", g.audit->dependent}, {"exact", g.audit->exact}, {"of", g.audit->of}};
  if (!g.moves.empty()) out["moves"] = g.moves;
  if (!g.one_sided.empty()) out["one_sided"] = g.one_sided;
  out["statistics"] = nlohmann::json::array();
  for (std::size_t k = 0; k < e.noise.size(); ++k) {
    const auto& line = e.noise[k];
    out["statistics"].push_back({{"name", line.statistic},
                                 {"sensitivity", line.sensitivity},
                                 {"reason", k < e.plan.statistics.size() ? e.plan.statistics[k].reason : ""},
                                 {"lattice", line.lattice},
                                 {"plain_epsilon", line.share.epsilon()},
                                 {"scale", line.scale},
                                 {"error_95", line.error_95},
                                 {"error_95_all", line.error_95_all},
                                 {"in_rows", line.in_rows}});
  }
  out["averages"] = nlohmann::json::array();
  for (const auto& line : e.averages) {
    nlohmann::json by_rows = nlohmann::json::array();
    for (const auto& at : line.at) by_rows.push_back({{"rows", at.rows}, {"error_95", at.error_95}});
    out["averages"].push_back({{"output", line.output}, {"by_rows", std::move(by_rows)}});
  }
  fmt::print("{}\n", out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void PrintExplanationText(const Explanation& e) {
  const Guarantee& g = e.guarantee;
  const std::size_t width = TerminalWidth();
  fmt::print("{}", Warnings(g));
  // "±95 % all": every group at once.
  TextTable table({"statistic", "one unit ±", "plain share", "scale", "±95 %", "±95 % all"});
  for (const auto& line : e.noise) {
    const std::string unit = line.in_rows ? " rows" : "";
    table.Add({line.statistic, Short(line.sensitivity) + unit, LossText(line.share.epsilon()), Short(line.scale) + unit,
               Short(line.error_95) + unit, Short(line.error_95_all) + unit});
  }
  fmt::print("{}\n", table.Render(width));
  for (std::size_t k = 0; k < e.plan.statistics.size(); ++k) {
    fmt::print("{}",
               Labelled(k == 0 ? "because" : "", e.noise[k].statistic + ": " + e.plan.statistics[k].reason, width));
  }
  for (const auto& line : e.averages) fmt::print("{}", Labelled("±95 %", AverageText(line), width));
  if (e.plan.groups() > 1)
    fmt::print("{}", Labelled("groups", fmt::format("{}, the empty ones included", e.plan.groups()), width));
  fmt::print("{}", Labelled("charges", fmt::format("{} of {} public cells", e.charged_cells, e.cells), width));
  fmt::print("{}", Labelled("plain loss",
                            fmt::format("{} for this question; {} in all afterwards", LossText(e.units.epsilon()),
                                        LossText(g.plain)),
                            width));
  fmt::print("{}", Labelled("dependent",
                            fmt::format("{} before, {} afterwards, by {}", LossText(e.dependent_before),
                                        LossText(g.dependent), g.bound),
                            width));
  fmt::print("{}{}{}", AuditLine(g, width), Labelled("adversary", g.adversary, width),
             Labelled("assumption", g.assumes, width));
  if (!g.moves.empty())
    fmt::print("{}{}", Labelled("protects", g.neighbours, width), Labelled("moves", g.moves, width));
  for (const auto& note : e.plan.notes) fmt::print("{}", Labelled("note", note.text, width));
  fmt::print("{}", e.affordable ? Labelled("verdict", "affordable; no data was touched and nothing was charged", width)
                                : Labelled("verdict", "refused: " + e.refusal, width));
}

}  // namespace

void PrintExplanation(const Explanation& explanation, bool as_json) {
  if (as_json) {
    PrintExplanationJson(explanation);
  } else {
    PrintExplanationText(explanation);
  }
}

}  // namespace kith::cli
