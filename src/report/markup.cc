#include "report/markup.h"

#include <algorithm>
#include <cstdint>

namespace kith::report {
namespace {

constexpr std::string_view kUnknown = "\xEF\xBF\xBD";  // U+FFFD

// The length of the well-formed UTF-8 sequence at the start of the text whose character XML allows; 0 if there is none.
std::size_t Sequence(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t length = byte(0) < 0x80 ? 1 : byte(0) < 0xC2 ? 0 : byte(0) < 0xE0 ? 2 : byte(0) < 0xF0 ? 3 : 4;
  if (length == 0 || length > text.size() || byte(0) > 0xF4) return 0;
  if (length == 1) return (byte(0) >= 0x20 && byte(0) != 0x7F) || byte(0) == '\n' || byte(0) == '\t' ? 1 : 0;
  std::uint32_t character = byte(0) & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
    character = character << 6 | (byte(i) & 0x3Fu);
  }
  const std::uint32_t least = length == 2 ? 0x80 : length == 3 ? 0x800 : 0x10000;
  const bool surrogate = character >= 0xD800 && character <= 0xDFFF;
  const bool control = character >= 0x80 && character < 0xA0;
  if (character < least || character > 0x10FFFF || surrogate || control || (character & 0xFFFE) == 0xFFFE) return 0;
  return length;
}

std::size_t Characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

// The first `count` characters.
std::string_view Prefix(std::string_view text, std::size_t count) {
  std::size_t i = 0;
  for (; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80 && count-- == 0) break;
  }
  return text.substr(0, i);
}

}  // namespace

std::string Escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = Sequence(text);
    const char c = text[0];
    if (length == 0) {
      out += kUnknown;
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (c == '\'') {
      out += "&#39;";
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

double TextWidth(std::string_view text) { return 7.4 * static_cast<double>(Characters(text)); }

std::vector<std::string> Lines(const std::string& text, std::size_t width) {
  std::vector<std::string> lines;
  std::string line;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t space = std::min(text.find_first_of(" \n\t", i), text.size());
    std::string word = text.substr(i, space - i);
    i = space + 1;
    if (word.empty()) continue;
    if (Characters(word) > width) word = std::string(Prefix(word, width - 1)) + "…";
    if (!line.empty() && Characters(line) + 1 + Characters(word) > width) {
      lines.push_back(std::move(line));
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  if (!line.empty() || lines.empty()) lines.push_back(std::move(line));
  return lines;
}

}  // namespace kith::report
