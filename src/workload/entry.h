// The text of a workload: questions with hints in comments.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace kith::workload {

/// One SELECT of a workload, and what is wanted of it.
struct Entry {
  std::string sql;  // without comments
  int line = 0;     // where it begins
  // -- kith: error 50, epsilon 0.1 or weight 3. At most one of the first two; a weight goes with neither.
  std::optional<double> error_95, epsilon;
  double weight = 1;
  std::optional<bool> intervals;  // -- kith: intervals off, or on: whether its quantiles have one

  bool has_price() const { return error_95 || epsilon; }
};

inline constexpr std::size_t kMostBytes = std::size_t{4} << 20;
inline constexpr std::size_t kMostEntries = 10'000;

/// A text may say in its first line that it is a workload, so that it is not taken for a question.
inline constexpr char kPlanLine[] = "-- kith: plan\n";
inline bool IsWorkload(const std::string& text) { return text.starts_with(kPlanLine); }

/// Lines are counted from 1, without kPlanLine. Questions end with semicolons. A hint belongs to the question that it
/// is in or before, or to the one that ended on its line. Fails: kInvalidArgument (no question, too many, a comment or
/// string that does not end, an invalid hint).
Result<std::vector<Entry>> ReadEntries(const std::string& text);

}  // namespace kith::workload
