// Which columns a classifier learns from and how a row becomes features. Public: only from options and the policy.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analysis/learn/examples.h"
#include "base/result.h"
#include "base/value.h"
#include "policy/policy.h"
#include "query/rows.h"

namespace kith::learn {

struct DesignOptions {
  std::string label;                  // a column with declared values, or a condition such as income > 50000
  std::string positive;               // the value to distinguish from all others; may be empty if there are two
  std::vector<std::string> features;  // columns with bounds or declared values, or numbers such as "age * age"
  std::string where;                  // a condition as in SQL; may be empty

  static constexpr std::size_t kMaxFeatures = 64, kMaxWeights = 2048;
};

/// One feature as people name it.
struct Feature {
  enum class Kind { kNumber, kTwoValues, kCategories, kConstant };
  std::string name;
  Kind kind = Kind::kNumber;
  double lower = 0, upper = 0;      // of a number: they become -1 and 1
  std::vector<Value> values;        // of others; two values become -1 and 1
  bool null_is_a_category = false;  // the last one; a missing one of two values becomes 0
};

struct Design {
  std::vector<Feature> features;  // in the order of the shape's attributes
  Shape shape;
  Value positive;
  std::vector<Value> negative;
  Rows
      rows;  // v0: 1 if the row's label is the positive value, else 0; then one value for each feature but the constant

  /// A row of the statement as the values that Examples takes: a function only of this row.
  /// Requires: one number for each value of `rows`, within its bounds (ROWS-1).
  void Encode(std::span<const std::int64_t> row, std::vector<std::int16_t>& values) const;
  /// What a weight is called: the feature, and its category if it has several.
  std::pair<std::string, Value> NameOf(std::size_t weight) const;
};

/// Rows whose label is NULL, or a number among their features, are left out. A constant is added where no feature has
/// categories (whose weights can take its place).
/// Fails: kInvalidArgument (columns that are not declared, without bounds or values, twice, too many weights, a label
/// with fewer or more than two values and no positive one), as PlanRows.
Result<Design> DesignOf(const DesignOptions& options, const Policy& policy);

}  // namespace kith::learn
