// What a yes/no record sees of a neighbour when the tables between them are known up to intervals, and where the law of
// a record can be. Source: docs/theory/transfer.md#intervals.  Claims: claims/transfer_region.md
#pragma once
#include "dependence/model.h"

namespace kith {

/// e^T - 1 for both orders of the two values: `yes` bounds K(yes)/K(no) - 1, `no` bounds K(no)/K(yes) - 1. Infinity is
/// allowed.
struct Excess {
  double yes = 0;
  double no = 0;
};

/// Both together: (1 + x)(1 + y) - 1, rounded up. Infinite beyond 1e280.
double JoinedExcess(double x, double y);
Excess Joined(const Excess& x, const Excess& y);
/// e^loss - 1, rounded up.
double ExcessOf(double loss);
/// log(1 + x), rounded up.
double LossOf(double excess);

/// The probability of yes is in this interval of odds; [0, infinity] is any law.
struct OddsInterval {
  double low = 0;
  double high = 0;
  /// Both values can occur, as far as is known.
  bool both() const { return high > 0 && low < kNone; }
  static constexpr double kNone = __builtin_inf();
};

/// The rows of a table of a yes/no record given another one, at the ends of their intervals: those in which yes is most
/// and least likely.
struct StepRegion {
  struct Row {
    double no = 0, yes = 0;
  };
  struct Ends {
    Row most, least;
  };
  Ends given_no, given_yes;
};

/// Requires: tightened, two values in rows and columns.
StepRegion StepOf(const TableRegion& table);
/// Requires: tightened, one row, two values.
OddsInterval OddsOf(const TableRegion& law);

/// What a record sees of the next one, whose own bounds are `next`, through the step between them.
/// Ensures [REGION-1]: not below the largest log E[K | x] / E[K | y] over all tables of the step and all kernels that
/// keep within `next`; the same for SeenBefore, over all laws of the record before in `law` as well.
Excess SeenAfter(const Excess& next, const StepRegion& step);
/// What a record sees of the one before it, whose own bounds are `before` and whose odds are in `law`.
Excess SeenBefore(const Excess& before, const StepRegion& step, const OddsInterval& law);

/// The odds of the next record. Ensures [REGION-2]: contains them for every law in `law` and every table of the step.
OddsInterval NextLaw(const OddsInterval& law, const StepRegion& step);

}  // namespace kith
