#include "policy/clock.h"

#include <fmt/format.h>

#include <cmath>

#include "policy/dates.h"

namespace kith {
namespace {

// A name in SQL that needs quotes or not.
std::string NameOf(const std::string& name) {
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

std::optional<std::int64_t> LengthOfTime(std::string_view text) {
  std::size_t at = 0;
  std::int64_t count = 0;
  while (at < text.size() && text[at] >= '0' && text[at] <= '9' && count < 1'000'000)
    count = count * 10 + text[at++] - '0';
  if (at == 0 || at == text.size() || text[at] != ' ') return std::nullopt;
  std::string_view unit = text.substr(at + 1);
  if (unit == "min") unit = "minute";
  if (unit.ends_with('s')) unit.remove_suffix(1);
  constexpr std::int64_t kDay = 86'400'000'000;
  for (const auto& [name, microseconds] : {std::pair<std::string_view, std::int64_t>{"second", 1'000'000},
                                           {"minute", 60'000'000},
                                           {"hour", 3'600'000'000},
                                           {"day", kDay},
                                           {"week", 7 * kDay}}) {
    if (unit == name) return count * microseconds;
  }
  return std::nullopt;
}

std::optional<ClockColumn> ClockColumnOf(const Column& column, const Policy& policy) {
  const auto& distance = policy.unit.distance;
  if (!distance || distance->columns.front() != column.name) return std::nullopt;
  if (distance->metric != DistanceMetric::kMinutes && distance->metric != DistanceMetric::kDays) return std::nullopt;
  const bool days = distance->metric == DistanceMetric::kDays;
  constexpr double kDay = 86'400e6;
  const auto first = static_cast<std::int64_t>(std::floor(*column.lower / (days ? 1 : kDay)));
  const std::string day = DateText(first), name = NameOf(column.name);
  const std::string since = days ? fmt::format("{} - DATE '{}'", name, day)
                                 : fmt::format(
                                       "(CAST({0} AS date) - DATE '{1}') * 1440 + extract(hour FROM {0}) * 60 + "
                                       "extract(minute FROM {0})",
                                       name, day);
  ClockColumn out{distance->region.low[0], distance->region.high[0], {}, {}};
  out.value = fmt::format("greatest({}, least({}, {}))", static_cast<std::int64_t>(out.low),
                          static_cast<std::int64_t>(out.high), since);
  out.shown = fmt::format("{} ({} since {})", column.name, days ? "days" : "minutes", day);
  return out;
}

}  // namespace kith
