// Types of the row-level language: which operations exist for which types, and the conversions between them. Only total
// conversions exist: nothing here can fail for a value that data may hold.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "sql/expr.h"

namespace kith {

/// At most 60 bytes of text, for messages.
std::string Shortened(const std::string& text);

/// A constant from the text of a question. Fails: kInvalidArgument if it is not a date, or not finite.
Result<ExprPtr> DateConstant(const std::string& text);
Result<ExprPtr> TimestampConstant(const std::string& text);
/// Digits of any length: an integer if it fits 64 bits, otherwise real.
Result<ExprPtr> NumberConstant(const std::string& digits);

/// To `type` by a conversion that SQL does by itself (integer to real, date to timestamp, text constants to dates, NULL
/// to anything). Fails: kUnsupportedQuery.
Result<ExprPtr> Convert(const ExprPtr& expr, Type type, const std::string& where);
/// All arguments converted to their common type.
Result<std::vector<ExprPtr>> Unify(std::vector<ExprPtr> args, const std::string& where);
/// CAST(expr AS type_name), where it is total.
Result<ExprPtr> Cast(const ExprPtr& expr, const std::string& type_name, const std::string& where);

/// Checked constructors.
Result<ExprPtr> MakeNumber(const ExprPtr& arg, const std::string& where);  // the argument itself, if it is a number
Result<ExprPtr> MakeArithmetic(Op op, const ExprPtr& left, const ExprPtr& right, const std::string& where);
Result<ExprPtr> MakeNegation(const ExprPtr& arg, const std::string& where);
Result<ExprPtr> MakeComparison(const std::string& sign, const ExprPtr& left, const ExprPtr& right,
                               const std::string& where);
Result<ExprPtr> MakeTruth(const ExprPtr& arg, const std::string& where);  // the argument itself, if it is a truth value
Result<ExprPtr> MakeNot(const ExprPtr& arg, const std::string& where);
Result<ExprPtr> MakeJunction(Op op, std::vector<ExprPtr> args, const std::string& where);
/// a AND b; either may be nullptr. Requires: both are truth values.
ExprPtr BothConditions(const ExprPtr& a, const ExprPtr& b);
Result<ExprPtr> MakeNumberFunction(Op op, const ExprPtr& arg, int digits, const std::string& where);
Result<ExprPtr> MakeExtreme(Op op, std::vector<ExprPtr> args, const std::string& where);
Result<ExprPtr> MakeDatePart(const std::string& part, const ExprPtr& arg, const std::string& where);
Result<ExprPtr> MakeDateTrunc(const std::string& part, const ExprPtr& arg, const std::string& where);
/// width_bucket(x, low, high, n): the last three are constants, and low is below high.
Result<ExprPtr> MakeBucket(const std::vector<ExprPtr>& args, const std::string& where);

}  // namespace kith
