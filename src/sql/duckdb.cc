// DuckDB's SQL.
#include <fmt/format.h>

#include "base/check.h"
#include "sql/dialect.h"
#include "sql/double_text.h"
#include "sql/quote.h"

namespace kith::sql {
namespace {

class DuckDbDialect final : public Dialect {
 public:
  std::string_view name() const override { return "duckdb"; }
  bool Has(Feature) const override { return true; }

  std::string Name(const std::string& name) const override { return QuotedName(name); }
  std::string Text(const std::string& text) const override { return QuotedText(text); }

  // With an exponent it is a double, not a decimal.
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
        return "HUGEINT";
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

  std::string Collated(const std::string& text) const override { return text; }
  // 128 bits: more than 2^63 rows of 64 bits.
  std::string Sum(const std::string& x, bool) const override { return fmt::format("sum({})", x); }
  std::string IntegerDivide(const std::string& a, const std::string& b) const override {
    return fmt::format("{} // {}", a, b);
  }
  std::string SumDivide(const std::string& sum, const std::string& count) const override {
    return IntegerDivide(sum, count);
  }
  std::string Greatest(const Texts& args) const override { return fmt::format("greatest({})", fmt::join(args, ", ")); }
  std::string Least(const Texts& args) const override { return fmt::format("least({})", fmt::join(args, ", ")); }
  std::string IsTrue(const std::string& condition) const override { return condition + " IS TRUE"; }
  std::string IsNotTrue(const std::string& condition) const override { return condition + " IS NOT TRUE"; }
  std::string IsFalse(const std::string& condition) const override { return condition + " IS FALSE"; }
  std::string IsFinite(const std::string& date) const override { return fmt::format("isfinite({})", date); }
  std::string DaysBetween(const std::string& later, const std::string& earlier) const override {
    return fmt::format("CAST({} - {} AS BIGINT)", later, earlier);
  }
  std::string PartOf(DatePart part, const std::string& date) const override {
    return fmt::format("CAST(floor(extract({} FROM {})) AS BIGINT)", DatePartName(part), date);
  }
  std::string TruncatedTo(DatePart part, const std::string& date, Stored stored) const override {
    return fmt::format("CAST(date_trunc('{}', CAST({} AS TIMESTAMP)) AS {})", DatePartName(part), date,
                       TypeName(stored));
  }
  std::string RowHash(const Texts& columns) const override { return fmt::format("hash({})", fmt::join(columns, ", ")); }

  std::string Clamped(const Texts& parts, bool) const override { return parts[3]; }
  // Halves to even. The bounds already hold, but a cast must be total on its own.
  std::string Steps(const std::string& real, bool narrow) const override {
    return fmt::format("TRY_CAST({} AS {})", real, TypeName(narrow ? Stored::kNarrow : Stored::kWhole));
  }
  std::string Within(const std::string& steps, Int128 low, Int128 high, bool holds) const override {
    if (holds) return steps;
    return fmt::format("CASE WHEN {0} BETWEEN {1} AND {2} THEN {0} WHEN {0} < {1} THEN {1} WHEN {0} > {2} THEN {2} END",
                       steps, ToText(low), ToText(high));
  }

  std::string Series(std::int64_t last) const override { return fmt::format("generate_series(1, {})", last); }
  std::string Once() const override { return "MATERIALIZED "; }
};

}  // namespace

const Dialect& DuckDb() {
  static const DuckDbDialect dialect;
  return dialect;
}

}  // namespace kith::sql
