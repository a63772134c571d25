// The error bar of an average or a spread before it is asked: how it follows from the noise of its parts.
#pragma once
#include <vector>

#include "query/output/output.h"
#include "query/plan.h"
#include "release/pricing.h"
#include "release/release.h"

namespace kith {

/// One for each output made of one average, variance, correlation and the like. Reads no data: the number of rows is
/// assumed.
std::vector<AverageError> AverageErrors(const Plan& plan, const Priced& priced);

/// The largest bar of one such output over the true averages that are tried, in a group of this many rows, with this
/// many times the price. Requires: a statistic that it reads gets noise.
double WorstAverageError(const Plan& plan, const Priced& priced, const OutputExpr& output, double rows, double times);

}  // namespace kith
