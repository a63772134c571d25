#include "engine/duckdb/spellings.h"

#include <fmt/format.h>

#include <charconv>

namespace kith {

namespace {

constexpr int kLongest = 60;  // characters of a string

std::int64_t NumberOf(const std::string& digits) {
  std::int64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

}  // namespace

Result<void> Spell(const DuckDbConnection& connection, const std::string& from,
                   const std::vector<SpelledColumn>& columns, const CancelFlag& cancel) {
  if (columns.empty()) return {};
  // Rows without a finding leave early; in the others each column gives text or NULL.
  std::string numbers, texts, any;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const char* comma = k == 0 ? "" : ", ";
    numbers += fmt::format("{}{}", comma, k);
    texts += fmt::format("{}CASE WHEN {} THEN left({}, {}) END", comma, columns[k].test, columns[k].text, kLongest);
    any += fmt::format("{}({})", k == 0 ? "" : " OR ", columns[k].test);
  }
  const std::string sql = fmt::format(
      "SELECT CAST(k AS VARCHAR), t, CAST(n AS VARCHAR), CAST(d AS VARCHAR) FROM (SELECT k, t, n, "
      "count(*) OVER (PARTITION BY k) AS d, row_number() OVER (PARTITION BY k ORDER BY n DESC, t) AS r FROM "
      "(SELECT k, t, count(*) AS n FROM (SELECT unnest([{}]) AS k, unnest([{}]) AS t FROM {} WHERE {}) "
      "WHERE t IS NOT NULL GROUP BY k, t)) WHERE r <= {} ORDER BY k, r",
      numbers, texts, from, any, Spellings::kShown);
  const auto rows = connection.CuratorTexts(sql, cancel);
  if (!rows) return rows.error();
  for (const std::vector<std::string>& row : *rows) {
    Spellings& into = *columns.at(static_cast<std::size_t>(NumberOf(row[0]))).into;
    into.shown.push_back({row[1], NumberOf(row[2])});
    into.distinct = NumberOf(row[3]);
  }
  return {};
}

}  // namespace kith
