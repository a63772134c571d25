// The part of the curator's report (engine/data_report.h) that is about units and groups: the same on every engine.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "engine/data_report.h"
#include "engine/promises.h"
#include "engine/session.h"

namespace kith {

/// Reads the integers of one row, one after the other.
class Counts {
 public:
  explicit Counts(const IntegerTable& table) : row_(table.rows.at(0)) {}
  std::int64_t Next() { return static_cast<std::int64_t>(row_.at(at_++).value_or(0)); }

 private:
  const std::vector<std::optional<Int128>>& row_;
  std::size_t at_ = 0;
};

/// Of a stream: in which step a row is, and which rows are in one (" AND ...").
struct StepWords {
  std::string number, condition;
};

/// How an engine is asked.
struct ReportWords {
  std::function<Result<IntegerTable>(const std::string& sql)> run;
  Ends ends;
  std::optional<StepWords> steps;  // of a stream
};

/// Adds what there is to say about units and groups, once every table has its report; the engine knows the tables by
/// their names in the policy. Nothing here is enforced or refused.
/// Ensures [TABLES-4]: by how many rows a unit is named is counted as the policy promises it (max_other); nothing else
/// in this program depends on the result.
Result<void> ReportUnitsAndGroups(const ReportWords& words, const Policy& policy, DataReport* report);

}  // namespace kith
