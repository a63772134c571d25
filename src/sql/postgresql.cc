// PostgreSQL's SQL, from version 15 on.
#include <fmt/format.h>

#include "sql/dialect.h"
#include "sql/quote.h"

namespace kith::sql {
namespace {

class PostgreSqlDialect final : public Dialect {
 public:
  std::string_view name() const override { return "postgresql"; }

  // Backslashes in '...' are read as the server's settings say; in E'...' they always must be doubled.
  std::string Text(const std::string& text) const override {
    if (text.find('\\') == std::string::npos) return QuotedText(text);
    std::string doubled;
    for (const char c : text) doubled.append(c == '\\' ? 2 : 1, c);
    return "E" + QuotedText(doubled);
  }
  std::string Collated(const std::string& text) const override { return text + " COLLATE \"C\""; }
  // Sums of bigint are numeric: exact, but / has a fraction.
  std::string SumDivide(const std::string& sum, const std::string& count) const override {
    return fmt::format("div({}, {})", sum, count);
  }
  // A signed number of 64 bits. What is equal has one hash; strings are hashed by their bytes.
  std::string RowHash(const Texts& columns) const override {
    return fmt::format("hash_record_extended(ROW({}), 0)", fmt::join(columns, ", "));
  }
  // No cast gives NULL: the number is clamped first, where it has a name, and then rounded, halves to even.
  std::string Within(const std::string& steps, Int128 low, Int128 high, bool) const override {
    return fmt::format(
        "CAST(CASE WHEN {0} BETWEEN {1} AND {2} THEN {0} WHEN {0} < {1} THEN {1} WHEN {0} > {2} THEN {2} END AS "
        "BIGINT)",
        steps, Real(static_cast<double>(low)), Real(static_cast<double>(high)));
  }

 private:
  std::string_view SpellingIn(const EngineSpelling& spelling) const override { return spelling.postgresql; }
};

}  // namespace

const Dialect& PostgreSql() {
  static const PostgreSqlDialect dialect;
  return dialect;
}

}  // namespace kith::sql
