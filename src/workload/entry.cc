#include "workload/entry.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

namespace kith::workload {
namespace {

constexpr char kMark[] = "kith:";

bool IsBlank(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isspace(c) != 0; });
}

std::string Trimmed(const std::string& text) {
  const auto from = text.find_first_not_of(" \t\r\n");
  if (from == std::string::npos) return {};
  return text.substr(from, text.find_last_not_of(" \t\r\n") - from + 1);
}

// Goes through the text once. Quoted strings and names are copied as they are, comments are left out.
class Reader {
 public:
  explicit Reader(const std::string& text) : text_(text) {}

  Result<std::vector<Entry>> Read() {
    while (at_ < text_.size()) {
      if (auto read = Next(); !read) return read.error();
    }
    if (auto ended = End(); !ended) return ended.error();
    if (entries_.empty())
      return InvalidArgument("the text holds no question", {}, "write SELECT ...; SELECT ...; one after another");
    return std::move(entries_);
  }

 private:
  Result<void> Next() {
    const char c = text_[at_];
    if (text_.compare(at_, 2, "--") == 0) return LineComment();
    if (text_.compare(at_, 2, "/*") == 0) return BlockComment();
    if (c == '\'' || c == '"') return Quoted(c);
    if (c == ';') {
      ++at_;
      return End();
    }
    if (c == '\n') ++line_;
    Put(c);
    ++at_;
    return {};
  }

  void Put(char c) {
    if (current_.line == 0 && std::isspace(static_cast<unsigned char>(c)) == 0) current_.line = line_;
    current_.sql += c;
  }

  Result<void> Quoted(char quote) {
    const int began = line_;
    Put(text_[at_++]);
    while (at_ < text_.size() && text_[at_] != quote) {
      if (text_[at_] == '\n') ++line_;
      Put(text_[at_++]);
    }
    if (at_ == text_.size())
      return InvalidArgument("a quoted text does not end", fmt::format("line {}", began),
                             "close it with the same quote");
    Put(text_[at_++]);
    return {};
  }

  Result<void> BlockComment() {
    const auto end = text_.find("*/", at_ + 2);
    if (end == std::string::npos)
      return InvalidArgument("a comment does not end", fmt::format("line {}", line_), "close it with */");
    line_ += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                         text_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
    Put(' ');
    at_ = end + 2;
    return {};
  }

  Result<void> LineComment() {
    const auto end = std::min(text_.find('\n', at_), text_.size());
    const std::string words = Trimmed(text_.substr(at_ + 2, end - at_ - 2));
    at_ = end;
    if (!words.starts_with(kMark)) return {};
    // After the semicolon, on its line: of the question that ended there.
    const bool of_last = IsBlank(current_.sql) && !entries_.empty() && ended_on_ == line_;
    return Hint(words.substr(std::char_traits<char>::length(kMark)), of_last ? entries_.back() : current_);
  }

  Result<void> Hint(const std::string& words, Entry& entry) const {
    std::istringstream in(words);
    std::string name, number, more;
    in >> name >> number >> more;
    if (name == "intervals" && (number == "on" || number == "off") && more.empty()) {
      entry.intervals = number == "on";
      return {};
    }
    double value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    const bool read = error == std::errc() && end == number.data() + number.size() && more.empty();
    if (!read || !std::isfinite(value) || value <= 0) return NoHint();
    if (name == "error") {
      entry.error_95 = value;
    } else if (name == "epsilon") {
      entry.epsilon = value;
    } else if (name == "weight") {
      entry.weight = value;
    } else {
      return NoHint();
    }
    if ((entry.error_95 && entry.epsilon) || (entry.has_price() && entry.weight != 1))
      return InvalidArgument("a question has two hints that say what it may cost", fmt::format("line {}", line_),
                             "leave one of error, epsilon and weight");
    return {};
  }

  Error NoHint() const {
    return InvalidArgument("this hint is not known", fmt::format("line {}", line_),
                           "write -- kith: error 50, -- kith: epsilon 0.1 or -- kith: weight 3, with a number above 0; "
                           "or -- kith: intervals off");
  }

  Result<void> End() {
    ended_on_ = line_;
    current_.sql = Trimmed(current_.sql);
    if (current_.sql.empty()) {
      if (current_.has_price() || current_.weight != 1 || current_.intervals)
        return InvalidArgument("a hint has no question", fmt::format("line {}", line_),
                               "write it before the question, inside it, or after its semicolon on the same line");
      current_ = Entry();
      return {};
    }
    if (entries_.size() == kMostEntries)
      return InvalidArgument(fmt::format("more than {} questions in one plan", kMostEntries), {},
                             "plan them in several files");
    entries_.push_back(std::move(current_));
    current_ = Entry();
    return {};
  }

  const std::string& text_;
  std::size_t at_ = 0;
  int line_ = 1, ended_on_ = 0;
  Entry current_;
  std::vector<Entry> entries_;
};

}  // namespace

Result<std::vector<Entry>> ReadEntries(const std::string& text) {
  if (text.size() > kMostBytes)
    return InvalidArgument(fmt::format("a plan has at most {} bytes", kMostBytes), {}, "plan the questions in parts");
  const std::string plain = IsWorkload(text) ? text.substr(std::string(kPlanLine).size()) : text;
  return Reader(plain).Read();
}

}  // namespace kith::workload
