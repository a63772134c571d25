// Bytes that the chain is made of: whole numbers and strings, each written in only one way.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kith::ledger {

/// Eight bytes, most significant first.
inline void PutFixed(std::string& out, std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  char bytes[8];
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<char>((bits >> (56 - 8 * i)) & 0xff);
  out.append(bytes, sizeof bytes);
}

/// A length before every string: two different entries never have the same bytes.
inline void PutText(std::string& out, std::string_view text) {
  PutFixed(out, static_cast<std::int64_t>(text.size()));
  out.append(text);
}

/// Seven bits a byte, least significant first; returns the end. Room for ten bytes is needed.
inline char* PutVarint(char* out, std::uint64_t value) {
  while (value >= 0x80) {
    *out++ = static_cast<char>((value & 0x7f) | 0x80);
    value >>= 7;
  }
  *out++ = static_cast<char>(value);
  return out;
}

/// Pairs of numbers into a string of exactly the right size.
class Pairs {
 public:
  explicit Pairs(std::size_t most) : bytes_(20 * most, '\0'), end_(bytes_.data()) {}
  void Put(std::uint64_t first, std::uint64_t second) { end_ = PutVarint(PutVarint(end_, first), second); }
  std::string Take() {
    bytes_.resize(static_cast<std::size_t>(end_ - bytes_.data()));
    return std::move(bytes_);
  }

 private:
  std::string bytes_;
  char* end_;
};

/// "<bytes>:<text>", with one spelling for each number. Nothing if the text does not begin like this.
std::optional<std::string_view> TakeText(std::string_view& text);

}  // namespace kith::ledger
