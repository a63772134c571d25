// Trino's SQL, as of version 476.
#include <fmt/format.h>

#include <algorithm>

#include "sql/dialect.h"

namespace kith::sql {
namespace {

class TrinoDialect final : public Dialect {
 public:
  std::string_view name() const override { return "trino"; }

  std::string TypeName(Stored stored) const override {
    switch (stored) {
      case Stored::kWide:
        return "DECIMAL(38,0)";
      case Stored::kReal:
        return "DOUBLE";
      case Stored::kTimestamp:
        return "TIMESTAMP(6)";
      default:
        return Dialect::TypeName(stored);
    }
  }

  // Of bigint it is a bigint, and an error beyond. 38 digits hold 10^19 rows of 64 bits.
  std::string Sum(const std::string& x, bool fits) const override {
    return fits ? fmt::format("sum({})", x) : fmt::format("sum(CAST({} AS DECIMAL(38,0)))", x);
  }
  // Quotients of decimals are rounded: this one has no remainder.
  std::string SumDivide(const std::string& sum, const std::string& count) const override {
    return fmt::format("({0} - {0} % {1}) / {1}", sum, count);
  }
  // greatest and least are NULL if one argument is.
  std::string Greatest(const Texts& args) const override { return AmongPresent("array_max", args); }
  std::string Least(const Texts& args) const override { return AmongPresent("array_min", args); }
  // IS TRUE is not known.
  std::string IsTrue(const std::string& condition) const override { return condition + " IS NOT DISTINCT FROM TRUE"; }
  std::string IsNotTrue(const std::string& condition) const override { return condition + " IS DISTINCT FROM TRUE"; }
  std::string IsFalse(const std::string& condition) const override { return condition + " IS NOT DISTINCT FROM FALSE"; }
  // No date is infinite.
  std::string IsFinite(const std::string& date) const override { return date + " IS NOT NULL"; }
  std::string DaysBetween(const std::string& later, const std::string& earlier) const override {
    return fmt::format("date_diff('day', {}, {})", earlier, later);
  }
  // A week's days are counted from Monday, 1. Dates have no hours.
  std::string PartOf(DatePart part, const std::string& date) const override {
    const std::string time = fmt::format("CAST({} AS TIMESTAMP(6))", date);
    if (part == DatePart::kDayOfWeek) return fmt::format("(extract(DAY_OF_WEEK FROM {}) % 7)", time);
    if (part == DatePart::kIsoDayOfWeek) return fmt::format("extract(DAY_OF_WEEK FROM {})", time);
    return fmt::format("extract({} FROM {})", DatePartName(part), time);
  }
  // concat_ws fails above a megabyte and takes at most 126 strings: what it joins are hashes, in parts.
  std::string RowHash(const Texts& columns) const override {
    constexpr std::size_t kTogether = 100;
    Texts parts;
    for (const std::string& column : columns)
      parts.push_back(fmt::format("coalesce(to_hex(md5(to_utf8(CAST({} AS VARCHAR)))), '~')", column));
    const auto hash = [](auto from, auto to) {
      return fmt::format("md5(to_utf8(concat_ws('|', {})))", fmt::join(Texts(from, to), ", "));
    };
    while (parts.size() > kTogether) {
      Texts fewer;
      for (std::size_t k = 0; k < parts.size(); k += kTogether) {
        const auto from = parts.begin() + static_cast<std::ptrdiff_t>(k);
        const auto to = parts.begin() + static_cast<std::ptrdiff_t>(std::min(k + kTogether, parts.size()));
        fewer.push_back(fmt::format("to_hex({})", hash(from, to)));
      }
      parts = std::move(fewer);
    }
    return hash(parts.begin(), parts.end());
  }

  // A third faster than the CASE. Both functions are NULL if x is.
  std::string Clamped(const Texts& parts, bool never_null) const override {
    const std::string cut = fmt::format("least(greatest({}, {}), {})", parts[0], parts[1], parts[2]);
    return never_null ? fmt::format("coalesce({}, {})", cut, parts[1]) : cut;
  }

  // No cast gives NULL, and a cast rounds halves away from zero: the number is clamped and rounded first, halves to
  // even as elsewhere.
  std::string Within(const std::string& steps, Int128 low, Int128 high, bool holds) const override {
    // Between 2^52 and 2^53 doubles are the whole numbers: a sum with the middle of them is rounded, halves to even,
    // and taking it off again is exact.
    constexpr Int128 kFarthest = Int128{1} << 51;
    const bool near = low >= -kFarthest && high <= kFarthest;
    const std::string whole =
        near ? fmt::format("({} + 6755399441055744e0) - 6755399441055744e0", steps)
             // A double less its floor is exact.
             : fmt::format(
                   "CASE WHEN {0} - floor({0}) < 0.5e0 OR ({0} - floor({0}) = 0.5e0 AND floor({0}) % 2e0 = 0e0) "
                   "THEN floor({0}) ELSE floor({0}) + 1e0 END",
                   steps);
    if (near && holds) return fmt::format("CAST({} AS BIGINT)", whole);
    return fmt::format(
        "CAST(CASE WHEN {0} BETWEEN {1} AND {2} THEN {3} WHEN {0} < {1} THEN {1} WHEN {0} > {2} THEN {2} END AS "
        "BIGINT)",
        steps, Real(static_cast<double>(low)), Real(static_cast<double>(high)), whole);
  }

  std::string Series(std::int64_t last) const override {
    return fmt::format("TABLE(sequence(start => 1, stop => {}))", last);
  }
  std::string Once() const override { return ""; }

 private:
  std::string_view SpellingIn(const EngineSpelling& spelling) const override { return spelling.trino; }
  static std::string AmongPresent(const char* function, const Texts& args) {
    return fmt::format("{}(filter(ARRAY[{}], v -> v IS NOT NULL))", function, fmt::join(args, ", "));
  }
};

}  // namespace

const Dialect& Trino() {
  static const TrinoDialect dialect;
  return dialect;
}

}  // namespace kith::sql
