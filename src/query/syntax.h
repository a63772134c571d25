// From text to PostgreSQL's syntax tree, safely: short text, one SELECT, limited nesting. Nothing of the question is
// understood here yet.
#pragma once
#include <memory>
#include <string>

#include "base/result.h"
#include "query/plan.h"

struct PgQuery__SelectStmt;
struct PgQuery__ParseResult;

namespace kith {

/// What is checked before the parser sees the text.
struct TextLimits {
  // The parser's stack grows with nesting, and every level of nesting takes a word or a sign of its own.
  static constexpr std::size_t kTokens = 1500;  // in a text of kMaxQuestionBytes
  static constexpr std::size_t kParentheses = 64;
};

/// Fails: kInvalidArgument (not UTF-8, a zero byte, nothing), kUnsupportedQuery (too long, too deep, not a SELECT).
Result<void> CheckText(const std::string& sql, std::size_t max_bytes = kMaxQuestionBytes);

/// The tree of one SELECT.
class SyntaxTree {
 public:
  /// Fails: as CheckText; kInvalidArgument for a syntax error, with its place; kUnsupportedQuery for several
  /// statements.
  static Result<SyntaxTree> Parse(const std::string& sql, std::size_t max_bytes = kMaxQuestionBytes);
  const PgQuery__SelectStmt& select() const { return *select_; }

 private:
  std::shared_ptr<const PgQuery__ParseResult> tree_;
  const PgQuery__SelectStmt* select_ = nullptr;
};

}  // namespace kith
