// Arithmetic over numbers whose errors are known: how far the result can be off if every part is within its bar.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sql/functions.h"

namespace kith::postprocess {

struct Range {
  double low = 0, high = 0;
};

struct Formula;
using FormulaPtr = std::shared_ptr<const Formula>;

struct Formula {
  Op op = Op::kColumn;  // kColumn: a part, which is a number that SQL gives; kNullIf: the first argument, or NULL
  std::string sql;      // of a part, in the scope that it is used in
  bool noisy = false;   // of a part: it is linear in noisy numbers; otherwise nothing in it is noisy
  std::vector<FormulaPtr> args;
  int digits = 0;                         // of kRound
  const SqlFunction* function = nullptr;  // of kCurve
};

FormulaPtr Part(std::string sql, bool noisy);
FormulaPtr Apply(Op op, std::vector<FormulaPtr> args, int digits = 0, const SqlFunction* function = nullptr);

/// Its parts, from left to right.
void CollectParts(const FormulaPtr& formula, std::vector<FormulaPtr>& parts);
/// The same formula, with other text for its parts, from left to right.
FormulaPtr WithParts(const FormulaPtr& formula, const std::vector<std::string>& texts, std::size_t& next);

/// All that the formula can be if each part is in its range. Nothing: no bound, or it may not be defined.
std::optional<Range> RangeOf(const Formula& formula, const std::vector<Range>& parts, std::size_t& next);

}  // namespace kith::postprocess
