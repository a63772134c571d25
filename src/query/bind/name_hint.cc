#include "query/bind/name_hint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <string_view>

#include "query/bind/typing.h"
#include "sql/like.h"
#include "sql/quote.h"

namespace kith {
namespace {

bool IsWordChar(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// In lower case, with blanks in place of everything that is quoted.
std::string Bare(const std::string& sql) {
  std::string bare = FoldCase(sql);
  char quote = 0;
  for (char& c : bare) {
    const bool ends = quote != 0 && c == quote;
    const bool begins = quote == 0 && (c == '"' || c == '\'');
    if (begins) quote = c;
    if (quote != 0) c = ' ';
    if (ends) quote = 0;
  }
  return bare;
}

// "character 12: ..." of a syntax error.
std::optional<std::size_t> PositionIn(std::string_view where) {
  constexpr std::string_view kBefore = "character ";
  if (!where.starts_with(kBefore)) return std::nullopt;
  where.remove_prefix(kBefore.size());
  std::size_t position = 0;
  const auto read = std::from_chars(where.data(), where.data() + where.size(), position);
  if (read.ec != std::errc() || position == 0) return std::nullopt;
  return position - 1;
}

// A word of SQL is a name only where the complaint is about it or what follows it.
bool IsMeant(const std::string& bare, const std::string& name, bool word, const Error& error) {
  const auto complaint = PositionIn(error.where);
  for (std::size_t at = bare.find(name); at != std::string::npos; at = bare.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool alone = (at == 0 || !IsWordChar(bare[at - 1])) && (end == bare.size() || !IsWordChar(bare[end]));
    if (!alone) continue;
    if (!word) return true;
    if (!complaint) continue;
    const std::string_view between(bare.data() + end, *complaint > end ? std::min(*complaint, bare.size()) - end : 0);
    const bool follows = *complaint >= end && between.find_first_not_of(' ') == std::string_view::npos;
    if (*complaint == at || follows) return true;
  }
  return false;
}

}  // namespace

Error WithNameHint(Error error, const std::string& sql, const Policy& policy) {
  if (error.code != Code::kInvalidArgument && error.code != Code::kUnsupportedQuery) return error;
  const std::string bare = Bare(sql);
  for (const Table& table : policy.tables) {
    for (const Column& column : table.columns) {
      const std::string name = FoldCase(column.name);
      if (name.empty() || IdentifierText(name) == name) continue;
      const bool word = std::all_of(name.begin(), name.end(), IsWordChar) && std::isdigit(name[0]) == 0;
      if (!IsMeant(bare, name, word, error)) continue;
      error.next = fmt::format("write {} in double quotes: without them SQL reads it as something else",
                               Shortened(QuotedName(column.name)));
      error.parameter.clear();
      return error;
    }
  }
  return error;
}

}  // namespace kith
