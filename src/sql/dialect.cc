#include "sql/dialect.h"

#include <fmt/args.h>
#include <fmt/format.h>

#include "base/check.h"
#include "sql/double_text.h"
#include "sql/quote.h"

namespace kith::sql {

std::string Dialect::Call(const SqlFunction& function, const Texts& args) const {
  const std::string_view spelling = SpellingIn(function.spelling);
  if (spelling.empty()) return fmt::format("{}({})", function.name(), fmt::join(args, ", "));
  fmt::dynamic_format_arg_store<fmt::format_context> store;
  for (const std::string& arg : args) store.push_back(arg);
  return fmt::vformat(spelling, store);
}

std::string Dialect::Name(const std::string& name) const { return QuotedName(name); }
std::string Dialect::Text(const std::string& text) const { return QuotedText(text); }
// With an exponent it is a double, not a decimal; in PostgreSQL a numeric by itself, and a double next to one.
std::string Dialect::Real(double value) const { return DoubleText(value); }

std::string Dialect::TypeName(Stored stored) const {
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

std::string Dialect::Sum(const std::string& x, bool) const { return fmt::format("sum({})", x); }
std::string Dialect::Greatest(const Texts& args) const { return fmt::format("greatest({})", fmt::join(args, ", ")); }
std::string Dialect::Least(const Texts& args) const { return fmt::format("least({})", fmt::join(args, ", ")); }

// A difference of dates may have 32 bits.
std::string Dialect::DaysBetween(const std::string& later, const std::string& earlier) const {
  return fmt::format("CAST({} - {} AS {})", later, earlier, TypeName(Stored::kWhole));
}
// Seconds may have a fraction.
std::string Dialect::PartOf(DatePart part, const std::string& date) const {
  return fmt::format("CAST(floor(extract({} FROM {})) AS {})", DatePartName(part), date, TypeName(Stored::kWhole));
}
std::string Dialect::TruncatedTo(DatePart part, const std::string& date, Stored stored) const {
  return fmt::format("CAST(date_trunc('{}', CAST({} AS {})) AS {})", DatePartName(part), date,
                     TypeName(Stored::kTimestamp), TypeName(stored));
}
std::string Dialect::Series(std::int64_t last) const { return fmt::format("generate_series(1, {})", last); }

}  // namespace kith::sql
