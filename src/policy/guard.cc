// Goes before the TOML parser, which recurses over brackets and over the parts of dotted keys, and whose tables of
// white space are wrong for some letters beyond ASCII (undefined behaviour). So nesting is limited here, and the parser
// sees only ASCII.
#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.h"
#include "policy/document.h"

namespace kith {
namespace {

unsigned Byte(std::string_view text, std::size_t i) { return static_cast<unsigned char>(text[i]); }

// The letter at the front as TOML's escape. Requires: a valid sequence of two or more bytes.
std::string Escape(std::string_view text) {
  const std::size_t length = Utf8Length(text);
  unsigned point = Byte(text, 0) & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) point = point << 6 | (Byte(text, i) & 0x3F);
  return fmt::format("\\U{:08X}", point);
}

bool IsAscii(char c) { return static_cast<unsigned char>(c) < 0x80; }

// Walks over the text as TOML does, as far as strings, comments, brackets and dots are concerned, and copies it in
// ASCII. After a syntax error it may lose its way, but there the parser stops as well.
class Scan {
 public:
  Scan(std::string_view text, const std::string& file) : text_(text), file_(file) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;  // byte order mark
    ascii_.reserve(text.size());
  }

  Result<std::string> Run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      Result<void> ok;
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());  // comments are not copied
      } else if (c == '"' || c == '\'') {
        ok = String(c);
      } else {
        ok = Other(c);
      }
      if (!ok) return ok.error();
    }
    return std::move(ascii_);
  }

 private:
  Error At(std::string what, std::string next) const {
    return InvalidArgument(std::move(what), fmt::format("{}:{}", file_, line_), std::move(next));
  }

  Result<void> Other(char c) {
    if (!IsAscii(c)) {
      return At("a character beyond ASCII is outside quotes",
                "put names with such letters into quotes: \"...\" = { type = \"text\" }");
    }
    if (c == '.' && ++dots_ >= kMaxKeyParts) {
      return At(fmt::format("a key has more than {} parts", kMaxKeyParts), "a policy needs three at most");
    }
    if ((c == '[' || c == '{') && ++depth_ > kMaxNesting) {
      return At(fmt::format("more than {} brackets are nested", kMaxNesting), "a policy needs four at most");
    }
    if ((c == ']' || c == '}') && depth_ > 0) --depth_;
    if (c == '[' || c == '{' || c == ']' || c == '}' || c == '\n' || c == '=' || c == ',') dots_ = 0;
    if (c == '\n') ++line_;
    ascii_.push_back(c);
    ++at_;
    return {};
  }

  Result<void> String(char quote) {
    if (text_.substr(at_, 3) == std::string(3, quote)) {
      return At("a policy cannot have multi-line texts", "write the text on one line, in single quotes");
    }
    const std::size_t begin = at_;
    ++at_;
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') {
      if (text_[at_] == '\\' && quote == '"' && at_ + 1 < text_.size() && text_[at_ + 1] != '\n') ++at_;
      ++at_;
    }
    if (at_ >= text_.size() || text_[at_] == '\n') return At("a text does not end on its line", "close the quotes");
    ++at_;
    return Copy(text_.substr(begin, at_ - begin));
  }

  // A literal 'string' has no escapes, so one with letters beyond ASCII is rewritten as a "string".
  Result<void> Copy(std::string_view string) {
    if (std::all_of(string.begin(), string.end(), IsAscii)) {
      ascii_ += string;
      return {};
    }
    const bool literal = string.front() == '\'';
    const std::string_view inside = string.substr(1, string.size() - 2);
    ascii_.push_back('"');
    for (std::size_t i = 0; i < inside.size(); ++i) {
      if (!IsAscii(inside[i])) {
        ascii_ += Escape(inside.substr(i));
        i += Utf8Length(inside.substr(i)) - 1;
        continue;
      }
      if (literal && (inside[i] == '"' || inside[i] == '\\')) ascii_.push_back('\\');
      ascii_.push_back(inside[i]);
      if (literal || inside[i] != '\\') continue;
      ++i;  // the rest of an escape is copied unchanged, for the parser to judge
      if (!IsAscii(inside[i]))
        return At("there is a backslash before a letter that needs none", "remove it, or write \\\\");
      ascii_.push_back(inside[i]);
    }
    ascii_.push_back('"');
    return {};
  }

  std::string_view text_;
  const std::string& file_;
  std::string ascii_;
  std::size_t at_ = 0;
  int line_ = 1;
  int depth_ = 0;
  int dots_ = 0;
};

}  // namespace

Result<std::string> GuardedText(std::string_view text, const std::string& file) {
  if (text.size() > kMaxPolicyBytes) {
    return InvalidArgument(
        fmt::format("the policy is larger than {} bytes", kMaxPolicyBytes), file,
        "keep graphs and models in files of their own (edges = \"friends.csv\", file = \"model.json\")");
  }
  int line = 1;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t length = Utf8Length(rest);
    if (length == 0) {
      return InvalidArgument("the policy is not UTF-8 text", fmt::format("{}:{}", file, line),
                             "save the file as UTF-8, without other encodings mixed in");
    }
    if (rest[0] == '\n') ++line;
    rest.remove_prefix(length);
  }
  return Scan(text, file).Run();
}

}  // namespace kith
