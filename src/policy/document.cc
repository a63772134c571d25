// The only file that knows the TOML parser.
#include "policy/document.h"

#include <algorithm>
#include <exception>
#include <tuple>

// The parser's assertions are neither allowed to end the process nor to be taken as promises by the optimiser:
// GuardedText and the checks after parsing replace them.
#undef NDEBUG
#define TOML_ASSERT(expr) static_assert(true)
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#define TOML_ENABLE_UNRELEASED_FEATURES 0
#define TOML_UNDEF_MACROS 0
#include <fmt/format.h>
#include <toml++/toml.h>

#include "base/utf8.h"
#include "policy/dates.h"

namespace kith {
namespace {

int LineOf(const toml::source_region& region) { return static_cast<int>(region.begin.line); }

std::string Text(const toml::date& date) { return fmt::format("{:04}-{:02}-{:02}", date.year, date.month, date.day); }

// Zones and digits beyond microseconds have no place in a policy; they become kOther, which nothing accepts.
Node FromDateTime(const toml::date_time& value, Node node) {
  if (value.offset || value.time.nanosecond % 1000 != 0) return node;
  const auto microseconds =
      ParseTimestamp(fmt::format("{} {:02}:{:02}:{:02}.{:06}", Text(value.date), value.time.hour, value.time.minute,
                                 value.time.second, value.time.nanosecond / 1000));
  if (!microseconds) return node;
  node.kind = NodeKind::kTimestamp;
  node.leaf = TimestampText(*microseconds);
  return node;
}

Node FromDate(const toml::date& value, Node node) {
  const std::string text = Text(value);
  if (!ParseDate(text)) return node;
  node.kind = NodeKind::kDate;
  node.leaf = text;
  return node;
}

Node Convert(const toml::node& from);

Node FromTable(const toml::table& table, Node node) {
  node.kind = NodeKind::kTable;
  std::vector<std::tuple<toml::source_position, const toml::key*, const toml::node*>> members;
  for (auto&& [key, value] : table) members.emplace_back(key.source().begin, &key, &value);
  // The parser keeps keys in alphabetical order; the order of the file is the one that a person sees.
  std::stable_sort(members.begin(), members.end(),
                   [](const auto& a, const auto& b) { return std::get<0>(a) < std::get<0>(b); });
  for (const auto& [position, key, value] : members) {
    node.members.push_back({std::string(key->str()), static_cast<int>(position.line), Convert(*value)});
  }
  return node;
}

// Recurses as deep as GuardedText allows.
Node Convert(const toml::node& from) {
  Node node;
  node.line = LineOf(from.source());
  if (const auto* table = from.as_table()) return FromTable(*table, std::move(node));
  if (const auto* array = from.as_array()) {
    node.kind = NodeKind::kList;
    node.items.reserve(array->size());
    for (const auto& item : *array) node.items.push_back(Convert(item));
  } else if (const auto* text = from.as_string()) {
    node.kind = NodeKind::kText;
    node.leaf = text->get();
  } else if (const auto* integer = from.as_integer()) {
    node.kind = NodeKind::kInteger;
    node.leaf = integer->get();
  } else if (const auto* real = from.as_floating_point()) {
    node.kind = NodeKind::kReal;
    node.leaf = real->get();
  } else if (const auto* boolean = from.as_boolean()) {
    node.kind = NodeKind::kBoolean;
    node.leaf = boolean->get();
  } else if (const auto* date = from.as_date()) {
    return FromDate(date->get(), std::move(node));
  } else if (const auto* timestamp = from.as_date_time()) {
    return FromDateTime(timestamp->get(), std::move(node));
  }
  return node;
}

// The parser's own words, which may quote the text: without control characters and not longer than a line or two.
std::string Words(std::string_view description) {
  constexpr std::size_t kLongest = 200;
  std::string words;
  for (const char c : description.substr(0, kLongest)) words.push_back(static_cast<unsigned char>(c) < 0x20 ? ' ' : c);
  while (!words.empty() && !IsUtf8(words)) words.pop_back();
  return words;
}

std::string_view LineText(std::string_view text, int line) {
  for (; line > 1; --line) text.remove_prefix(std::min(text.size(), text.find('\n') + 1));
  return text.substr(0, text.find('\n'));
}

// The parser reports some errors about a table header only after its line break, at the start of the next line. The
// header's own line is the one with the name that the message quotes.
int LineOf(const toml::parse_error& error, std::string_view text) {
  const int line = LineOf(error.source());
  const std::string_view words = error.description();
  if (line == 1 || error.source().begin.column != 1 || words.find("table header") == std::string_view::npos)
    return line;
  const auto open = words.find('\'');
  const auto close = words.rfind('\'');
  if (open == std::string_view::npos || open == close) return line;
  const std::string_view name = words.substr(open + 1, close - open - 1);
  return LineText(text, line).find(name) == std::string_view::npos ? line - 1 : line;
}

}  // namespace

Result<Document> ReadDocument(std::string_view text, const std::string& file) {
  const auto guarded = GuardedText(text, file);
  if (!guarded) return guarded.error();
  const toml::parse_result parsed = toml::parse(*guarded);
  if (!parsed) {
    return InvalidArgument("this is not TOML: " + Words(parsed.error().description()),
                           fmt::format("{}:{}", file, LineOf(parsed.error(), *guarded)),
                           "correct the line; texts are written in \"quotes\", every key occurs once");
  }
  Document document;
  document.root = Convert(parsed.table());
  document.last_line = 1 + static_cast<int>(std::count(text.begin(), text.end(), '\n'));
  if (!text.empty() && text.back() == '\n') --document.last_line;
  return document;
}

}  // namespace kith
