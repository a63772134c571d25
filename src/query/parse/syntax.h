// From text to PostgreSQL's syntax tree, safely: short text, one SELECT, limited nesting. Nothing in the question is
// interpreted here yet.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "query/plan.h"

struct PgQuery__Node;
struct PgQuery__SelectStmt;
struct PgQuery__ParseResult;

namespace kith {

/// What is checked before the parser sees the text.
struct TextLimits {
  // The parser's stack grows with nesting, and every level of nesting takes at least one word or sign.
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

/// The tree of one expression that a person wrote in place of a part of a question.
///
/// The parser knows only statements, so the text T is read in two of them:
///     SELECT 1 WHERE  T        (a space on both sides)
///     SELECT 1 WHERE (T)
/// It is taken if both are valid, the first is, except for its condition, the same tree as "SELECT 1", and both trees
/// are the same, byte for byte (what is in T is at the same places in both).
/// Why that is enough. In the first statement nothing follows T: there is no parenthesis for it to close, and
/// nothing for a comment or an open quote to swallow. So T is a condition, and perhaps clauses after it; these would
/// be seen in the tree (GROUP BY, LIMIT, UNION, a second statement ...), except for those that leave no trace, such as
/// FOR READ ONLY or a semicolon. In the second statement these are errors, and so is a comment that swallows the
/// parenthesis. What is left is one expression, whatever surrounds it. What follows is made from its tree: the text is
/// no longer used.
class ExpressionTree {
 public:
  /// Fails: as CheckText; kInvalidArgument if the text is not one expression.
  static Result<ExpressionTree> Parse(const std::string& text, std::size_t max_bytes = kMaxQuestionBytes);
  const PgQuery__Node& node() const { return *node_; }
  /// The statement that locations in the tree refer to.
  const std::string& sql() const { return sql_; }

 private:
  std::shared_ptr<const PgQuery__ParseResult> tree_;
  const PgQuery__Node* node_ = nullptr;
  std::string sql_;
};

/// The parts of a list at its outermost commas, without spaces around them: each may be an expression, or not. Strings,
/// quoted names, comments and what is in parentheses are not split. One part if the text has no words of SQL.
std::vector<std::string> SplitList(const std::string& text);

}  // namespace kith
