// Does what was observed agree with what a law predicts? An exact test, with its rate of false alarms.
// Claims: claims/one_sided.md
#pragma once
#include <cstdint>

#include "leakage/law_set.h"

namespace kith::one_sided {

/// How many of some independent rows were sensitive, against the probability that a law, or a set of laws, predicts.
struct Disagreement {
  double p_value = 1;      // of counts at least this far off, under the law of the set that fits best
  double false_alarm = 0;  // the probability of `alarm` if the law is in the set: not more than `level`
  bool alarm = false;
};

/// Two-sided. Ensures [OSDP-12]: if rows are independent and their probability is in `predicted`, then `alarm` is
/// true with probability at most `false_alarm`, which is at most `level`. Requires: 0 <= seen <= of, 0 <= predicted.low
/// <= predicted.high <= 1, 0 < level < 1.
Disagreement Compare(std::int64_t seen, std::int64_t of, Range predicted, double level);

}  // namespace kith::one_sided
