#include "release/stream/stream_text.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <sstream>

#include "base/json.h"
#include "mechanism/noise.h"

namespace kith {
namespace {

constexpr StepState kStates[] = {StepState::kReleased, StepState::kRepeated, StepState::kSkipped, StepState::kLost};

std::optional<Int128> WholeOf(const std::string& text) {
  const bool negative = text.starts_with('-');
  Int128 value = 0;
  if (text.size() == (negative ? 1U : 0U) || text.size() > 40) return std::nullopt;
  for (const char c : text.substr(negative ? 1 : 0)) {
    if (c < '0' || c > '9' || value > Noise::kLargest) return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return negative ? -value : value;
}

std::optional<std::int64_t> NumberOf(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  return failed == std::errc() && end == text.data() + text.size() && value >= 0 ? std::optional(value) : std::nullopt;
}

}  // namespace

std::string StateName(StepState state) {
  switch (state) {
    case StepState::kReleased:
      return "released";
    case StepState::kRepeated:
      return "repeated";
    case StepState::kSkipped:
      return "skipped";
    case StepState::kLost:
      return "lost";
  }
  return "";
}

std::string StepToText(const StepNumbers& numbers) {
  Json out = {{"state", StateName(numbers.state)}, {"charged", numbers.charged.count()}, {"noisy", Json::array()}};
  for (const auto& group : numbers.noisy) {
    Json row = Json::array();
    for (const Int128 number : group) row.push_back(ToText(number));
    out["noisy"].push_back(std::move(row));
  }
  out["shares"] = Json::array();
  for (const PlainUnits share : numbers.shares) out["shares"].push_back(share.count());
  return out.dump();
}

Result<StepNumbers> StepFromText(const std::string& text) {
  const Error broken = InternalError("a stored step cannot be read");
  try {
    const Json in = Json::parse(text);
    StepNumbers numbers;
    for (const StepState state : kStates) {
      if (in.at("state") == StateName(state)) numbers.state = state;
    }
    numbers.charged = PlainUnits::Of(in.at("charged"));
    for (const auto& row : in.at("noisy")) {
      std::vector<Int128> group;
      for (const auto& number : row) {
        const auto whole = WholeOf(number.get<std::string>());
        if (!whole) return broken;
        group.push_back(*whole);
      }
      numbers.noisy.push_back(std::move(group));
    }
    for (const auto& share : in.at("shares")) numbers.shares.push_back(PlainUnits::Of(share));
    return numbers;
  } catch (const JsonError&) {
    return broken;
  }
}

Result<std::vector<std::int64_t>> StepListOf(const std::string& text, std::size_t most) {
  const Error wrong = InvalidArgument(fmt::format("'{:.60}' is not a list of steps", text), {},
                                      "write 0..95, or 0..95:4 for every fourth, or 3,5,8..12: ascending, from 0 on")
                          .For("steps");
  std::vector<std::int64_t> steps;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const auto colon = part.find(':'), dots = part.find("..");
    const auto stride = colon == std::string::npos ? std::optional<std::int64_t>(1) : NumberOf(part.substr(colon + 1));
    const std::string range = part.substr(0, colon);
    const auto first = NumberOf(range.substr(0, dots));
    const auto last = dots == std::string::npos ? first : NumberOf(range.substr(dots + 2));
    if (!first || !last || !stride || *stride < 1 || *last < *first || (!steps.empty() && *first <= steps.back()))
      return wrong;
    const std::int64_t more = (*last - *first) / *stride;  // after the first one
    if (static_cast<std::uint64_t>(more) >= most - steps.size()) {
      return InvalidArgument(fmt::format("the list names more than {} steps", most), {}, "name fewer at a time")
          .For("steps");
    }
    for (std::int64_t k = 0; k <= more; ++k) steps.push_back(*first + k * *stride);
  }
  if (steps.empty()) return wrong;
  return steps;
}

std::string StepListText(const std::vector<std::int64_t>& steps) {
  std::string text;
  for (std::size_t i = 0; i < steps.size();) {
    std::size_t j = i + 1;
    const std::int64_t stride = j < steps.size() ? steps[j] - steps[i] : 1;
    while (j < steps.size() && steps[j] - steps[j - 1] == stride) ++j;
    if (j - i == 2 && stride > 1) j = i + 1;
    text += text.empty() ? "" : ",";
    text += fmt::format("{}", steps[i]);
    if (j - i > 1) text += fmt::format("..{}", steps[j - 1]) + (stride > 1 ? fmt::format(":{}", stride) : "");
    i = j;
  }
  return text;
}

}  // namespace kith
