// DuckDB's SQL.
#include <fmt/format.h>

#include "sql/dialect.h"

namespace kith::sql {
namespace {

class DuckDbDialect final : public Dialect {
 public:
  std::string_view name() const override { return "duckdb"; }
  bool Has(Feature) const override { return true; }

  // A sum has 128 bits: more than 2^63 rows of 64 bits.
  std::string TypeName(Stored stored) const override {
    return stored == Stored::kWide ? "HUGEINT" : Dialect::TypeName(stored);
  }
  std::string IntegerDivide(const std::string& a, const std::string& b) const override {
    return fmt::format("{} // {}", a, b);
  }
  std::string SumDivide(const std::string& sum, const std::string& count) const override {
    return IntegerDivide(sum, count);
  }
  std::string RowHash(const Texts& columns) const override { return fmt::format("hash({})", fmt::join(columns, ", ")); }
  // Halves to even. The bounds already hold, but a cast must be total on its own.
  std::string Steps(const std::string& real, bool narrow) const override {
    return fmt::format("TRY_CAST({} AS {})", real, TypeName(narrow ? Stored::kNarrow : Stored::kWhole));
  }
  std::string Within(const std::string& steps, Int128 low, Int128 high, bool holds) const override {
    if (holds) return steps;
    return fmt::format("CASE WHEN {0} BETWEEN {1} AND {2} THEN {0} WHEN {0} < {1} THEN {1} WHEN {0} > {2} THEN {2} END",
                       steps, ToText(low), ToText(high));
  }

 private:
  std::string_view SpellingIn(const EngineSpelling& spelling) const override { return spelling.duckdb; }
};

}  // namespace

const Dialect& DuckDb() {
  static const DuckDbDialect dialect;
  return dialect;
}

}  // namespace kith::sql
