#include "pgwire/sql_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.h"
#include "workload/entry.h"

namespace kith::pgwire {
namespace {

bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }

std::size_t CharactersIn(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text), left_(text) {}

  Result<std::vector<Statement>> All() {
    while (at_ < text_.size()) {
      if (auto read = Next(); !read) return read.error();
    }
    End();
    return std::move(statements_);
  }

 private:
  bool Ahead(std::string_view sign) const { return text_.substr(at_).starts_with(sign); }

  Result<void> Next() {
    const char c = text_[at_];
    if (IsSpace(c)) {
      ++at_;
      return {};
    }
    if (Ahead("--")) return LineComment();
    if (Ahead("/*")) return BlockComment();
    if (c == ';') {
      End();
      begin_ = ++at_;
      return {};
    }
    if (c == '\'') return Quoted(at_, '\'', false);
    if (c == '"') return Quoted(at_, '"', false);
    if ((c == 'e' || c == 'E') && at_ + 1 < text_.size() && text_[at_ + 1] == '\'') return Quoted(at_ + 1, '\'', true);
    if (c == '$') return Dollar();
    if (IsLetter(c)) return Word();
    if (IsDigit(c) || (c == '.' && at_ + 1 < text_.size() && IsDigit(text_[at_ + 1]))) return Number();
    return Sign();
  }

  void Put(TokenKind kind, std::size_t end, std::string text, int number = 0) {
    current_.tokens.push_back({kind, std::move(text), at_ - begin_, end - at_, number});
    at_ = end;
  }

  void Blank(std::size_t from, std::size_t to) {
    for (std::size_t k = from; k < to; ++k) left_[k] = left_[k] == '\n' ? '\n' : ' ';
  }

  Result<void> LineComment() {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    const std::string comment(text_.substr(at_, end - at_));
    const std::size_t words = comment.find_first_not_of(" \t", 2);
    Blank(at_, end);
    at_ = end;
    if (words == std::string::npos || comment.compare(words, 5, "kith:") != 0) return {};
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

  Result<void> BlockComment() {
    const std::size_t from = at_;
    int depth = 0;
    while (at_ < text_.size()) {
      if (Ahead("/*")) {
        ++depth;
        at_ += 2;
      } else if (Ahead("*/")) {
        at_ += 2;
        if (--depth == 0) {
          Blank(from, at_);
          return {};
        }
      } else {
        ++at_;
      }
    }
    return InvalidArgument("a comment does not end", {}, "close it with */");
  }

  Result<void> Quoted(std::size_t open, char quote, bool escapes) {
    std::string inside;
    for (std::size_t k = open + 1; k < text_.size(); ++k) {
      if (escapes && text_[k] == '\\' && k + 1 < text_.size()) {
        ++k;
        continue;
      }
      if (text_[k] != quote) {
        inside += text_[k];
      } else if (k + 1 < text_.size() && text_[k + 1] == quote) {
        inside += quote;
        ++k;
      } else {
        const bool name = quote == '"';
        Put(name ? TokenKind::kName : TokenKind::kText, k + 1,
            name ? inside : std::string(text_.substr(at_, k + 1 - at_)));
        return {};
      }
    }
    return InvalidArgument("a quoted text does not end", {}, "close it with the same quote");
  }

  Result<void> Dollar() {
    std::size_t end = at_ + 1;
    while (end < text_.size() && IsDigit(text_[end])) ++end;
    if (end > at_ + 1) {
      const std::string digits(text_.substr(at_ + 1, end - at_ - 1));
      const int number = digits.size() > 5 ? 0 : std::stoi(digits);
      if (number < 1 || number > 65535)
        return InvalidArgument("a parameter has no such number", "$" + digits.substr(0, 20), "count them from $1");
      current_.parameters = std::max(current_.parameters, number);
      Put(TokenKind::kParameter, end, "$" + digits, number);
      return {};
    }
    while (end < text_.size() && (IsLetter(text_[end]) || IsDigit(text_[end]))) ++end;
    if (end == text_.size() || text_[end] != '$') return Sign();
    const std::string_view tag = text_.substr(at_, end + 1 - at_);
    const std::size_t close = text_.find(tag, end + 1);
    if (close == std::string_view::npos)
      return InvalidArgument("a quoted text does not end", {}, "close it with the same quote");
    const std::size_t after = close + tag.size();
    Put(TokenKind::kText, after, std::string(text_.substr(at_, after - at_)));
    return {};
  }

  Result<void> Word() {
    std::size_t end = at_;
    while (end < text_.size() && (IsLetter(text_[end]) || IsDigit(text_[end]) || text_[end] == '$')) ++end;
    std::string word(text_.substr(at_, end - at_));
    for (char& c : word) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    Put(TokenKind::kWord, end, std::move(word));
    return {};
  }

  Result<void> Number() {
    std::size_t end = at_;
    while (end < text_.size() && (IsDigit(text_[end]) || text_[end] == '.')) ++end;
    Put(TokenKind::kNumber, end, std::string(text_.substr(at_, end - at_)));
    return {};
  }

  Result<void> Sign() {
    for (const std::string_view two : {"::", "<=", ">=", "<>", "!=", "||", "!~", "~*", "->"}) {
      if (!Ahead(two)) continue;
      Put(TokenKind::kSign, at_ + 2, std::string(two));
      return {};
    }
    Put(TokenKind::kSign, at_ + 1, std::string(1, text_[at_]));
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
  std::size_t at_ = 0, begin_ = 0;
  Statement current_;
  std::vector<Statement> statements_;
};

}  // namespace

Result<std::vector<Statement>> StatementsIn(std::string_view text) {
  if (!IsUtf8(text)) return InvalidArgument("the text is not UTF-8", {}, "send it in UTF-8");
  return Scanner(text).All();
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
