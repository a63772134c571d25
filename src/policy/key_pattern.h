// Strings of one length, declared place by place: pattern = "[0-9]{5}" is all codes of five digits. A domain that
// nobody would write down as a list. Public, like everything in a policy.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace kith {

class KeyPattern {
 public:
  static constexpr std::size_t kMostPlaces = 32;
  static constexpr std::int64_t kMostTexts = std::int64_t{1} << 53;

  /// Each place is a character, or several in brackets ([A-Z0-9]); {5} after it repeats it. Characters are the
  /// printable ones of ASCII; brackets, braces and backslashes are not among them.
  /// Fails: kInvalidArgument: the text is not such a pattern, or has more than kMostPlaces places or kMostTexts
  /// strings.
  static Result<KeyPattern> Parse(const std::string& text);

  const std::string& text() const { return text_; }
  /// The characters of each place, ascending, each once.
  const std::vector<std::string>& places() const { return places_; }
  /// How many strings there are.
  std::int64_t size() const { return size_; }
  /// By their order: the first place counts most. Requires: 0 <= index < size().
  std::string At(std::int64_t index) const;

  bool operator==(const KeyPattern& other) const;

 private:
  std::string text_;
  std::vector<std::string> places_;
  std::int64_t size_ = 1;
};

}  // namespace kith
