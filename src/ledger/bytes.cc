#include "ledger/bytes.h"

#include <charconv>

namespace kith::ledger {

std::optional<std::int64_t> TakeNumber(std::string_view& text, char end) {
  std::int64_t number = 0;
  const auto [stop, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc() || stop == text.data() + text.size() || *stop != end || number < 0) return std::nullopt;
  if (text.front() == '0' && stop != text.data() + 1) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()) + 1);
  return number;
}

std::optional<std::string_view> TakeText(std::string_view& text) {
  const auto size = TakeNumber(text, ':');
  if (!size || static_cast<std::uint64_t>(*size) > text.size()) return std::nullopt;
  const std::string_view taken = text.substr(0, static_cast<std::size_t>(*size));
  text.remove_prefix(taken.size());
  return taken;
}

}  // namespace kith::ledger
