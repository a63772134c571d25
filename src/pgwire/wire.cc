#include "pgwire/wire.h"

#include <fmt/format.h>

#include "document/codes.h"

namespace kith::pgwire {

Message& Message::Int16(std::int16_t number) {
  const auto bits = static_cast<std::uint16_t>(number);
  bytes_ += static_cast<char>(bits >> 8);
  bytes_ += static_cast<char>(bits & 0xff);
  return *this;
}

Message& Message::Int32(std::int32_t number) {
  const auto bits = static_cast<std::uint32_t>(number);
  for (int shift = 24; shift >= 0; shift -= 8) bytes_ += static_cast<char>((bits >> shift) & 0xff);
  return *this;
}

Message& Message::Text(std::string_view text) {
  bytes_ += text.substr(0, text.find('\0'));
  bytes_ += '\0';
  return *this;
}

std::string Message::Done() && {
  const auto length = static_cast<std::uint32_t>(bytes_.size() - 1);
  for (std::size_t k = 0; k < 4; ++k) bytes_[1 + k] = static_cast<char>((length >> (24 - 8 * k)) & 0xff);
  return std::move(bytes_);
}

std::string_view Reader::Bytes(std::size_t count) {
  if (!ok_ || rest_.size() < count) {
    ok_ = false;
    rest_ = {};
    return {};
  }
  const std::string_view taken = rest_.substr(0, count);
  rest_.remove_prefix(count);
  return taken;
}

char Reader::Byte() {
  const auto taken = Bytes(1);
  return taken.empty() ? '\0' : taken[0];
}

std::int16_t Reader::Int16() {
  const auto taken = Bytes(2);
  if (taken.empty()) return 0;
  return static_cast<std::int16_t>(
      static_cast<std::uint16_t>((static_cast<unsigned char>(taken[0]) << 8) | static_cast<unsigned char>(taken[1])));
}

std::int32_t Reader::Int32() {
  const auto taken = Bytes(4);
  std::uint32_t bits = 0;
  for (const char c : taken) bits = (bits << 8) | static_cast<unsigned char>(c);
  return static_cast<std::int32_t>(bits);
}

std::string Reader::Text() {
  const std::size_t end = rest_.find('\0');
  if (!ok_ || end == std::string_view::npos) {
    ok_ = false;
    rest_ = {};
    return {};
  }
  std::string text(rest_.substr(0, end));
  rest_.remove_prefix(end + 1);
  return text;
}

std::string Bytes(const Remark& remark) {
  const bool notice = remark.severity == "NOTICE" || remark.severity == "WARNING";
  Message message(notice ? 'N' : 'E');
  const auto field = [&](char name, const std::string& value) {
    if (!value.empty()) message.Byte(name).Text(value);
  };
  field('S', remark.severity);
  field('V', remark.severity);
  field('C', remark.sqlstate);
  field('M', remark.message);
  field('D', remark.detail);
  field('H', remark.hint);
  if (remark.position) field('P', std::to_string(*remark.position));
  if (remark.charged) field('R', fmt::format("charged={}", document::NameOf(*remark.charged)));
  return std::move(message.Byte('\0')).Done();
}

std::string ReadyForQuery(char status) { return std::move(Message('Z').Byte(status)).Done(); }
std::string CommandComplete(std::string_view tag) { return std::move(Message('C').Text(tag)).Done(); }
std::string ParameterStatus(std::string_view name, std::string_view value) {
  return std::move(Message('S').Text(name).Text(value)).Done();
}

}  // namespace kith::pgwire
