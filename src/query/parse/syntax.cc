#include "query/parse/syntax.h"

#include <fmt/format.h>
#include <pg_query.h>
#include <pg_query/pg_query.pb-c.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "query/bind/typing.h"

namespace kith {
namespace {

// The text around the place of a syntax error. Positions count characters from 1; 0 means unknown.
std::string Around(const std::string& sql, int position) {
  if (position <= 0) return {};
  std::size_t byte = 0;
  for (int characters = 1; byte < sql.size() && characters < position; ++characters) {
    do ++byte;
    while (byte < sql.size() && (static_cast<unsigned char>(sql[byte]) & 0xC0) == 0x80);
  }
  if (byte >= sql.size()) return "the end of the question";
  std::size_t end = std::min(sql.size(), byte + 30);
  while (end < sql.size() && (static_cast<unsigned char>(sql[end]) & 0xC0) == 0x80) ++end;
  return fmt::format("character {}: {}", position, sql.substr(byte, end - byte));
}

struct Parsed {
  std::string bytes;                           // the tree as it was packed
  std::shared_ptr<PgQuery__ParseResult> tree;  // none: the text is not valid SQL
  // Then: the parser's message, and the place, which counts characters from 1.
  std::string complaint;
  int position = 0;
};

// The memory of one tree. It has hundreds of small parts, which are dropped together.
class TreeMemory {
 public:
  TreeMemory() = default;
  TreeMemory(const TreeMemory&) = delete;
  TreeMemory& operator=(const TreeMemory&) = delete;

  ProtobufCAllocator* allocator() { return &allocator_; }

 private:
  static constexpr std::size_t kBlock = 8192, kAlign = alignof(std::max_align_t);

