// Functions of strings and dates whose arguments have few values: the list of what they make of each is written out, so
// that every engine computes the same. And functions that are made of others.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "sql/functions.h"

namespace kith {

/// One of kind kText. Letters are those of ASCII. Fails: kUnsupportedQuery if the first argument is not a string with a
/// finite list of values (PLAN-3), or the list of results is too long.
Result<ExprPtr> MakeTextFunction(const SqlFunction& function, const std::vector<ExprPtr>& args, const Table& table,
                                 const std::string& where);
/// NULLs are left out, as if they were empty strings. Fails: as MakeTextFunction.
Result<ExprPtr> MakeConcat(const std::vector<ExprPtr>& args, const Table& table, const std::string& where);
/// a || b: NULL if one is.
Result<ExprPtr> MakeConcatenation(const ExprPtr& a, const ExprPtr& b, const Table& table, const std::string& where);
/// to_char(date, 'YYYY-MM') and strftime(date, '%Y-%m'), both with the format last. Fails: as MakeTextFunction.
Result<ExprPtr> MakeDateText(const std::string& name, const ExprPtr& date, const std::string& format,
                             const Table& table, const std::string& where);

/// date_diff('month', a, b): how many months begin after a and not after b, and the same for years, quarters, weeks and
/// days.
Result<ExprPtr> MakeDateDifference(const std::string& part, const ExprPtr& from, const ExprPtr& to, const Table& table,
                                   const std::string& where);
/// Whole years from one day to another, like a person's age; negative if the second comes first.
Result<ExprPtr> MakeAge(const ExprPtr& from, const ExprPtr& to, const Table& table, const std::string& where);

/// -1, 0 or 1.
Result<ExprPtr> MakeSign(const ExprPtr& x, const Table& table, const std::string& where);
/// One of kind kCurve.
Result<ExprPtr> MakeOnCurve(const SqlFunction& function, const ExprPtr& x, const std::string& where);
/// Small whole exponents are products, which all engines compute alike. Fails: kUnsupportedQuery if neither is a
/// constant.
Result<ExprPtr> MakePower(const ExprPtr& base, const ExprPtr& exponent, const Table& table, const std::string& where);

}  // namespace kith
