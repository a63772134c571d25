// The text of statements as far as a server must understand it before it knows whom it is for: where one ends, what its
// words are, where its parameters are, and what its hints say. Lexical rules are those of PostgreSQL.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "release/request.h"

namespace kith::pgwire {

enum class TokenKind {
  kWord,       // select, people: folded to lower case
  kName,       // "People": without its quotes
  kText,       // 'it''s', E'\n', $$...$$: as it was written
  kNumber,     // 1.5
  kParameter,  // $1
  kSign,       // ( , . :: <= ...
};

struct Token {
  TokenKind kind = TokenKind::kSign;
  std::string text;
  std::size_t at = 0, size = 0;  // bytes of the statement
  int number = 0;                // of a parameter

  bool Is(std::string_view word) const { return kind == TokenKind::kWord && text == word; }
  bool IsSign(std::string_view sign) const { return kind == TokenKind::kSign && text == sign; }
  /// A word or a quoted name.
  bool Names() const { return kind == TokenKind::kWord || kind == TokenKind::kName; }
};

struct Statement {
  std::string text;  // from its first token to its last; comments are blanks, so that positions stay what they are
  std::vector<Token> tokens;
  Price price;                    // of its hints
  std::optional<bool> intervals;  // also of its hints; nothing: as set
  std::size_t before = 0;         // characters of the whole text that come before it
  int parameters = 0;             // the largest number

  bool empty() const { return tokens.empty(); }
  bool Begins(std::string_view word) const { return !tokens.empty() && tokens.front().Is(word); }
};

/// The statements of a text, without empty ones. Fails: kInvalidArgument (not UTF-8, a comment or a quoted string that
/// does not end, an invalid hint).
Result<std::vector<Statement>> StatementsIn(std::string_view text);

/// The text with each parameter replaced. Requires: a value for each number.
std::string WithValues(const Statement& statement, const std::vector<std::string>& literals);

/// What follows FROM and JOIN: names of tables, without their schemas (those are in "schema").
struct Relation {
  std::string schema, name;
  bool function = false;  // its name
};
std::vector<Relation> RelationsOf(const Statement& statement);

}  // namespace kith::pgwire
