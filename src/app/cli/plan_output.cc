#include "app/cli/plan_output.h"

#include <fmt/format.h>

#include "app/cli/answer_output.h"
#include "app/cli/answer_table.h"
#include "app/cli/text.h"
#include "app/cli/unproven.h"
#include "base/json.h"
#include "document/words.h"
#include "loss/loss_text.h"
#include "release/answer_json.h"
#include "release/cells_json.h"

namespace kith::cli {
namespace {

std::string OneLine(std::string text) {
  for (char& c : text) c = c == '\n' || c == '\t' ? ' ' : c;
  return text;
}

std::string BarIn(const Json& line, const char* field) {
  if (line.contains(field)) return Short(NumberFromJson(line.at(field)));
  const bool below = line.contains("averages") || line.contains("statistics");
  return below && std::string_view(field) == "error_95" ? "below" : "";
}

// The bars of a question that is not an ordinary count or sum, in words.
std::vector<std::string> BarsIn(const Json& question) {
  std::vector<std::string> all;
  for (const Json& line : question.value("averages", Json::array())) {
    AverageError average{.output = line.at("output"), .at = {}, .stratum = line.value("stratum", std::string())};
    for (const Json& at : line.at("by_rows")) average.at.push_back({at.at("rows"), NumberFromJson(at.at("error_95"))});
    all.push_back(document::AverageText(average));
  }
  for (const Json& line : question.value("statistics", Json::array())) {
    std::string text = line.at("name");
    if (line.contains("stratum")) text += fmt::format(" ({})", line.at("stratum").get<std::string>());
    text += ": " + Short(NumberFromJson(line.at("error_95")));
    all.push_back(line.at("in_rows").get<bool>() ? text + " rows from the true one" : std::move(text));
  }
  return all;
}

}  // namespace

std::string PlanText(const Explanation& e, std::size_t width) {
  const Json& plan = e.details->at("plan");
  std::string text = Warnings(e.guarantee, width);
  if (!plan.at("tables").empty()) {
    TextTable tables({"measured: rows by", "cells", "plain loss", "±95 %"});
    for (const Json& line : plan.at("tables"))
      tables.Add({line.at("by").get<std::string>(), fmt::format("{}", line.at("cells").get<std::size_t>()),
                  LossText(line.at("plain_epsilon").get<double>()), Short(NumberFromJson(line.at("error_95")))});
    text += tables.Render(width) + "\n";
  }
  TextTable questions({"", "question", "rows", "epsilon", "±95 %", "by itself", "from"});
  std::size_t number = 0;
  for (const Json& line : plan.at("questions")) {
    ++number;
    const std::string rows = line.contains("rows") ? fmt::format("{}", line.at("rows").get<std::size_t>()) : "";
    const std::string from = line.contains("same_as") ? fmt::format("as {}", line.at("same_as").get<std::size_t>())
                                                      : line.at("from").get<std::string>();
    questions.Add({fmt::format("{}", number), OneLine(line.at("question").get<std::string>()), rows,
                   line.at("epsilon") == 0 ? "free" : LossText(line.at("epsilon").get<double>()),
                   BarIn(line, "error_95"), BarIn(line, "alone_95"), from});
  }
  text += questions.Render(width) + "\n";
  const Guarantee& g = e.guarantee;
  const auto line = [&](const char* label, const std::string& words) { text += Labelled(label, words, width); };
  number = 0;
  bool first = true;
  for (const Json& question : plan.at("questions")) {
    ++number;
    if (question.contains("same_as")) continue;
    for (const std::string& bar : BarsIn(question)) {
      line(first ? "±95 %" : "", fmt::format("question {}: {}", number, bar));
      first = false;
    }
  }
  line("charges", fmt::format("{} of {} public cells, in one step", e.charged_cells, e.cells));
  line("plain loss", document::PlainText(e, "all questions"));
  line("dependent", document::DependentText(e));
  if (g.CountsDelta()) line("delta", document::CapsText(g));
  if (e.presence && g.plain_presence && e.mu == 0)
    line("presence", document::PresenceText(e.presence->epsilon(), "for all questions", g));
  line("assumption", g.assumption);
  for (const auto& note : e.plan.notes) line("note", note.text);
  if (e.stored) line("stored", "answered before: asking again gives the same answers and charges nothing");
  line("verdict", e.affordable ? "affordable; no data was touched and nothing was charged" : "refused: " + e.refusal);
  return text;
}

std::string PlanAnswersText(const Answer& answer, std::size_t width) {
  std::string text;
  std::size_t number = 0;
  for (const Json& one : answer.details->at("plan").at("answers")) {
    ++number;
    text += Wrap(fmt::format("{}  {}", number, OneLine(one.at("question").get<std::string>())), width, 3) + "\n";
    Answer table;
    table.columns = one.at("columns").get<std::vector<std::string>>();
    table.rows = CellsFrom(one);
    text += AnswerTable(table, width);
    for (const Note& note : one.contains("notes") ? NotesFrom(one) : std::vector<Note>())
      text += Labelled("note", note.text, width);
    text += "\n";
  }
  Answer rest = answer;
  rest.certificate.noise.clear();  // the plan has them
  return text + AnswerText(rest, width);
}

}  // namespace kith::cli
