// Columns of numbers for analyses: their declared range, and its middle as a constant of SQL; declared values in SQL.
#pragma once
#include <string>

#include "base/result.h"
#include "policy/policy.h"

namespace kith {

struct NumberColumn {
  std::string name;
  double low = 0, high = 0;
  double middle = 0;  // whole for whole numbers, so that differences from it are whole
  std::string value;  // "x" - 60: the difference, as SQL
};

/// Fails: kInvalidArgument if the column is not declared, is not a number, has no bounds (or declared numbers), or can
/// take only one value.
Result<NumberColumn> NumberColumnOf(const std::string& name, const Policy& policy);

/// A declared value of a column as SQL writes it.
std::string DeclaredValue(const Column& column, const Value& value);

}  // namespace kith
