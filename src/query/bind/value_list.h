// Lists of what a function makes of each of few values. Internal to value_functions.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "sql/expr.h"

namespace kith {

/// Engines try a list from its beginning for every row.
inline constexpr std::size_t kMostListed = 1000;

/// All values that the expression can have (PLAN-3). Fails: kUnsupportedQuery, naming `what` needs them.
Result<std::vector<Value>> FewValues(const ExprPtr& of, const std::string& what, const Table& table,
                                     const std::string& where);
/// function(of), NULL for NULL. `label`: as in Expr.
Result<ExprPtr> MakeList(const ExprPtr& of, Type type, const std::function<Value(const Value&)>& function,
                         std::string label, const Table& table, const std::string& where);
/// The same under another name.
ExprPtr Labelled(const ExprPtr& expr, std::string label);
Error TooLongAList(const std::string& where);

}  // namespace kith
