#include "pgwire/sql_text.h"

#include <fmt/format.h>
#include <pg_query.h>
#include <pg_query/pg_query.pb-c.h>

#include <algorithm>
#include <memory>

#include "base/utf8.h"
#include "sql/like.h"
#include "workload/entry.h"

namespace kith::pgwire {
namespace {

std::size_t CharactersIn(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

// What the parser's own scanner finds, comments included.
Result<std::shared_ptr<const PgQuery__ScanResult>> Scanned(const std::string& text) {
  const PgQueryScanResult scanned = pg_query_scan(text.c_str());
  const std::string complaint = scanned.error ? scanned.error->message : "";
  auto* found = scanned.error ? nullptr
                              : pg_query__scan_result__unpack(nullptr, scanned.pbuf.len,
                                                              reinterpret_cast<const std::uint8_t*>(scanned.pbuf.data));
  pg_query_free_scan_result(scanned);
  if (found != nullptr)
    return std::shared_ptr<const PgQuery__ScanResult>(
        found, [](PgQuery__ScanResult* all) { pg_query__scan_result__free_unpacked(all, nullptr); });
  return InvalidArgument(fmt::format("the text is not valid SQL: {:.200}", complaint), {},
                         "close every comment with */, and every quoted text with the same quote");
}

class Reading {
 public:
  explicit Reading(std::string_view text) : text_(text), left_(text) {}

  Result<std::vector<Statement>> All() {
    const auto scanned = Scanned(left_);
    if (!scanned) return scanned.error();
    const std::size_t count = (*scanned)->n_tokens;
    for (std::size_t k = 0; k < count; ++k) {
      const PgQuery__ScanToken& token = *(*scanned)->tokens[k];
      const auto from = static_cast<std::size_t>(token.start);
      auto to = static_cast<std::size_t>(token.end);
      if (token.token == PG_QUERY__TOKEN__USCONST || token.token == PG_QUERY__TOKEN__UIDENT) {
        // The scanner loses where U&'...' ends.
        to = k + 1 < count ? static_cast<std::size_t>((*scanned)->tokens[k + 1]->start) : text_.size();
        to = text_.find_last_not_of(" \t\n\r\f\v", to - 1) + 1;
      }
      if (auto taken = Take(token, from, to); !taken) return taken.error();
    }
    End();
    return std::move(statements_);
  }

 private:
  Result<void> Take(const PgQuery__ScanToken& token, std::size_t from, std::size_t to) {
    std::string slice(text_.substr(from, to - from));
    switch (token.token) {
      case PG_QUERY__TOKEN__SQL_COMMENT:
      case PG_QUERY__TOKEN__C_COMMENT:
        for (std::size_t k = from; k < to; ++k) left_[k] = left_[k] == '\n' ? '\n' : ' ';
        return Hint(slice);
      case PG_QUERY__TOKEN__ASCII_59:
        End();
        begin_ = to;
        return {};
      case PG_QUERY__TOKEN__SCONST:
      case PG_QUERY__TOKEN__USCONST:
        return Put(TokenKind::kText, from, std::move(slice));
      case PG_QUERY__TOKEN__ICONST:
      case PG_QUERY__TOKEN__FCONST:
        return Put(TokenKind::kNumber, from, std::move(slice));
      case PG_QUERY__TOKEN__PARAM:
        return Parameter(from, std::move(slice));
      default:
        break;
    }
    if (slice.front() == '"') return Put(TokenKind::kName, from, std::move(slice));
    const bool word = token.token == PG_QUERY__TOKEN__IDENT || token.keyword_kind != PG_QUERY__KEYWORD_KIND__NO_KEYWORD;
    return Put(word ? TokenKind::kWord : TokenKind::kSign, from, std::move(slice));
  }

  // `slice`: as it was written.
  Result<void> Put(TokenKind kind, std::size_t from, std::string slice, int number = 0) {
    Token token{kind, std::move(slice), from - begin_, 0, number};
    token.size = token.text.size();
    if (kind == TokenKind::kWord) token.text = FoldCase(token.text);
    if (kind == TokenKind::kName) {
      std::string inside;
      for (std::size_t k = 1; k + 1 < token.text.size(); ++k) {
        inside += token.text[k];
        if (token.text[k] == '"') ++k;
      }
      token.text = std::move(inside);
    }
    current_.tokens.push_back(std::move(token));
    return {};
  }

  Result<void> Parameter(std::size_t from, std::string slice) {
    const int number = slice.size() > 6 ? 0 : std::stoi(slice.substr(1));
    if (number < 1 || number > 65535)
      return InvalidArgument("a parameter has no such number", slice.substr(0, 21), "count them from $1");
    current_.parameters = std::max(current_.parameters, number);
    return Put(TokenKind::kParameter, from, std::move(slice), number);
  }

  Result<void> Hint(const std::string& comment) {
    const std::size_t words = comment.find_first_not_of(" \t", 2);
    if (!comment.starts_with("--") || words == std::string::npos || comment.compare(words, 5, "kith:") != 0) return {};
    // As plans and files read it, so that there is one way to write a hint.
    const auto read = workload::ReadEntries(comment + "\nSELECT 1;");
    if (!read || read->size() != 1 || !(read->front().has_price() || read->front().intervals))
      return InvalidArgument("this hint is not known", comment.substr(0, 80),
                             "write -- kith: epsilon 0.1 or -- kith: error 50, with a number above 0; or -- kith: "
                             "intervals off");
    if (read->front().intervals) {
      current_.intervals = read->front().intervals;
      return {};
    }
    if (current_.price.epsilon || current_.price.error_95)
      return InvalidArgument("a question has two hints that say what it may cost", comment.substr(0, 80),
                             "leave one of them")
          .For("price");
    current_.price.epsilon = read->front().epsilon;
    current_.price.error_95 = read->front().error_95;
    return {};
  }

  void End() {
    if (!current_.tokens.empty()) {
      const std::size_t first = current_.tokens.front().at;
      const Token& last = current_.tokens.back();
      current_.text = left_.substr(begin_ + first, last.at + last.size - first);
      current_.before = CharactersIn(text_.substr(0, begin_ + first));
      for (Token& token : current_.tokens) token.at -= first;
      statements_.push_back(std::move(current_));
    }
    current_ = Statement();
  }

  std::string_view text_;
  std::string left_;  // the same with blanks for comments
  std::size_t begin_ = 0;
  Statement current_;
  std::vector<Statement> statements_;
};

}  // namespace

Result<std::vector<Statement>> StatementsIn(std::string_view text) {
  if (!IsUtf8(text)) return InvalidArgument("the text is not UTF-8", {}, "send it in UTF-8");
  return Reading(text).All();
}

std::string WithValues(const Statement& statement, const std::vector<std::string>& literals) {
  std::string out;
  std::size_t from = 0;
  for (const Token& token : statement.tokens) {
    if (token.kind != TokenKind::kParameter) continue;
    out += statement.text.substr(from, token.at - from);
    out += literals.at(static_cast<std::size_t>(token.number - 1));
    from = token.at + token.size;
  }
  return out + statement.text.substr(from);
}

std::vector<Relation> RelationsOf(const Statement& statement) {
  std::vector<Relation> found;
  const auto& tokens = statement.tokens;
  for (std::size_t k = 0; k + 1 < tokens.size(); ++k) {
    if (!tokens[k].Is("from") && !tokens[k].Is("join")) continue;
    std::size_t next = k + 1;
    while (next < tokens.size() && (tokens[next].Is("only") || tokens[next].Is("lateral"))) ++next;
    if (next >= tokens.size() || !tokens[next].Names()) continue;  // a sub-select: its own FROM is also seen
    Relation relation;
    relation.name = tokens[next].text;
    while (next + 2 < tokens.size() && tokens[next + 1].IsSign(".") && tokens[next + 2].Names()) {
      relation.schema = relation.name;
      relation.name = tokens[next += 2].text;
    }
    relation.function = next + 1 < tokens.size() && tokens[next + 1].IsSign("(");
    found.push_back(std::move(relation));
  }
  return found;
}

}  // namespace kith::pgwire
