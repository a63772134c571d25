// What the answer to a question looks like as a table: its columns, and next to every noisy number its bar. Known only
// from question and policy, before anything is charged.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "pgwire/types.h"
#include "policy/policy.h"
#include "release/release.h"

namespace kith::pgwire {

class Shape {
 public:
  /// Touches no data, and needs no price. Fails: as PlanQuestion, and kCancelled.
  static Result<Shape> Of(const QuestionRequest& request, const Policy& policy, const CancelFlag& cancel);

  const std::vector<Field>& fields() const { return fields_; }
  /// As CSV files have them: n, n_error_95; for a quantile q, q_low_95, q_high_95, q_informative.
  /// Requires: the answer to that question.
  Rows RowsOf(const Answer& answer) const;

 private:
  static Result<Shape> Planned(const QuestionRequest& request, const Policy& policy);
  enum class Part { kValue, kError, kLow, kHigh, kInformative };
  struct Source {
    std::size_t column = 0;
    Part part = Part::kValue;
  };
  void Add(std::size_t column, const std::string& name, Oid type);
  void AddBar(std::size_t column, const std::string& name);
  void AddInterval(std::size_t column, const std::string& name, Oid type);
  void AddPlan(const Plan& plan);

  std::vector<Field> fields_;
  std::vector<Source> sources_;  // of each field
};

}  // namespace kith::pgwire
