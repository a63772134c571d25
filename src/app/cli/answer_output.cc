#include "app/cli/answer_output.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/text.h"
#include "app/cli/unproven.h"
#include "loss/loss_text.h"
#include "mechanism/noise.h"

namespace kith::cli {
namespace {

std::string CellText(const AnswerCell& cell) {
  if (const auto* real = std::get_if<double>(&cell.value)) return WithError(*real, cell.error_95.value_or(0));
  return ToText(cell.value);
}

// Keys and public facts have none.
std::vector<bool> ColumnsWithError(const Answer& answer) {
  std::vector<bool> with_error;
  for (std::size_t k = 0; k < answer.columns.size(); ++k) {
    with_error.push_back(std::any_of(answer.rows.begin(), answer.rows.end(),
                                     [k](const auto& row) { return row[k].error_95.has_value(); }));
  }
  return with_error;
}

bool IsPartLabel(const Value& value) {
  if (std::holds_alternative<Null>(value)) return true;
  const auto* text = std::get_if<std::string>(&value);
  return text && text->size() > 4 && text->front() == '[' && text->find(", ") != std::string::npos &&
         (text->back() == ')' || text->back() == ']');
}

// A histogram is there to be looked at: the noisy column whose bars are drawn, if the first column names its parts.
std::optional<std::size_t> DrawnColumn(const Answer& answer, const std::vector<bool>& with_error) {
  if (answer.rows.size() < 2) return std::nullopt;
  const auto labelled = [](const auto& row) { return IsPartLabel(row[0].value); };
  if (!std::all_of(answer.rows.begin(), answer.rows.end(), labelled)) return std::nullopt;
  const auto first = std::find(with_error.begin(), with_error.end(), true);
  if (first == with_error.end()) return std::nullopt;
  return static_cast<std::size_t>(first - with_error.begin());
}

double NumberOf(const AnswerCell& cell) {
  if (const auto* whole = std::get_if<std::int64_t>(&cell.value)) return static_cast<double>(*whole);
  const auto* real = std::get_if<double>(&cell.value);
  return real ? *real : 0;
}

std::string NoiseText(const NoiseLine& line) {
  if (line.sensitivity == 0) return line.statistic + ": none, made of public facts only";
  if (line.in_rows) {
    return fmt::format("{}: permute-and-flip by rank, scale {} rows, on a lattice of {}", line.statistic,
                       Short(line.scale), Short(line.lattice));
  }
  return fmt::format("{}: {}, scale {} on a lattice of {}", line.statistic, LawText(line.law), Short(line.scale),
                     Short(line.lattice));
}

void PrintTable(const Answer& answer) {
  const std::size_t width = TerminalWidth();
  fmt::print("{}", Warnings(answer.certificate.guarantee));
  std::vector<std::string> header;
  const auto with_error = ColumnsWithError(answer);
  for (std::size_t k = 0; k < answer.columns.size(); ++k) {
    header.push_back(answer.columns[k]);
    if (with_error[k]) header.push_back("±95 %");
  }
  const auto drawn = DrawnColumn(answer, with_error);
  double largest = 0;
  if (drawn) {
    header.emplace_back();
    for (const auto& row : answer.rows) largest = std::max(largest, NumberOf(row[*drawn]));
  }
  TextTable table(header);
  for (const auto& row : answer.rows) {
    std::vector<std::string> cells;
    for (std::size_t k = 0; k < row.size(); ++k) {
      cells.push_back(CellText(row[k]));
      if (with_error[k]) cells.push_back(row[k].error_95 ? WithError(*row[k].error_95, *row[k].error_95) : "");
    }
    if (drawn) cells.push_back(Bar(NumberOf(row[*drawn]), largest));
    table.Add(std::move(cells));
  }
  fmt::print("{}\n", table.Render(width));
  const Certificate& c = answer.certificate;
  const Guarantee& g = c.guarantee;
  if (answer.stored)
    fmt::print("{}", Labelled("stored", "asked before: the same answer again, nothing was charged", width));
  for (const auto& line : c.noise) fmt::print("{}", Labelled("noise", NoiseText(line), width));
  const std::string of_this =
      c.sides == Sides::kOne
          ? fmt::format(
                "no bound for this answer, which is one-sided (its noisy part: {}); {} in all "
                "noisy answers",
                LossText(c.plain_epsilon), LossText(g.plain))
          : fmt::format("{} for this answer; {} in all", LossText(c.plain_epsilon), LossText(g.plain));
  fmt::print("{}", Labelled("plain loss", of_this + " (against somebody who knows everybody else)", width));
  fmt::print("{}", Labelled("dependent",
                            fmt::format("{} in {}, by {}", LossText(g.dependent),
                                        g.one_sided.empty() ? "all" : "noisy answers alone", g.bound),
                            width));
  fmt::print("{}{}{}", AuditLine(g, width), Labelled("adversary", g.adversary, width),
             Labelled("assumption", g.assumes, width));
  if (!g.moves.empty())
    fmt::print("{}{}", Labelled("protects", g.neighbours, width), Labelled("moves", g.moves, width));
  for (const auto& note : answer.notes) fmt::print("{}", Labelled("note", note.text, width));
  fmt::print("{}", Labelled("ledger",
                            fmt::format("entry {}, head {}, data version {}", c.ledger_entry,
                                        c.ledger_head.substr(0, 16), c.guarantee.version),
                            width));
}

}  // namespace

std::string CsvText(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string AnswerToCsv(const Answer& answer) {
  std::string text;
  const Guarantee& g = answer.certificate.guarantee;
  if (!g.one_sided.empty()) text = fmt::format("# {}\n", g.one_sided);
  if (!g.unproven.empty()) text += fmt::format("# {}\n", g.unproven);
  const auto with_error = ColumnsWithError(answer);
  std::vector<std::string> header;
  for (std::size_t k = 0; k < answer.columns.size(); ++k) {
    header.push_back(CsvText(answer.columns[k]));
    if (with_error[k]) header.push_back(CsvText(answer.columns[k] + "_error_95"));
  }
  text += fmt::format("{}\n", fmt::join(header, ","));
  for (const auto& row : answer.rows) {
    std::vector<std::string> fields;
    for (std::size_t k = 0; k < row.size(); ++k) {
      fields.push_back(std::holds_alternative<Null>(row[k].value) ? "" : CsvText(ToText(row[k].value)));
      if (with_error[k]) fields.push_back(row[k].error_95 ? fmt::format("{}", *row[k].error_95) : "");
    }
    text += fmt::format("{}\n", fmt::join(fields, ","));
  }
  return text;
}

void PrintAnswer(const Answer& answer, const std::string& format) {
  if (format == "json") {
    fmt::print("{}\n", AnswerToJson(answer));
  } else if (format == "csv") {
    fmt::print("{}", AnswerToCsv(answer));
  } else {
    PrintTable(answer);
  }
}

}  // namespace kith::cli
