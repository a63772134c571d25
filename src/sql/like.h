// LIKE and ILIKE patterns: % is any text, _ any one character, backslash (or the given escape) takes the next one
// literally. ILIKE folds only the letters A to Z, so that it means the same on every engine.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"

namespace kith {

struct LikePattern {
  struct Token {
    enum class Kind { kLiteral, kAnyOne, kAnyText } kind = Kind::kLiteral;
    std::string literal;  // one character, in UTF-8
    bool operator==(const Token&) const = default;
  };
  std::vector<Token> tokens;
  bool fold_case = false;

  /// Fails: kInvalidArgument if the pattern ends with the escape character, or the escape is longer than one character.
  static Result<LikePattern> Parse(const std::string& pattern, const std::string& escape, bool fold_case);
  bool Matches(const std::string& text) const;
  /// The pattern with backslash as its escape character.
  std::string Text() const;
  /// True if Text() holds an escape.
  bool HasEscapes() const;
};

/// A to Z become a to z; nothing else changes.
std::string FoldCase(std::string text);

}  // namespace kith
