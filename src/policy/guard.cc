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
// it may lose its way, but there the parser stops as well.
class NestingScan {
 public:
  explicit NestingScan(std::string_view text) : text_(text) {}

  // 0 if all is well, otherwise the line where a limit is passed.
  int Run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (c == '"' || c == '\'') {
        SkipString(c);
      } else if (!Step(c)) {
        return line_;
      }
    }
    return 0;
  }

 private:
  bool Step(char c) {
    ++at_;
    if (c == '.') return ++dots_ < kMaxKeyParts;
    if (c == '[' || c == '{') ++depth_;
    if ((c == ']' || c == '}') && depth_ > 0) --depth_;
    if (c == '\n') ++line_;
    if (c == '[' || c == '{' || c == ']' || c == '}' || c == '\n' || c == '=' || c == ',') dots_ = 0;
    return depth_ <= kMaxNesting;
  }

  void SkipString(char quote) {
    const std::string triple(3, quote);
    const bool multi_line = text_.substr(at_, 3) == triple;
    at_ += multi_line ? 3 : 1;
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\n' && !multi_line) return;  // an error; the parser will say so
      if (text_[at_] == '\n') ++line_;
      if (text_[at_] == '\\' && quote == '"') {
        if (at_ + 1 < text_.size() && text_[at_ + 1] != '\n') ++at_;
      } else if (!multi_line && text_[at_] == quote) {
        ++at_;
        return;
      } else if (multi_line && text_.substr(at_, 3) == triple) {
        at_ += 3;
        for (int extra = 0; extra < 2 && at_ < text_.size() && text_[at_] == quote; ++extra) ++at_;
        return;
      }
    }
  }

  std::string_view text_;
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
  if (const int where = NestingScan(text).Run(); where != 0) {
    return InvalidArgument(fmt::format("more than {} brackets inside each other, or a key of more than {} parts",
                                       kMaxNesting, kMaxKeyParts),
                           fmt::format("{}:{}", file, where), "a policy needs three levels at most");
  }
  return {};
}

}  // namespace kith
