// Every function of SQL that kith knows, one row each: its names, how it is called, what it is in the row-level
// language, how engines spell it, which values it can take, and what it does to a margin of error after the noise.
// Binder, range analysis, dialects, SQL over noisy answers and the reference (docs/guide/sql.md) read it here and
// nowhere else. How to add one: docs/howto/add_a_function.md
#pragma once
#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sql/expr.h"

namespace kith {

/// How a call is read: the types of its arguments and of its result.
enum class FunctionKind {
  // Of one row.
  kCurve,           // a real number for a real number: its RealCurve says all else
  kNumber,          // a number for a number, of the same type; whole numbers stay as they are when rounded
  kWhole,           // a whole number for two whole numbers
  kSign,            // -1, 0 or 1
  kPower,           // a real number for two real numbers
  kBucket,          // the number of a part of equal width
  kHistogram,       // the same by the ends of the part, only in GROUP BY
  kDatePart,        // a whole number for a date
  kDateTrunc,       // a date for a date
  kDateDifference,  // a whole number for two dates
  kDateText,        // text for a date with bounds
  kText,            // text for each of the declared values of a text, and constants
  kTextLength,      // a whole number for each of them
  kConcat,          // text for any number of texts
  kSyntax,          // has a syntax of its own: the parser never gives it as a call
  // Of many rows.
  kSum,
  kSpread,
  kQuantile,
  // Only of noisy answers.
  kAfter,
  kAfterAggregate,
  kWindow,
};

/// What becomes of margins of error where the function is computed on noisy answers.
enum class Margin {
  kRefused,    // the function is not computed there
  kLinear,     // that of the sum of the noises
  kInterval,   // the largest distance that the margins of the arguments allow
  kSimulated,  // simulated
  kNone,       // there is none
};

/// A function of one real number that nowhere falls, by what range analysis, SQL and margins need to know of it.
struct RealCurve {
  double (*of)(double) = nullptr;
  /// Where it begins, with this number itself or, only if it is 0, without; everywhere, if it is not finite.
  double from = -std::numeric_limits<double>::infinity();
  bool closed = true;
  /// What it is read as before that; NULL if not said.
  std::optional<double> before = std::nullopt;
  /// All engines agree to the last bit, as on what IEEE 754 defines.
  bool exact = false;
  /// Of multiples of 2^grain it makes 0, or something not nearer to 0 than 2 to the power of this.
  int (*nearest)(int grain) = nullptr;
};

/// {0}, {1}: the arguments, each of them once, or what is nested would grow. Empty: the function's name and its
/// arguments in parentheses.
struct EngineSpelling {
  std::string_view duckdb = {}, postgresql = {}, trino = {};
  /// On noisy answers, in DuckDB: instead of an error the result is infinite or no number.
  std::string_view after = {};
};

struct SqlFunction {
  std::array<std::string_view, 3> names = {};
  FunctionKind kind = FunctionKind::kAfter;
  struct {
    std::size_t least = 1, most = 1;
  } arguments = {};
  Margin margin = Margin::kRefused;
  std::string_view usage = {};          // how a call is written
  std::string_view about = {};          // what it gives, and what where it has no value: for the reference
  std::optional<Op> op = std::nullopt;  // nothing: it is made of other operations
  RealCurve curve = {};                 // of kCurve
  EngineSpelling spelling = {};

  std::string_view name() const { return names[0]; }
  bool Takes(std::size_t count) const { return count >= arguments.least && count <= arguments.most; }
  bool OfOneRow() const { return kind <= FunctionKind::kSyntax; }
  bool OfManyRows() const { return kind >= FunctionKind::kSum && kind <= FunctionKind::kQuantile; }
  /// A private question may call it.
  bool InQuestions() const { return kind <= FunctionKind::kQuantile; }
};

std::span<const SqlFunction> SqlFunctions();
/// By its name or an alias, in lower case; null if there is none.
const SqlFunction* FindFunction(std::string_view name);
/// The one that the node calls; null if it is written in another way.
const SqlFunction* FunctionFor(const Expr& expr);

/// The table of functions in docs/guide/sql.md.
std::string FunctionReference();

}  // namespace kith
