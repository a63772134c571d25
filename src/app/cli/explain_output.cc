#include "app/cli/explain_output.h"

#include <fmt/format.h>

#include "app/cli/answer_output.h"
#include "app/cli/text.h"
#include "app/cli/unproven.h"
#include "document/json_line.h"
#include "document/words.h"
#include "loss/loss_text.h"

namespace kith::cli {

std::string ExplanationText(const Explanation& e, std::size_t width) {
  const Guarantee& g = e.guarantee;
  // "±95 % all": every group at once.
  const char* one = e.unit == UnitLevel::kHousehold ? "one household ±" : "one unit ±";
  const bool strata = !e.noise.empty() && !e.noise.front().stratum.empty();
  std::vector<std::string> header = {"statistic", one, "plain share", "scale", "±95 %", "±95 % all"};
  if (strata) header.insert(header.begin() + 1, "stratum");
  TextTable table(header);
  for (const auto& line : e.noise) {
    const auto shown = [&](double number) {
      std::string text = Short(number);
      if (line.in_rows) text += text == "1" ? " row" : " rows";
      return text;
    };
    // Normal noise has no plain loss: its Gaussian one instead.
    const std::string share = line.mu > 0 ? "mu " + LossText(line.mu) : LossText(line.share.epsilon());
    std::vector<std::string> cells = {line.statistic,    shown(line.sensitivity), share,
                                      shown(line.scale), shown(line.error_95),    shown(line.error_95_all)};
    if (strata) cells.insert(cells.begin() + 1, line.stratum);
    table.Add(std::move(cells));
  }
  std::string text = Warnings(g, width) + table.Render(width) + "\n";
  const auto line = [&](const char* label, const std::string& words) { text += Labelled(label, words, width); };
  for (std::size_t k = 0; k < e.plan.statistics.size(); ++k) {
    const Statistic& statistic = e.plan.statistics[k];
    std::string why = e.noise[k].statistic + ": " + statistic.reason;
    if (statistic.presence) {
      const double steps = static_cast<double>(statistic.presence->l1().steps());
      why += fmt::format("; who comes or goes changes it by at most {}", Short(steps * statistic.lattice.step()));
    }
    line(k == 0 ? "because" : "", why);
  }
  for (const auto& average : e.averages) line("±95 %", document::AverageText(average));
  for (std::size_t k = 0; k < e.usefulness.size(); ++k)
    line(k == 0 ? "worth" : "", document::UsefulnessText(e.usefulness[k]));
  if (e.plan.groups() > 1) line("groups", fmt::format("{}, the empty ones included", e.plan.shown_groups()));
  line("charges", fmt::format("{} of {} public cells", e.charged_cells, e.cells));
  line("plain loss", document::PlainText(e, "this question"));
  line("dependent", document::DependentText(e));
  if (g.CountsDelta()) line("delta", document::CapsText(g));
  if (e.presence && g.plain_presence && e.mu == 0)
    line("presence", document::PresenceText(e.presence->epsilon(), "for this question", g));
  if (!g.strata.empty()) line("strata", "afterwards " + document::StrataText(g.strata));
  if (g.household && e.household_before)
    line("household",
         fmt::format("{} before, afterwards {}", LossText(*e.household_before), document::HouseholdText(*g.household)));
  text += AuditLine(g, width);
  line("adversary", g.adversary);
  line("assumption", g.assumption);
  if (!g.moves.empty()) {
    line("protects", g.neighbours);
    line("moves", MovesBeside(g.neighbours, g.moves));
  }
  for (const auto& note : e.plan.notes) line("note", note.text);
  if (e.stored) line("stored", "asked before, or contained in an earlier answer; asking charges nothing");
  line("verdict", e.affordable ? "affordable; no data was touched and nothing was charged" : "refused: " + e.refusal);
  return text;
}

std::string ExplanationAs(const Explanation& explanation, bool as_json, std::size_t width) {
  return as_json ? document::JsonLine(explanation) : ExplanationText(explanation, width);
}

}  // namespace kith::cli
