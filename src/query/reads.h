// Limits on what a question reads, counted while it is bound: before anything is listed or written. Internal to query.
#pragma once
#include <optional>
#include <vector>

#include "base/result.h"
#include "sql/expr.h"

namespace kith {

/// Declared values are listed and written wherever a column is read: a long list that is read often would make a plan
/// that takes minutes, and an endless statement.
class Reads {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{4} << 20;

  explicit Reads(const Table& table);
  /// Counts what the expression reads. An error if all that was added is too much: then nothing may be made of it.
  std::optional<Error> Add(const Expr& expr);
  /// The values of a key, which are written as well.
  std::optional<Error> Add(const std::vector<Value>& values);

 private:
  std::optional<Error> Check() const;

  std::vector<std::size_t> bytes_;  // of each column's list
  std::size_t total_ = 0;
};

}  // namespace kith
