#include "policy/key_pattern.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"

namespace kith {
namespace {

Error NotAPattern(const std::string& what) {
  return InvalidArgument(what, {},
                         "write for example \"[0-9]{5}\" or \"[A-Z][0-9][0-9]\": a set of characters for each place");
}

bool IsPlain(char c) { return c >= ' ' && c <= '~' && std::string("[]{}\\").find(c) == std::string::npos; }

// The characters of a set, from after its bracket on; `at` is left after the closing one.
Result<std::string> ReadSet(const std::string& text, std::size_t& at) {
  std::string set;
  while (at < text.size() && text[at] != ']') {
    const char first = text[at++];
    char last = first;
    if (at + 1 < text.size() && text[at] == '-' && text[at + 1] != ']') {
      last = text[at + 1];
      at += 2;
    }
    if (!IsPlain(first) || !IsPlain(last)) return NotAPattern("a set of the pattern holds a character that it cannot");
    if (last < first) return NotAPattern("a range of the pattern ends before it begins");
    for (int c = first; c <= last; ++c) {
      if (IsPlain(static_cast<char>(c))) set += static_cast<char>(c);
    }
  }
  if (at == text.size()) return NotAPattern("a bracket of the pattern is not closed");
  ++at;
  std::sort(set.begin(), set.end());
  set.erase(std::unique(set.begin(), set.end()), set.end());
  if (set.empty()) return NotAPattern("a set of the pattern is empty");
  return set;
}

// {5}, or nothing: 1.
Result<std::size_t> ReadTimes(const std::string& text, std::size_t& at) {
  if (at == text.size() || text[at] != '{') return std::size_t{1};
  std::size_t times = 0;
  for (++at; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
    times = std::min<std::size_t>(times * 10 + static_cast<std::size_t>(text[at] - '0'), 1000);
  if (at == text.size() || text[at] != '}' || times == 0)
    return NotAPattern("how often a place is repeated is not a number in braces");
  ++at;
  return times;
}

}  // namespace

Result<KeyPattern> KeyPattern::Parse(const std::string& text) {
  KeyPattern pattern;
  pattern.text_ = text;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at++];
    std::string set(1, c);
    if (c == '[') {
      auto read = ReadSet(text, at);
      if (!read) return read.error();
      set = std::move(*read);
    } else if (!IsPlain(c)) {
      return NotAPattern("the pattern holds a character that it cannot");
    }
    const auto times = ReadTimes(text, at);
    if (!times) return times.error();
    for (std::size_t k = 0; k < *times; ++k) {
      if (pattern.places_.size() == kMostPlaces)
        return NotAPattern(fmt::format("the pattern has more than {} places", kMostPlaces));
      if (pattern.size_ > kMostTexts / static_cast<std::int64_t>(set.size()))
        return NotAPattern("more than 2^53 texts fit the pattern");
      pattern.size_ *= static_cast<std::int64_t>(set.size());
      pattern.places_.push_back(set);
    }
  }
  if (pattern.places_.empty()) return NotAPattern("the pattern is empty");
  return pattern;
}

bool KeyPattern::operator==(const KeyPattern& other) const { return places_ == other.places_; }

std::string KeyPattern::At(std::int64_t index) const {
  KITH_CHECK(index >= 0 && index < size_);
  std::string text(places_.size(), ' ');
  for (std::size_t k = places_.size(); k-- > 0;) {
    const auto many = static_cast<std::int64_t>(places_[k].size());
    text[k] = places_[k][static_cast<std::size_t>(index % many)];
    index /= many;
  }
  return text;
}

}  // namespace kith
