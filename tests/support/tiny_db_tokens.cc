#include "tests/support/tiny_db_tokens.h"

#include <cctype>

namespace kith::testing {

std::vector<Token> Tokens(const std::string& sql) {
  std::vector<Token> tokens;
  std::size_t i = 0;
  const auto quoted = [&](char quote) {
    std::string text;
    for (++i; i < sql.size(); ++i) {
      if (sql[i] == quote && i + 1 < sql.size() && sql[i + 1] == quote)
        ++i;
      else if (sql[i] == quote)
        break;
      text += sql[i];
    }
    ++i;
    return text;
  };
  while (i < sql.size()) {
    const unsigned char c = static_cast<unsigned char>(sql[i]);
    if (std::isspace(c)) {
      ++i;
    } else if (c == '\'') {
      tokens.push_back({Token::Kind::kString, quoted('\'')});
    } else if (c == '"') {
      tokens.push_back({Token::Kind::kQuoted, quoted('"')});
    } else if (std::isalpha(c) || c == '_') {
      std::string word;
      for (; i < sql.size() && (std::isalnum(static_cast<unsigned char>(sql[i])) || sql[i] == '_'); ++i)
        word += static_cast<char>(std::tolower(static_cast<unsigned char>(sql[i])));
      tokens.push_back({Token::Kind::kWord, word});
    } else if (std::isdigit(c) ||
               (c == '.' && i + 1 < sql.size() && std::isdigit(static_cast<unsigned char>(sql[i + 1])))) {
      std::string number;
      for (; i < sql.size(); ++i) {
        const char d = sql[i];
        const bool sign = (d == '+' || d == '-') && !number.empty() && (number.back() == 'e' || number.back() == 'E');
        if (!std::isdigit(static_cast<unsigned char>(d)) && d != '.' && d != 'e' && d != 'E' && !sign) break;
        number += d;
      }
      tokens.push_back({Token::Kind::kNumber, number});
    } else {
      const std::string two = sql.substr(i, 2);
      const bool pair = two == "<=" || two == ">=" || two == "<>" || two == "!=" || two == "::" || two == "||";
      tokens.push_back({Token::Kind::kSymbol, pair ? two : sql.substr(i, 1)});
      i += pair ? 2 : 1;
    }
  }
  tokens.push_back({});
  return tokens;
}

}  // namespace kith::testing
