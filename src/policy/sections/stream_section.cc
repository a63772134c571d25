// [stream]: the time column, how long a step is, and how many steps a unit stays.
#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "policy/clock.h"
#include "policy/dates.h"
#include "policy/sections/sections.h"

namespace kith {
namespace {

constexpr std::int64_t kLastDay = 2932896;                    // 9999-12-31
constexpr std::int64_t kDay = 86'400'000'000;                 // in microseconds
constexpr std::int64_t kLastInteger = std::int64_t{1} << 53;  // integer columns are bounded by it
const char* const kStepExample = "write step = \"1 hour\" (seconds, minutes, hours, days or weeks)";

std::int64_t LastTime(ColumnType type) {
  if (type == ColumnType::kDate) return kLastDay;
  return type == ColumnType::kTimestamp ? kLastDay * kDay : kLastInteger;
}

Result<const Column*> ReadTime(const Section& section, const Policy& policy) {
  const Member* member = section.Find("time");
  if (member == nullptr) return section.Missing("time", "name the column that says when a row was seen");
  auto name = section.Text(*member);
  if (!name) return name.error();
  const Column* column = policy.unit_table().Find(*name);
  if (column == nullptr) {
    std::vector<std::string> names;
    for (const auto& c : policy.unit_table().columns) names.push_back(c.name);
    return section.At(member->line, fmt::format("column {} is not declared", Quote(*name)), Suggest(*name, names));
  }
  if (policy.unit.key && *policy.unit.key == *name)
    return section.At(member->line, "the time cannot be the unit's key", "name the column that says when");
  if (column->type != ColumnType::kInteger && column->type != ColumnType::kDate &&
      column->type != ColumnType::kTimestamp) {
    return section.At(member->line, fmt::format("column {} cannot be a time", Quote(*name)),
                      "declare it with type = \"timestamp\", \"date\" or \"integer\"");
  }
  if (column->is_public || column->required || column->lower || !column->values.empty()) {
    return section.At(column->line, fmt::format("column {} is the time and has its type only", Quote(*name)),
                      "remove values, bounds, required and public: they would move rows from step to step");
  }
  return column;
}

Result<std::int64_t> ReadStep(const Section& section, ColumnType type) {
  const Member* member = section.Find("step");
  const std::string example =
      type == ColumnType::kInteger ? "write step = n: how much the time grows in a step" : kStepExample;
  if (member == nullptr) return section.Missing("step", example);
  if (type == ColumnType::kInteger) {
    auto number = section.Integer(*member);
    if (!number) return number.error();
    if (*number < 1 || *number > kLastInteger) return section.At(member->line, "a step must be at least 1", example);
    return *number;
  }
  auto text = section.Text(*member);
  if (!text) return text.error();
  const auto length = LengthOfTime(*text);
  if (!length || *length < 1)
    return section.At(member->line, fmt::format("{} is not a length of time", Quote(*text)), example);
  if (type == ColumnType::kTimestamp) return *length;
  if (*length % kDay != 0)
    return section.At(member->line, "the time is a date, so a step is whole days", "write step = \"1 day\"");
  return *length / kDay;
}

Result<std::int64_t> ReadStart(const Section& section, ColumnType type) {
  const Member* member = section.Find("start");
  if (member == nullptr) return std::int64_t{0};
  std::optional<std::int64_t> start;
  if (type == ColumnType::kInteger) {
    auto number = section.Integer(*member);
    if (!number) return number.error();
    if (*number >= -kLastInteger && *number <= kLastInteger) start = *number;
  } else if (const auto* text = std::get_if<std::string>(&member->value.leaf)) {  // TOML's own dates are text as well
    start = ParseDate(*text);
    if (type == ColumnType::kTimestamp) start = start ? *start * kDay : ParseTimestamp(*text);
  }
  if (!start) {
    return section.At(member->line, "start is not a time of the column",
                      type == ColumnType::kInteger ? "write a whole number" : "write start = \"2026-01-31\"");
  }
  return *start;
}

Result<std::int64_t> ReadWindow(const Section& section, const Policy& policy) {
  const Member* member = section.Find("window");
  if (member == nullptr) {
    return section.Missing("window",
                           "write window = n: the most consecutive steps in which one unit is present (its stay)");
  }
  auto steps = section.Integer(*member);
  if (!steps) return steps.error();
  if (*steps < 1 || *steps > Stream::kMaxWindow)
    return section.At(member->line, fmt::format("window must lie between 1 and {}", Stream::kMaxWindow),
                      "state the most consecutive steps in which one unit is present");
  if (!policy.unit.key && *steps != 1) {
    return section.At(member->line, "each row is its own unit and so is present in one step only",
                      "write window = 1, or name the column that identifies units: [unit] key = \"...\"");
  }
  return *steps;
}

// Which dependence a stream can be combined with: claims/stream.md, STREAM-7 and STREAM-8.
Result<void> CheckDependence(const Section& section, const Policy& policy, std::int64_t window) {
  if (policy.unit.distance && (policy.unit.distance->metric == DistanceMetric::kMinutes ||
                               policy.unit.distance->metric == DistanceMetric::kDays)) {
    return section.At(section.line(), "in a stream a unit's place is where it is at each step, not a time",
                      "remove [unit] distance, or [stream]");
  }
  const std::string kind = Kind(policy.dependence.model);
  if (kind == "chain" && policy.dependence.by) {
    return section.At(section.line(),
                      "in a stream a chain is one unit's states at the steps of its stay: the key tells chains apart",
                      "remove 'by' from [dependence]");
  }
  if (std::holds_alternative<ChainRegion>(policy.dependence.model)) {
    return section.At(section.line(),
                      "in a stream the loss at a step is counted with one exact table from a known start",
                      "declare a chain with exact probabilities and a start, or kind = \"group\"");
  }
  if (const auto* chain = std::get_if<Chain>(&policy.dependence.model)) {
    if (chain->length == window) return {};
    return section.At(
        section.line(),
        fmt::format("in a stream a chain is one unit's states at the steps of its stay: its length {} must be the "
                    "window {}",
                    chain->length, window),
        "write length and window as the same number");
  }
  const std::string instead =
      "declare kind = \"group\" or \"field\" between units, or kind = \"chain\" for one unit's states at consecutive "
      "steps";
  if (kind == "tree" || kind == "star" || kind == "joint" || kind == "pairs") {
    return section.At(
        section.line(),
        fmt::format("a model of kind {} has tables about single values, but a unit's record in a stream is its "
                    "whole stay: its tables say nothing about stays",
                    Quote(kind)),
        instead);
  }
  if (kind == "lipschitz") {
    return section.At(section.line(),
                      "a lipschitz model needs a distance between records, and none is declared between stays",
                      instead);
  }
  if (const auto* field = std::get_if<Field>(&policy.dependence.model); field != nullptr && field->prevalence) {
    return section.At(section.line(),
                      "prevalence bounds the probability of yes, but a unit's record in a stream is its whole stay",
                      "leave prevalence out");
  }
  return {};
}

}  // namespace

Result<void> ReadStream(const Section& section, Policy& policy) {
  if (auto ok = section.AllowOnly("stream"); !ok) return ok;
  const auto time = ReadTime(section, policy);
  if (!time) return time.error();
  Stream stream;
  stream.time = (*time)->name;
  stream.type = (*time)->type;
  const auto step = ReadStep(section, (*time)->type);
  if (!step) return step.error();
  stream.step = *step;
  const auto start = ReadStart(section, (*time)->type);
  if (!start) return start.error();
  stream.start = *start;
  const auto window = ReadWindow(section, policy);
  if (!window) return window.error();
  stream.window = *window;
  if (auto ok = CheckDependence(section, policy, *window); !ok) return ok;
  policy.stream = std::move(stream);
  return {};
}

std::int64_t Stream::LastTick() const { return (LastTime(type) - start) / step - 1; }

std::string Stream::StepText(std::int64_t tick_number) const { return TimeText(start + tick_number * step); }

std::string Stream::TimeText(std::int64_t time_number) const {
  if (type == ColumnType::kDate) return DateText(time_number);
  return type == ColumnType::kTimestamp ? TimestampText(time_number) : fmt::format("{}", time_number);
}

std::int64_t Policy::CountedSteps() const {
  KITH_CHECK(stream.has_value());
  return std::holds_alternative<Chain>(dependence.model) ? 1 : stream->window;
}

}  // namespace kith
