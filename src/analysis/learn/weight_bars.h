// How far noise may have moved the weights of a classifier, whatever the rows are: only from the law of the pushes.
// Public: no data here. Claims: claims/learn.md (LEARN-5)
#pragma once
#include <vector>

#include "analysis/learn/examples.h"
#include "analysis/learn/terms.h"

namespace kith::learn {

struct WeightBars {
  std::vector<double> each;  // for each weight: holds for it with a probability of 95 %
  std::vector<double> all;   // hold for all weights at once with a probability of 95 %
};

/// The bars for released weights around those that minimise the same objective, with the same pull and on the same
/// rows, without pushes.
/// Ensures [LEARN-5].
WeightBars BarsOf(const Shape& shape, const Terms& terms);

}  // namespace kith::learn
