// A policy's text as a tree with the line of every key and value, free of the TOML parser's types (they are heavy).
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/value.h"

namespace kith {

enum class NodeKind { kBoolean, kInteger, kReal, kText, kDate, kTimestamp, kOther, kList, kTable };

struct Member;

struct Node {
  NodeKind kind = NodeKind::kOther;
  int line = 0;
  Value leaf;                   // boolean, integer, real, text; dates and timestamps as text (dates.h)
  std::vector<Node> items;      // of a list
  std::vector<Member> members;  // of a table, in the order of the file
};

struct Member {
  std::string key;
  int line = 0;  // of the key
  Node value;
};

struct Document {
  Node root;  // a table
  int last_line = 1;
};

/// Limits that keep hostile text from exhausting memory or the stack.
inline constexpr std::size_t kMaxPolicyBytes = 1'000'000;
inline constexpr int kMaxNesting = 16;   // of brackets
inline constexpr int kMaxKeyParts = 16;  // a.b.c has three

/// Never crashes, whatever the bytes. Fails: kInvalidArgument with file:line.
Result<Document> ReadDocument(std::string_view text, const std::string& file);

/// The text as the parser may see it: in ASCII, without comments, otherwise the same line by line. Fails:
/// kInvalidArgument with file:line if it is too large, not UTF-8 or nested too deeply, or has strings over several
/// lines.
Result<std::string> GuardedText(std::string_view text, const std::string& file);

}  // namespace kith
