// PostgreSQL's SQL, from version 15 on.
#include <fmt/format.h>

#include "base/check.h"
#include "sql/dialect.h"
#include "sql/double_text.h"
#include "sql/quote.h"

namespace kith::sql {
namespace {

class PostgreSqlDialect final : public Dialect {
 public:
  std::string_view name() const override { return "postgresql"; }
  bool Has(Feature) const override { return false; }

  std::string Name(const std::string& name) const override { return QuotedName(name); }

  // Backslashes in '...' are read as the server's settings say; in E'...' they always must be doubled.
  std::string Text(const std::string& text) const override {
    if (text.find('\\') == std::string::npos) return QuotedText(text);
    std::string doubled;
    for (const char c : text) doubled.append(c == '\\' ? 2 : 1, c);
    return "E" + QuotedText(doubled);
  }

  // A numeric by itself, and a double next to one.
  std::string Real(double value) const override { return DoubleText(value); }

  std::string TypeName(Stored stored) const override {
    switch (stored) {
      case Stored::kBoolean:
        return "BOOLEAN";
      case Stored::kNarrow:
        return "INTEGER";
      case Stored::kWhole:
        return "BIGINT";
      case Stored::kWide:
        return "NUMERIC";
      case Stored::kReal:
        return "DOUBLE PRECISION";
      case Stored::kText:
        return "VARCHAR";
      case Stored::kDate:
        return "DATE";
      case Stored::kTimestamp:
        return "TIMESTAMP";
    }
    KITH_CHECK(false);
  }

  std::string Collated(const std::string& text) const override { return text + " COLLATE \"C\""; }
  // Of bigint: a numeric, exact.
  std::string Sum(const std::string& x, bool) const override { return fmt::format("sum({})", x); }
  std::string IntegerDivide(const std::string& a, const std::string& b) const override {
    return fmt::format("{} / {}", a, b);
  }
  // Sums are numeric, for which / has a fraction.
  std::string SumDivide(const std::string& sum, const std::string& count) const override {
    return fmt::format("div({}, {})", sum, count);
  }
  std::string Greatest(const Texts& args) const override { return fmt::format("greatest({})", fmt::join(args, ", ")); }
  std::string Least(const Texts& args) const override { return fmt::format("least({})", fmt::join(args, ", ")); }
  std::string IsTrue(const std::string& condition) const override { return condition + " IS TRUE"; }
  std::string IsNotTrue(const std::string& condition) const override { return condition + " IS NOT TRUE"; }
  std::string IsFalse(const std::string& condition) const override { return condition + " IS FALSE"; }
  std::string IsFinite(const std::string& date) const override { return fmt::format("isfinite({})", date); }
  // A difference of dates has 32 bits.
  std::string DaysBetween(const std::string& later, const std::string& earlier) const override {
    return fmt::format("CAST({} - {} AS BIGINT)", later, earlier);
  }
  // Seconds have a fraction.
  std::string PartOf(DatePart part, const std::string& date) const override {
    return fmt::format("CAST(floor(extract({} FROM {})) AS BIGINT)", DatePartName(part), date);
  }
  std::string TruncatedTo(DatePart part, const std::string& date, Stored stored) const override {
    return fmt::format("CAST(date_trunc('{}', CAST({} AS TIMESTAMP)) AS {})", DatePartName(part), date,
                       TypeName(stored));
  }
  // A signed number of 64 bits. What is equal has one hash; strings are hashed by their bytes.
  std::string RowHash(const Texts& columns) const override {
    return fmt::format("hash_record_extended(ROW({}), 0)", fmt::join(columns, ", "));
  }

  std::string Clamped(const Texts& parts, bool) const override { return parts[3]; }
  // No cast gives NULL: the number is clamped first, where it has a name, and then rounded, halves to even.
  std::string Steps(const std::string& real, bool) const override { return real; }
  std::string Within(const std::string& steps, Int128 low, Int128 high, bool) const override {
    return fmt::format(
        "CAST(CASE WHEN {0} BETWEEN {1} AND {2} THEN {0} WHEN {0} < {1} THEN {1} WHEN {0} > {2} THEN {2} END AS "
        "BIGINT)",
        steps, Real(static_cast<double>(low)), Real(static_cast<double>(high)));
  }

  std::string Series(std::int64_t last) const override { return fmt::format("generate_series(1, {})", last); }
  std::string Once() const override { return "MATERIALIZED "; }
};

}  // namespace

const Dialect& PostgreSql() {
  static const PostgreSqlDialect dialect;
  return dialect;
}

}  // namespace kith::sql
