#include "sql/like.h"

#include <algorithm>
#include <string_view>

namespace kith {
namespace {

// Length in bytes of the character that starts with this byte. Requires valid UTF-8.
std::size_t CharacterLength(unsigned char first) {
  if (first < 0x80) return 1;
  if (first < 0xE0) return 2;
  return first < 0xF0 ? 3 : 4;
}

std::vector<std::string> Characters(const std::string& text) {
  std::vector<std::string> characters;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = CharacterLength(static_cast<unsigned char>(text[i]));
    characters.push_back(text.substr(i, length));
    i += length;
  }
  return characters;
}

bool NeedsEscape(const std::string& literal) { return literal == "%" || literal == "_" || literal == "\\"; }

}  // namespace

std::string FoldCase(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

Result<LikePattern> LikePattern::Parse(const std::string& pattern, const std::string& escape, bool fold_case) {
  if (Characters(escape).size() > 1) return InvalidArgument("the ESCAPE of LIKE must be one character or empty");
  LikePattern result;
  result.fold_case = fold_case;
  const auto characters = Characters(fold_case ? FoldCase(pattern) : pattern);
  for (std::size_t i = 0; i < characters.size(); ++i) {
    using Kind = Token::Kind;
    if (!escape.empty() && characters[i] == (fold_case ? FoldCase(escape) : escape)) {
      if (++i == characters.size()) return InvalidArgument("a LIKE pattern may not end with its escape character");
      result.tokens.push_back({Kind::kLiteral, characters[i]});
    } else if (characters[i] == "%") {
      const bool repeated = !result.tokens.empty() && result.tokens.back().kind == Kind::kAnyText;
      if (!repeated) result.tokens.push_back({Kind::kAnyText, {}});
    } else if (characters[i] == "_") {
      result.tokens.push_back({Kind::kAnyOne, {}});
    } else {
      result.tokens.push_back({Kind::kLiteral, characters[i]});
    }
  }
  return result;
}

bool LikePattern::Matches(const std::string& text) const {
  const auto characters = Characters(fold_case ? FoldCase(text) : text);
  // reach[t]: the first t tokens match the characters read so far.
  std::vector<bool> reach(tokens.size() + 1, false);
  reach[0] = true;
  const auto skip_any_text = [&] {
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      if (reach[t] && tokens[t].kind == Token::Kind::kAnyText) reach[t + 1] = true;
    }
  };
  skip_any_text();
  for (const auto& character : characters) {
    std::vector<bool> next(tokens.size() + 1, false);
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      if (!reach[t]) continue;
      const Token& token = tokens[t];
      if (token.kind == Token::Kind::kAnyText) next[t] = true;
      if (token.kind == Token::Kind::kAnyOne) next[t + 1] = true;
      if (token.kind == Token::Kind::kLiteral && token.literal == character) next[t + 1] = true;
    }
    reach = std::move(next);
    skip_any_text();
  }
  return reach.back();
}

std::string LikePattern::Text() const {
  std::string text;
  for (const Token& token : tokens) {
    if (token.kind == Token::Kind::kAnyText) text += '%';
    if (token.kind == Token::Kind::kAnyOne) text += '_';
    if (token.kind == Token::Kind::kLiteral) text += NeedsEscape(token.literal) ? "\\" + token.literal : token.literal;
  }
  return text;
}

bool LikePattern::HasEscapes() const {
  return std::any_of(tokens.begin(), tokens.end(),
                     [](const Token& t) { return t.kind == Token::Kind::kLiteral && NeedsEscape(t.literal); });
}

}  // namespace kith
