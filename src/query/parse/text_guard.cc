// Guards the parser: it overflows the stack on deep text and knows no limits.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "base/spelling.h"
#include "base/utf8.h"
#include "query/parse/syntax.h"
#include "sql/like.h"

namespace kith {
namespace {

bool IsWordChar(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || (c & 0x80) != 0; }

// Walks over the text roughly as SQL's lexer does. It need not be exact, but it must count at least as many tokens as
// there are levels of nesting: everything outside literals and comments is counted, and where their ends are not
// certain (backslashes, block comments, dollar quotes) everything inside as well.
struct Scan {
  std::size_t tokens = 0;
  std::size_t depth = 0, deepest = 0;
  std::string first_word;
};

std::size_t SkipQuoted(std::string_view text, std::size_t i, char quote) {
  for (++i; i < text.size(); ++i) {
    if (text[i] == quote) return i + 1;
  }
  return i;
}

std::size_t SkipWord(std::string_view text, std::size_t i) {
  while (i < text.size() && IsWordChar(text[i])) ++i;
  return i;
}

void CountSign(char sign, Scan& scan) {
  ++scan.tokens;
  if (sign == '(' || sign == '[') scan.deepest = std::max(scan.deepest, ++scan.depth);
  if ((sign == ')' || sign == ']') && scan.depth > 0) --scan.depth;
}

Scan ScanText(std::string_view text) {
  Scan scan;
  const bool certain = text.find_first_of("\\$") == text.npos && text.find("/*") == text.npos;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (std::isspace(static_cast<unsigned char>(c)) || c == ',') {
      ++i;
    } else if (certain && text.substr(i, 2) == "--") {
      while (i < text.size() && text[i] != '\n') ++i;
    } else if (certain && (c == '\'' || c == '"')) {
      i = SkipQuoted(text, i, c);
    } else if (std::isdigit(static_cast<unsigned char>(c))) {
      i = SkipWord(text, i);
    } else if (IsWordChar(c)) {
      const std::size_t end = SkipWord(text, i);
      if (scan.first_word.empty()) scan.first_word = FoldCase(std::string(text.substr(i, end - i)));
      ++scan.tokens;
      i = end;
    } else {
      CountSign(c, scan);
      ++i;
    }
  }
  return scan;
}

}  // namespace

Result<void> CheckText(const std::string& sql, std::size_t max_bytes) {
  if (sql.size() > max_bytes) {
    return Unsupported(fmt::format("the question is {} bytes long; kith reads at most {}", sql.size(), max_bytes), {},
                       "ask several shorter questions");
  }
  if (sql.find('\0') != std::string::npos) return InvalidArgument("the question contains a zero byte");
  if (!IsUtf8(sql)) return InvalidArgument("the question is not valid UTF-8 text");
  const Scan scan = ScanText(sql);
  if (scan.tokens == 0)
    return InvalidArgument("the question is empty", {}, "ask for example: SELECT count(*) FROM table");
  const std::size_t most = TextLimits::kTokens * std::max(max_bytes, kMaxQuestionBytes) / kMaxQuestionBytes;
  if (scan.deepest > TextLimits::kParentheses || scan.tokens > most) {
    return Unsupported("the question is nested too deeply or has too many parts", {}, "ask several simpler questions");
  }
  if (scan.first_word != "select" && scan.first_word != "with") {
    if (!NearestWord(scan.first_word, {"select", "with"}).empty()) {  // not another statement, but a slip
      return InvalidArgument("the question is not valid SQL: it begins with an unknown word",
                             scan.first_word.substr(0, 60), "start the question with SELECT")
          .For("question.syntax");
    }
    return Unsupported("only SELECT is answered", scan.first_word.substr(0, 60), "start the question with SELECT")
        .For("columns");
  }
  return {};
}

}  // namespace kith
