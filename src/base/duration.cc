#include "base/duration.h"

#include <charconv>
#include <cstdint>
#include <utility>

namespace kith {

std::optional<std::chrono::milliseconds> DurationOf(std::string_view text) {
  constexpr std::int64_t kLongest = std::int64_t{36525} * 86'400'000;
  std::int64_t count = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (failed != std::errc() || count < 0) return std::nullopt;
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  if (unit.starts_with(' ')) unit.remove_prefix(1);
  for (const auto& [name, each] : {std::pair<std::string_view, std::int64_t>{"ms", 1},
                                   {"s", 1'000},
                                   {"m", 60'000},
                                   {"min", 60'000},
                                   {"h", 3'600'000},
                                   {"d", 86'400'000},
                                   {"w", 604'800'000}}) {
    if (unit != name) continue;
    if (count > kLongest / each) return std::nullopt;
    return std::chrono::milliseconds(count * each);
  }
  return std::nullopt;
}

}  // namespace kith
