#include "query/syntax.h"

#include <fmt/format.h>
#include <pg_query.h>
#include <pg_query/pg_query.pb-c.h>

#include <string_view>

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

}  // namespace

Result<SyntaxTree> SyntaxTree::Parse(const std::string& sql, std::size_t max_bytes) {
  const auto checked = CheckText(sql, max_bytes);
  if (!checked) return checked.error();
  // The protobuf tree, not the JSON one: the JSON writer of libpg_query 15-4.0.0 drops negative integers.
  PgQueryProtobufParseResult parsed = pg_query_parse_protobuf(sql.c_str());
  if (parsed.error) {
    const bool sub_select = std::string_view(parsed.error->message) == "subquery in FROM must have an alias";
    if (sub_select) {
      pg_query_free_protobuf_parse_result(parsed);
      return InvalidArgument("a sub-select in FROM needs a name", {}, "write FROM (SELECT ...) AS t");
    }
    const Error error = InvalidArgument(fmt::format("the question is not valid SQL: {}", parsed.error->message),
                                        Around(sql, parsed.error->cursorpos),
                                        "write one SELECT; texts stand in 'single quotes', names in \"double quotes\"");
    pg_query_free_protobuf_parse_result(parsed);
    return error;
  }
  auto* unpacked = pg_query__parse_result__unpack(nullptr, parsed.parse_tree.len,
                                                  reinterpret_cast<const std::uint8_t*>(parsed.parse_tree.data));
  pg_query_free_protobuf_parse_result(parsed);
  if (!unpacked) return InternalError("the syntax tree could not be read");
  SyntaxTree tree;
  tree.tree_ = std::shared_ptr<const PgQuery__ParseResult>(
      unpacked, [](PgQuery__ParseResult* t) { pg_query__parse_result__free_unpacked(t, nullptr); });
  if (tree.tree_->n_stmts != 1) {
    return Unsupported(fmt::format("one question at a time: this text holds {} statements", tree.tree_->n_stmts), {},
                       "ask them one after the other");
  }
  const PgQuery__Node* statement = tree.tree_->stmts[0]->stmt;
  if (!statement || statement->node_case != PG_QUERY__NODE__NODE_SELECT_STMT) {
    return Unsupported("only SELECT is answered", {}, "start the question with SELECT");
  }
  tree.select_ = statement->select_stmt;
  return tree;
}

}  // namespace kith
