#include "policy/hints.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/spelling.h"
#include "base/utf8.h"
#include "policy/dates.h"

namespace kith {
namespace {

using OtherNames = std::map<std::string, std::string, std::less<>>;

std::string Folded(std::string_view word) {
  std::string folded(word);
  for (char& c : folded) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return folded;
}

}  // namespace

std::string Quote(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::string kept;
  for (const char c : text.substr(0, kLongest))
    kept.push_back(static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '?' : c);
  while (!kept.empty() && !IsUtf8(kept)) kept.pop_back();
  return "'" + kept + (text.size() > kLongest ? "...'" : "'");
}

std::string Suggest(std::string_view word, const std::vector<std::string>& candidates) {
  constexpr std::size_t kMostListed = 12;
  const std::string nearest = NearestWord(word, candidates);
  std::string text = nearest.empty() ? "" : "did you mean " + Quote(nearest) + "? ";
  if (candidates.empty()) return text + "there is nothing to choose from";
  text += "choose from: ";
  for (std::size_t i = 0; i < candidates.size() && i < kMostListed; ++i) {
    const std::string quoted = Quote(candidates[i]);
    text += (i == 0 ? "" : ", ") + quoted.substr(1, quoted.size() - 2);
  }
  return candidates.size() > kMostListed ? text + ", ..." : text;
}

std::string KindName(NodeKind kind) {
  switch (kind) {
    case NodeKind::kBoolean:
      return "true or false";
    case NodeKind::kInteger:
      return "a whole number";
    case NodeKind::kReal:
      return "a real number";
    case NodeKind::kText:
      return "a text";
    case NodeKind::kDate:
      return "a date";
    case NodeKind::kTimestamp:
      return "a timestamp";
    case NodeKind::kList:
      return "a list";
    case NodeKind::kTable:
      return "a table";
    case NodeKind::kOther:
      break;
  }
  return "a time of day, or a time with a zone or beyond microseconds";
}

std::string TypeHint(std::string_view word, const std::vector<std::string>& known) {
  static const OtherNames names = {
      {"int", "integer"},      {"int32", "integer"},      {"int64", "integer"},  {"bigint", "integer"},
      {"smallint", "integer"}, {"long", "integer"},       {"float", "real"},     {"float64", "real"},
      {"double", "real"},      {"number", "real"},        {"numeric", "real"},   {"decimal", "real"},
      {"string", "text"},      {"str", "text"},           {"char", "text"},      {"varchar", "text"},
      {"character", "text"},   {"factor", "text"},        {"category", "text"},  {"bool", "boolean"},
      {"logical", "boolean"},  {"datetime", "timestamp"}, {"time", "timestamp"}, {"object", "text"}};
  const auto other = names.find(Folded(word));
  return other == names.end() ? Suggest(word, known) : fmt::format("write type = \"{}\"", other->second);
}

std::string WithoutQuotes(const Member& bound) {
  const auto* text = std::get_if<std::string>(&bound.value.leaf);
  if (text && bound.value.kind == NodeKind::kText && ParseDate(*text))
    return fmt::format("dates are written without quotes: {} = {}", bound.key, *text);
  return "numbers are written without quotes (lower = 0), and so are dates (lower = 2024-01-31) and timestamps "
         "(lower = 2024-01-31T10:20:30); texts have values = [...] instead of bounds";
}

}  // namespace kith
