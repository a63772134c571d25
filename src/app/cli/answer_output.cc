#include "app/cli/answer_output.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/answer_table.h"
#include "app/cli/show.h"
#include "app/cli/text.h"
#include "app/cli/unproven.h"
#include "document/csv.h"
#include "document/json_line.h"
#include "document/words.h"
#include "loss/loss_text.h"

namespace kith::cli {
namespace {

// A histogram is there to be looked at: the noisy column whose bars are drawn, if the first column holds its parts.
std::optional<std::size_t> DrawnColumn(const Answer& answer, const std::vector<bool>& with_error) {
  if (answer.rows.size() < 2) return std::nullopt;
  if (std::find(answer.histograms.begin(), answer.histograms.end(), 0U) == answer.histograms.end()) return std::nullopt;
  const auto first = std::find(with_error.begin(), with_error.end(), true);
  if (first == with_error.end()) return std::nullopt;
  return static_cast<std::size_t>(first - with_error.begin());
}

}  // namespace

std::string AnswerTable(const Answer& answer, std::size_t width) {
  const auto with_error = document::ColumnsWithError(answer);
  const auto with_interval = document::ColumnsWithInterval(answer);
  std::vector<std::string> header;
  for (std::size_t k = 0; k < answer.columns.size(); ++k) {
    header.push_back(answer.columns[k]);
    if (with_error[k]) header.push_back("±95 %");
    if (with_interval[k]) header.push_back("95 %");
  }
  const auto drawn = DrawnColumn(answer, with_error);
  double largest = 0;
  if (drawn) {
    header.emplace_back();
    for (const auto& row : answer.rows) largest = std::max(largest, NumberIn(row[*drawn].value).value_or(0));
  }
  TextTable table(header);
  for (const auto& row : answer.rows) {
    std::vector<std::string> cells;
    for (std::size_t k = 0; k < row.size(); ++k) {
      cells.push_back(document::CellText(row[k]));
      if (with_error[k]) {
        std::string bar = row[k].error_95 ? WithError(*row[k].error_95, *row[k].error_95) : "";
        cells.push_back(row[k].only_noise ? bar + " noise" : std::move(bar));
      }
      if (with_interval[k]) cells.push_back(row[k].interval_95 ? document::IntervalText(*row[k].interval_95) : "");
    }
    if (drawn) cells.push_back(Bar(NumberIn(row[*drawn].value).value_or(0), largest));
    table.Add(std::move(cells));
  }
  return table.Render(width);
}

std::string MovesBeside(const std::string& neighbours, const std::string& moves) {
  const std::size_t at = moves.find("; between places inside");
  if (at == std::string::npos || neighbours.find(moves.substr(at)) == std::string::npos) return moves;
  return moves.substr(0, at) + "; within the same bounds";
}

std::string AnswerText(const Answer& answer, std::size_t width) {
  const Certificate& c = answer.certificate;
  const Guarantee& g = c.guarantee;
  std::string text = Warnings(g, width);
  if (!answer.columns.empty()) text += AnswerTable(answer, width) + "\n";
  const auto line = [&](const char* label, const std::string& words) { text += Labelled(label, words, width); };
  if (answer.stored) line("stored", "asked before, or contained in an earlier answer; nothing was charged");
  for (const auto& noise : c.noise) line("noise", document::NoiseText(noise));
  line("plain loss", document::PlainText(c) + " (against somebody who knows everybody else)");
  line("dependent", g.CountsDelta() ? fmt::format("in all {}, by {}", document::DependentText(g), g.bound)
                                    : fmt::format("{} in {}, by {}", document::DependentText(g),
                                                  g.one_sided.empty() ? "all" : "noisy answers alone", g.bound));
  if (g.CountsDelta()) line("delta", document::CapsText(g));
  if (const auto presence = PresenceOf(c)) line("presence", document::PresenceText(*presence, "for this answer", g));
  if (!g.strata.empty()) line("strata", document::StrataText(g.strata));
  if (g.household) line("household", document::HouseholdText(*g.household));
  text += AuditLine(g, width);
  line("adversary", g.adversary);
  line("assumption", g.assumption);
  if (!g.moves.empty()) {
    line("protects", g.neighbours);
    line("moves", MovesBeside(g.neighbours, g.moves));
  }
  for (const auto& note : answer.notes) line("note", note.text);
  line("ledger", fmt::format("entry {}, head {}, data version {}{}", c.ledger_entry, c.ledger_hash.substr(0, 16),
                             c.guarantee.version,
                             g.generation > 1 ? fmt::format(", generation {} of the policy", g.generation) : ""));
  return text;
}

std::string AnswerAs(const Answer& answer, const std::string& format, std::size_t width) {
  if (format == "json") return document::JsonLine(answer);
  if (format == "csv") return document::ToCsv(answer);
  return AnswerText(answer, width);
}

void ShowAnswer(const Answer& answer, const std::string& format, std::size_t width) {
  Show(AnswerAs(answer, format, width));
  if (format != "csv") return;
  if (answer.stored) Tell("stored: asked before, or contained in an earlier answer; nothing was charged\n");
  for (const auto& note : answer.notes) Tell(fmt::format("note: {}\n", note.text));
}

}  // namespace kith::cli