  // Nothing if there is no memory: what calls this is C.
  void* Take(std::size_t size) {
    size = (size + kAlign - 1) / kAlign * kAlign;
    if (size > left_) {
      const std::size_t block = std::max(size, kBlock);
      std::unique_ptr<std::byte[]> more(new (std::nothrow) std::byte[block]);
      if (more == nullptr) return nullptr;
      try {
        blocks_.push_back(std::move(more));
      } catch (const std::bad_alloc&) {
        return nullptr;
      }
      next_ = blocks_.back().get();
      left_ = block;
    }
    left_ -= size;
    return std::exchange(next_, next_ + size);
  }

  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::byte* next_ = nullptr;
  std::size_t left_ = 0;
  ProtobufCAllocator allocator_{
      [](void* memory, std::size_t size) { return static_cast<TreeMemory*>(memory)->Take(size); },
      [](void*, void*) {},  // all at once, at the end
      this};
};

// Requires: checked text.
Parsed ParseStatements(const std::string& sql) {
  // The protobuf tree, not the JSON one: the JSON writer of libpg_query 15-4.0.0 drops negative integers.
  PgQueryProtobufParseResult parsed = pg_query_parse_protobuf(sql.c_str());
  Parsed out;
  if (parsed.error) {
    out.complaint = parsed.error->message;
    out.position = parsed.error->cursorpos;
    pg_query_free_protobuf_parse_result(parsed);
    return out;
  }
  out.bytes.assign(parsed.parse_tree.data, parsed.parse_tree.len);
  pg_query_free_protobuf_parse_result(parsed);
  const auto memory = std::make_shared<TreeMemory>();
  auto* unpacked = pg_query__parse_result__unpack(memory->allocator(), out.bytes.size(),
                                                  reinterpret_cast<const std::uint8_t*>(out.bytes.data()));
  if (!unpacked)
    out.complaint = "its syntax tree could not be read";
  else
    out.tree = std::shared_ptr<PgQuery__ParseResult>(memory, unpacked);
  return out;
}

PgQuery__SelectStmt* OnlySelect(const PgQuery__ParseResult& tree) {
  PgQuery__Node* statement = tree.n_stmts == 1 ? tree.stmts[0]->stmt : nullptr;
  const bool select = statement && statement->node_case == PG_QUERY__NODE__NODE_SELECT_STMT;
  return select ? statement->select_stmt : nullptr;
}

std::string Packed(const PgQuery__ParseResult& tree) {
  std::string bytes(pg_query__parse_result__get_packed_size(&tree), '\0');
  pg_query__parse_result__pack(&tree, reinterpret_cast<std::uint8_t*>(bytes.data()));
  return bytes;
}

// The condition of the statement, if there is nothing else in it that "SELECT 1" lacks.
const PgQuery__Node* OnlyCondition(PgQuery__ParseResult& tree) {
  static const std::string plain = Packed(*ParseStatements("SELECT 1").tree);
  PgQuery__SelectStmt* select = OnlySelect(tree);
  if (!select) return nullptr;
  PgQuery__Node* condition = std::exchange(select->where_clause, nullptr);
  const bool same = Packed(tree) == plain;
  select->where_clause = condition;
  return same ? condition : nullptr;
}

}  // namespace

Result<SyntaxTree> SyntaxTree::Parse(const std::string& sql, std::size_t max_bytes) {
  const auto checked = CheckText(sql, max_bytes);
  if (!checked) return checked.error();
  const Parsed parsed = ParseStatements(sql);
  if (!parsed.tree) {
    if (parsed.complaint == "subquery in FROM must have an alias")
      return InvalidArgument("a sub-select in FROM needs a name", {}, "write FROM (SELECT ...) AS t");
    return InvalidArgument(fmt::format("the question is not valid SQL: {}", parsed.complaint),
                           Around(sql, parsed.position),
                           "write one SELECT; texts are written in 'single quotes', names in \"double quotes\"")
        .For("question.syntax");
  }
  SyntaxTree tree;
  tree.tree_ = parsed.tree;
  if (tree.tree_->n_stmts != 1) {
    return Unsupported(fmt::format("one question at a time: this text contains {} statements", tree.tree_->n_stmts), {},
                       "ask them one after another");
  }
  tree.select_ = OnlySelect(*tree.tree_);
  if (!tree.select_) return Unsupported("only SELECT is answered", {}, "start the question with SELECT").For("columns");
  return tree;
}

Result<ExpressionTree> ExpressionTree::Parse(const std::string& text, std::size_t max_bytes) {
  const std::string before = "SELECT 1 WHERE ";
  ExpressionTree out;
  out.sql_ = before + " " + text + " ";
  const auto checked = CheckText(out.sql_, max_bytes + before.size() + 2);
  if (!checked) return checked.error();
  const Parsed alone = ParseStatements(out.sql_), inside = ParseStatements(before + "(" + text + ")");
  const auto refuse = [&](const std::string& why) {
    return InvalidArgument("this is not one expression: " + why, Shortened(text),
                           "write it as in SQL, such as \"age > 17\", without comments and semicolons");
  };
  if (!alone.tree) return refuse(alone.complaint);
  out.node_ = OnlyCondition(*alone.tree);
  if (!out.node_ || !inside.tree || inside.bytes != alone.bytes) return refuse("something follows it");
  out.tree_ = alone.tree;
  return out;
}

std::vector<std::string> SplitList(const std::string& text) {
  const auto trimmed = [](std::string part) {
    const char* const spaces = " \t\r\n\f\v";
    part.erase(0, std::min(part.find_first_not_of(spaces), part.size()));
    part.erase(part.find_last_not_of(spaces) + 1);
    return part;
  };
  std::vector<std::string> parts;
  std::size_t start = 0;
  const PgQueryScanResult scanned = pg_query_scan(text.c_str());
  if (!scanned.error && text.find('\0') == text.npos) {
    PgQuery__ScanResult* tokens = pg_query__scan_result__unpack(
        nullptr, scanned.pbuf.len, reinterpret_cast<const std::uint8_t*>(scanned.pbuf.data));
    int depth = 0;
    for (std::size_t i = 0; tokens && i < tokens->n_tokens; ++i) {
      const PgQuery__ScanToken& token = *tokens->tokens[i];
      const auto at = static_cast<std::size_t>(token.start);
      const bool opens = token.token == PG_QUERY__TOKEN__ASCII_40 || token.token == PG_QUERY__TOKEN__ASCII_91;
      const bool closes = token.token == PG_QUERY__TOKEN__ASCII_41 || token.token == PG_QUERY__TOKEN__ASCII_93;
      depth += opens ? 1 : closes ? -1 : 0;
      if (token.token != PG_QUERY__TOKEN__ASCII_44 || depth != 0) continue;
      parts.push_back(trimmed(text.substr(start, at - start)));
      start = at + 1;
    }
    if (tokens) pg_query__scan_result__free_unpacked(tokens, nullptr);
  }
  pg_query_free_scan_result(scanned);
  parts.push_back(trimmed(text.substr(start)));
  return parts;
}

}  // namespace kith
