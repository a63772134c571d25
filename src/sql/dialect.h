// How one engine spells a statement (sql/statement.h): one hook for each point where engines differ, in spelling or in
// meaning. What most engines write is the default; a class for each engine holds what is different there, and
// dialect_test.cc every hook of each. Hooks get the text of their arguments and give text that can be used inside an
// expression as an argument or between AND, WHEN, THEN.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "sql/functions.h"
#include "sql/statement.h"

namespace kith::sql {

class Dialect {
 public:
  using Texts = std::vector<std::string>;

  virtual ~Dialect() = default;
  virtual std::string_view name() const = 0;
  virtual bool Has(Feature) const { return false; }

  /// The whole statement. Nothing for an empty one. Without `known` it is correct for all data.
  std::string Write(const Statement& statement, const UnitRows& known = {}) const;
  std::string Write(const Term& term) const;
  std::string Call(const SqlFunction& function, const Texts& args) const;

  // Names and constants.
  std::string Name(const std::string& name) const;  // of a table or column, whatever it holds
  virtual std::string Text(const std::string& text) const;
  std::string Real(double value) const;  // finite; a double, or what becomes one next to a double
  virtual std::string TypeName(Stored stored) const;

  /// A text column: compared and ordered by its bytes.
  virtual std::string Collated(const std::string& text) const { return text; }
  /// The exact sum of whole numbers of up to 64 bits, however many there are; NULL for none. `fits`: the sum of any of
  /// them is known to fit into 64 bits as well.
  virtual std::string Sum(const std::string& x, bool fits = false) const;
  /// Of numbers of 64 bits, towards zero.
  virtual std::string IntegerDivide(const std::string& a, const std::string& b) const { return a + " / " + b; }
  /// Of an exact sum by a count, both of at least 0, towards zero.
  virtual std::string SumDivide(const std::string& sum, const std::string& count) const = 0;
  /// Both leave NULLs out, and are NULL if there is nothing else.
  virtual std::string Greatest(const Texts& args) const;
  virtual std::string Least(const Texts& args) const;
  /// Never NULL. The condition comes in parentheses if it needs them.
  virtual std::string IsTrue(const std::string& condition) const { return condition + " IS TRUE"; }
  virtual std::string IsNotTrue(const std::string& condition) const { return condition + " IS NOT TRUE"; }
  virtual std::string IsFalse(const std::string& condition) const { return condition + " IS FALSE"; }
  /// Of a date or timestamp; not true for NULL.
  virtual std::string IsFinite(const std::string& date) const { return "isfinite(" + date + ")"; }
  /// A number of 64 bits.
  virtual std::string DaysBetween(const std::string& later, const std::string& earlier) const;
  /// A number of 64 bits without fraction; weeks as in ISO 8601, Sunday is 0 (isodow: 7).
  virtual std::string PartOf(DatePart part, const std::string& date) const;
  /// The start of the year, quarter, month, week (Monday), day or hour.
  std::string TruncatedTo(DatePart part, const std::string& date, Stored stored) const;
  /// Depends only on the columns' values.
  virtual std::string RowHash(const Texts& columns) const = 0;
  /// Of an integer, date or timestamp, its ends and a CASE that cuts it to them: the CASE, or what does the same.
  virtual std::string Clamped(const Texts& x_low_high_case, bool) const { return x_low_high_case[3]; }
  /// A double, rounded to the nearest whole number, NULL where it does not fit; or still a double, where Within rounds.
  virtual std::string Steps(const std::string& real, bool) const { return real; }
  /// What Steps gave, whole and cut to the ends; NULL stays NULL. `holds`: it is already between them, if it is whole.
  virtual std::string Within(const std::string& steps, Int128 low, Int128 high, bool holds) const = 0;
  /// A source of rows: the whole numbers from 1 to `last`.
  virtual std::string Series(std::int64_t last) const;
  /// What comes between AS and a part of WITH that is to be computed once.
  virtual std::string Once() const { return "MATERIALIZED "; }

 protected:
  /// Empty: the function has its own name there.
  virtual std::string_view SpellingIn(const EngineSpelling& spelling) const = 0;
};

const Dialect& DuckDb();
const Dialect& PostgreSql();
const Dialect& Trino();

}  // namespace kith::sql
