// Inside the reference database: the words and signs of a question.
#pragma once
#include <string>
#include <vector>

namespace kith::testing {

struct Token {
  enum class Kind { kWord, kQuoted, kNumber, kString, kSymbol, kEnd };
  Kind kind = Kind::kEnd;
  std::string text;  // words in lower case
};

/// Ends with a token of kind kEnd.
std::vector<Token> Tokens(const std::string& sql);

}  // namespace kith::testing
