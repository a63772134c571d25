#include "ledger/bytes.h"

#include <charconv>

namespace kith::ledger {

std::optional<std::string_view> TakeText(std::string_view& text) {
  std::size_t size = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, failed] = std::from_chars(text.data(), end, size);
  if (failed != std::errc() || stop == end || *stop != ':') return std::nullopt;
  if (text.front() == '0' && stop != text.data() + 1) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()) + 1);
  if (size > text.size()) return std::nullopt;
  const std::string_view taken = text.substr(0, size);
  text.remove_prefix(size);
  return taken;
}

}  // namespace kith::ledger
