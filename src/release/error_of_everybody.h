// The error bar of an average or a share of everybody, where it is public how many there are: it follows from the bar
// of one noisy statistic, and so can be asked for.
#pragma once
#include <cstddef>
#include <optional>

#include "query/output/output.h"
#include "query/plan.h"

namespace kith {

struct WantedBar {
  std::size_t statistic = 0;
  double error = 0;
};

/// How small the bar of the only noisy statistic that the output reads must be, so that the output's is at most
/// `error`, whatever the answer. `units`: how many there are, each with one row; all are counted. Nothing: the output
/// reads several noisy statistics, or its bar depends on the answer in some other way.
std::optional<WantedBar> BarWanted(const Plan& plan, const OutputExpr& output, double error, double units);

}  // namespace kith
