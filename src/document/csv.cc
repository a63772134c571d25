#include "document/csv.h"

#include <fmt/format.h>

#include <algorithm>

#include "release/stream/stream_text.h"

namespace kith::document {
namespace {

std::string ValueField(const Value& value) {
  return std::holds_alternative<Null>(value) ? "" : CsvField(ToText(value));
}

std::string BarField(const AnswerCell& cell) { return cell.error_95 ? fmt::format("{}", *cell.error_95) : ""; }

// One line, whatever values it names.
std::string LabelLine(std::string label) {
  for (char& c : label) c = c == '\n' || c == '\r' ? ' ' : c;
  return label.empty() ? "" : fmt::format("# {}\n", label);
}

std::string BarName(const std::string& column) { return CsvField(column + "_error_95"); }

}  // namespace

std::string CsvField(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::vector<bool> ColumnsWithError(const Answer& answer) {
  std::vector<bool> with_error;
  for (std::size_t k = 0; k < answer.columns.size(); ++k) {
    with_error.push_back(std::any_of(answer.rows.begin(), answer.rows.end(),
                                     [k](const auto& row) { return row[k].error_95.has_value(); }));
  }
  return with_error;
}

std::vector<bool> ColumnsWithInterval(const Answer& answer) {
  std::vector<bool> with_interval;
  for (std::size_t k = 0; k < answer.columns.size(); ++k) {
    with_interval.push_back(std::any_of(answer.rows.begin(), answer.rows.end(),
                                        [k](const auto& row) { return row[k].interval_95.has_value(); }));
  }
  return with_interval;
}

std::string ToCsv(const Answer& answer) {
  std::string text;
  const Guarantee& g = answer.certificate.guarantee;
  for (const std::string& label : {g.alarm, g.one_sided, g.unproven}) text += LabelLine(label);
  const auto with_error = ColumnsWithError(answer), with_interval = ColumnsWithInterval(answer);
  std::vector<std::string> header;
  for (std::size_t k = 0; k < answer.columns.size(); ++k) {
    header.push_back(CsvField(answer.columns[k]));
    if (with_error[k]) header.push_back(BarName(answer.columns[k]));
    if (!with_interval[k]) continue;
    for (const char* end : {"_low_95", "_high_95", "_informative"}) header.push_back(CsvField(answer.columns[k] + end));
  }
  text += fmt::format("{}\n", fmt::join(header, ","));
  for (const auto& row : answer.rows) {
    std::vector<std::string> fields;
    for (std::size_t k = 0; k < row.size(); ++k) {
      fields.push_back(ValueField(row[k].value));
      if (with_error[k]) fields.push_back(BarField(row[k]));
      if (!with_interval[k]) continue;
      const auto& interval = row[k].interval_95;
      fields.push_back(interval ? ValueField(interval->low) : "");
      fields.push_back(interval ? ValueField(interval->high) : "");
      fields.push_back(!interval ? "" : interval->everything ? "false" : "true");
    }
    text += fmt::format("{}\n", fmt::join(fields, ","));
  }
  return text;
}

std::string StepCsvHeader(const std::vector<std::string>& columns) {
  std::string text = "step,time,state";
  for (const auto& column : columns) text += "," + CsvField(column) + "," + BarName(column);
  return text + ",plain_epsilon,window_spent,ledger_entry\n";
}

std::string StepCsv(const Answer& answer) {
  const StepRelease& step = *answer.step;
  const std::string head = fmt::format("{},{},{}", step.tick, step.time, StateName(step.state));
  const std::string tail =
      fmt::format(",{},{},{}\n", step.charged.epsilon(), step.window_spent.epsilon(), answer.certificate.ledger_entry);
  std::string text;
  for (const auto& row : answer.rows) {
    text += head;
    for (const AnswerCell& cell : row) text += fmt::format(",{},{}", ValueField(cell.value), BarField(cell));
    text += tail;
  }
  return text;
}

}  // namespace kith::document
