#include "analysis/derived/derived.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/error_bar.h"
#include "query/output/output.h"
#include "sql/quote.h"

namespace kith {

double BarOfWholeSum(double variance, double step) {
  return step > 0 ? step * std::floor(BarOfWeightedSum(variance, step) / step + 1e-9) : BarOfVariance(variance);
}

double NoisyTable::Number(std::size_t row, std::size_t number) const {
  return NumberIn(rows[row][keys + number]).value_or(0);
}

Result<DerivedQuestion> AskFor(std::string sql, std::size_t keys, std::size_t numbers, const Policy& policy) {
  auto plan = PlanQuestion(sql, policy);
  if (!plan) return plan.error();
  DerivedQuestion question{std::move(sql), std::move(*plan), keys, numbers, {}};
  const std::vector<OutputColumn>& outputs = question.plan.outputs;
  bool fits = outputs.size() == keys + numbers && question.plan.keys.size() == keys && question.plan.levels.empty() &&
              !question.plan.limit && question.plan.offset == 0;
  for (std::size_t k = 0; fits && k < outputs.size(); ++k) {
    if (k < keys) {
      fits = outputs[k].expr->IsKey();
      continue;
    }
    const auto statistic = outputs[k].expr->Statistic();
    fits = statistic.has_value();
    if (fits) question.statistics.push_back(*statistic);
  }
  fits = fits && std::set<std::size_t>(question.statistics.begin(), question.statistics.end()).size() == numbers;
  if (!fits) {
    return Unsupported("the texts make another question than the one that this analysis needs", {},
                       "each text is one column, value or condition, and no two are the same");
  }
  return question;
}

Result<void> IsOnePart(const std::string& text, const std::string& what) {
  int depth = 0;
  char quote = 0;
  bool good = text.find_first_not_of(" \t\n\r") != std::string::npos;
  for (std::size_t k = 0; good && k < text.size(); ++k) {
    const char c = text[k];
    good = c != '\\';  // E'...' has other rules about quotes
    if (quote != 0) {
      if (c == quote) quote = 0;  // a doubled quote ends one and begins the next
      continue;
    }
    if (c == '\'' || c == '"') quote = c;
    if (c == '(') ++depth;
    if (c == ')') --depth;
    const char next = k + 1 < text.size() ? text[k + 1] : '\0';
    const bool comment = (c == '-' && next == '-') || (c == '/' && next == '*');
    good = good && depth >= 0 && c != ';' && c != '$' && !comment;
  }
  if (!good || depth != 0 || quote != 0)
    return InvalidArgument(fmt::format("{} is not one expression", what), {}, "write it as in SQL, without comments");
  return {};
}

std::string SqlNumber(double value) {
  const std::string text = value == std::floor(value) && std::fabs(value) < 1e15
                               ? fmt::format("{}", static_cast<std::int64_t>(value))
                               : fmt::format("{}", value);
  return value < 0 ? fmt::format("({})", text) : text;
}

std::string Grouped(double value) {
  if (!(std::fabs(value) < 1e15) || std::fabs(value) < 1000) return fmt::format("{:.4g}", value);
  const std::string digits = fmt::format("{:.0f}", value);
  std::string text;
  for (std::size_t k = 0; k < digits.size(); ++k) {
    if (k > 0 && digits[k - 1] != '-' && (digits.size() - k) % 3 == 0) text.push_back(',');
    text.push_back(digits[k]);
  }
  return text;
}

FindingsRow& FindingsRow::AddKey(const Value& value) {
  values_.push_back(value);
  errors_.emplace_back();
  return *this;
}

FindingsRow& FindingsRow::Add(std::optional<double> value, std::optional<double> error_95) {
  values_.emplace_back();
  if (value) values_.back() = *value;
  errors_.push_back(value ? error_95 : std::nullopt);
  return *this;
}

void FindingsRow::Into(Findings& findings) && {
  findings.rows.push_back(std::move(values_));
  findings.errors_95.push_back(std::move(errors_));
}

Result<std::string> OneRowEach(const std::string& from, const Policy& policy) {
  if (!from.empty()) {
    if (auto one = IsOnePart(from, "what rows are made from"); !one) return one.error();
    return fmt::format("({}) AS units", from);
  }
  if (policy.unit.max_rows != 1) {
    return Unsupported("a unit has several rows, and this analysis is about one row for each", {},
                       "make one row of each unit's rows: a sub-select that groups by the unit's key")
        .For("derived.from");
  }
  return QuotedName(policy.unit.table);
}

}  // namespace kith
