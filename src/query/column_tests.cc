#include "query/column_tests.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string_view>

#include "base/check.h"
#include "base/spelling.h"
#include "policy/sections/section.h"
#include "query/range/range.h"

namespace kith {
namespace {

sql::Term Compared(const sql::Term& x, const char* sign, const sql::Term& y) { return sql::Infix(sign, {x, y}); }

void TestReal(const Column& column, const sql::Term& stored, ColumnTests* tests) {
  constexpr double kMax = std::numeric_limits<double>::max();
  const auto real = [](double x) { return sql::Literal(x, Type::kReal); };
  const sql::Term finite = sql::Between(stored, real(-kMax), real(kMax));
  // Engines order NaN above infinity, or compare it to nothing: both are asked for by what they are not.
  tests->unusable = sql::All({sql::IsNotNull(stored), sql::Prefix("NOT ", sql::Paren(finite))});
  const auto [low, high] = RealBoundsOf(column);
  if (column.lower) tests->below = sql::All({finite, Compared(stored, " < ", real(low))});
  if (column.upper) tests->above = sql::All({finite, Compared(stored, " > ", real(high))});
}

std::string Folded(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return FoldName(text);
}

/// True and false in the words that files use for them.
std::optional<bool> Truth(const std::string& folded) {
  constexpr std::array<std::string_view, 5> kTrue = {"true", "t", "yes", "y", "1"};
  constexpr std::array<std::string_view, 5> kFalse = {"false", "f", "no", "n", "0"};
  if (std::find(kTrue.begin(), kTrue.end(), folded) != kTrue.end()) return true;
  if (std::find(kFalse.begin(), kFalse.end(), folded) != kFalse.end()) return false;
  return std::nullopt;
}

/// The only candidate that passes; empty if there is none, or several.
template <class Test>
std::string Only(const std::vector<std::string>& candidates, const Test& test) {
  std::string found;
  for (const std::string& candidate : candidates) {
    if (!test(Folded(candidate))) continue;
    if (!found.empty()) return {};
    found = candidate;
  }
  return found;
}

}  // namespace

ColumnTests TestsOf(const Column& column, const sql::Term& stored) {
  ColumnTests tests;
  const Type type = TypeOf(column.type);
  if (!column.values.empty()) {
    std::vector<Value> values;
    for (const Value& value : column.values) values.push_back(TypedValue(column, value));
    const sql::Term text = column.type == ColumnType::kText ? sql::Collated(stored) : stored;
    tests.undeclared = sql::Prefix("NOT ", sql::Paren(sql::In(text, std::move(values), type)));
    return tests;
  }
  if (column.type == ColumnType::kReal) {
    TestReal(column, stored, &tests);
  } else if (column.type != ColumnType::kText && column.type != ColumnType::kBoolean) {
    const IntegerBounds bounds = BoundsOf(column);
    if (column.lower) tests.below = Compared(stored, " < ", sql::Literal(bounds.low, type));
    if (column.upper) tests.above = Compared(stored, " > ", sql::Literal(bounds.high, type));
  }
  return tests;
}

std::string NearestSpelling(const std::string& text, const Column& column) {
  std::vector<std::string> candidates;
  for (const Value& value : column.values) {
    if (const auto* declared = std::get_if<std::string>(&value)) candidates.push_back(*declared);
  }
  const std::string word = Folded(text);
  if (word.empty()) return {};
  if (auto same = Only(candidates, [&](const std::string& other) { return other == word; }); !same.empty()) return same;
  const auto begins = [&](const std::string& other) {
    return !other.empty() && (other.starts_with(word) || word.starts_with(other));
  };
  if (auto begun = Only(candidates, begins); !begun.empty()) return begun;
  if (const auto truth = Truth(word)) {
    return Only(candidates, [&](const std::string& other) { return Truth(other) == truth; });
  }
  constexpr std::size_t kShortest = 3;  // of two letters one is half of the word: anything would be similar
  return word.size() < kShortest ? std::string() : NearestWord(word, candidates);
}

}  // namespace kith
