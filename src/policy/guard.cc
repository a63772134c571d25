// Refuses texts that could hurt the TOML parser: it recurses over brackets and over the parts of dotted keys.
#include <fmt/format.h>

#include <algorithm>

#include "policy/document.h"

namespace kith {
namespace {

// Length of the UTF-8 sequence at the front, or 0 if it is not one.
std::size_t SequenceLength(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const bool overlong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
  const bool surrogate = first == 0xED && byte(1) > 0x9F;
  const bool beyond = first == 0xF4 && byte(1) > 0x8F;
  return overlong || surrogate || beyond ? 0 : length;
}

// Walks over the text as TOML does, as far as strings, comments, brackets and dots are concerned. After a syntax error
// it may lose its way, but there the parser stops as well. Two things of TOML are refused because the parser's tables
// of white space are wrong for some letters (it would run into undefined behaviour): letters beyond ASCII outside
// strings, which TOML forbids anyway, and multi-line strings, which no policy needs.
class Scan {
 public:
  Scan(std::string_view text, const std::string& file) : text_(text), file_(file) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;  // byte order mark
  }

  Result<void> Run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      Result<void> ok;
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (c == '"' || c == '\'') {
        ok = SkipString(c);
      } else {
        ok = Step(c);
      }
      if (!ok) return ok;
    }
    return {};
  }

 private:
  Error At(std::string what, std::string next) const {
    return InvalidArgument(std::move(what), fmt::format("{}:{}", file_, line_), std::move(next));
  }

  Result<void> Step(char c) {
    if (static_cast<unsigned char>(c) >= 0x80) {
      return At("a letter or sign beyond ASCII stands outside quotes",
                "put names with such letters into quotes: \"...\" = { type = \"text\" }");
    }
    if (c == '.' && ++dots_ >= kMaxKeyParts) {
      return At(fmt::format("a key has more than {} parts", kMaxKeyParts), "a policy needs three at most");
    }
    if ((c == '[' || c == '{') && ++depth_ > kMaxNesting) {
      return At(fmt::format("more than {} brackets stand inside each other", kMaxNesting),
                "a policy needs four at most");
    }
    if ((c == ']' || c == '}') && depth_ > 0) --depth_;
    if (c == '[' || c == '{' || c == ']' || c == '}' || c == '\n' || c == '=' || c == ',') dots_ = 0;
    if (c == '\n') ++line_;
    ++at_;
    return {};
  }

  Result<void> SkipString(char quote) {
    if (text_.substr(at_, 3) == std::string(3, quote)) {
      return At("texts over several lines are not used in policies", "write the text on one line, in single quotes");
    }
    for (++at_; at_ < text_.size() && text_[at_] != '\n'; ++at_) {  // a line break is an error; the parser will say so
      if (text_[at_] == quote) {
        ++at_;
        break;
      }
      if (text_[at_] == '\\' && quote == '"' && at_ + 1 < text_.size() && text_[at_ + 1] != '\n') ++at_;
    }
    return {};
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  int line_ = 1;
  int depth_ = 0;
  int dots_ = 0;
};

}  // namespace

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = SequenceLength(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

Result<void> GuardText(std::string_view text, const std::string& file) {
  if (text.size() > kMaxPolicyBytes) {
    return InvalidArgument(
        fmt::format("the policy is larger than {} bytes", kMaxPolicyBytes), file,
        "keep graphs and models in files of their own (edges = \"friends.csv\", file = \"model.json\")");
  }
  int line = 1;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t length = SequenceLength(rest);
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
