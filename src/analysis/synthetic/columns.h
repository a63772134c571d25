// The columns of a synthetic table: finitely many values each, and what a row shows of one.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "base/value.h"
#include "policy/policy.h"
#include "random/bits.h"

namespace kith::synthetic {

/// A column of the unit's table: one with declared values as they are; a number with bounds in equal parts of them.
class TableColumn {
 public:
  /// Fails: kInvalidArgument if there is no such column, or it has no finite domain.
  static Result<TableColumn> Of(const std::string& name, std::size_t parts, const Policy& policy);

  const std::string& name() const { return name_; }
  /// What is grouped by, as SQL.
  const std::string& key() const { return key_; }
  /// True for a value of the key that a plan lists, as SQL.
  std::string Is(const Value& key) const;
  /// A value as the table shows it: of a part of the bounds a number in it, each as likely.
  Value Show(const Value& key, BitSource& bits) const;

 private:
  std::string name_, key_;
  Column declared_;
  bool parted_ = false, whole_ = false;
  double low_ = 0, high_ = 0, width_ = 1;
};

}  // namespace kith::synthetic
