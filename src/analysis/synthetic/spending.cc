#include "analysis/synthetic/spending.h"

#include <algorithm>

#include "base/check.h"

namespace kith::synthetic {

Spending::Spending(PlainUnits choices, PlainUnits pairs, std::int64_t rounds)
    : choices_left_(choices.count()),
      pairs_left_(pairs.count()),
      choice_(choices_left_ / rounds),
      pair_(pairs_left_ / rounds) {}

Spending::Round Spending::Next(bool only) {
  KITH_CHECK(More());
  last_ = only || pairs_left_ < 2 * pair_ || choices_left_ < 2 * choice_;
  const Round round = last_ ? Round{PlainUnits::Of(choices_left_), PlainUnits::Of(pairs_left_)}
                            : Round{PlainUnits::Of(choice_), PlainUnits::Of(pair_)};
  choices_left_ -= round.choice.count();
  pairs_left_ -= round.pair.count();
  return round;
}

void Spending::Raise() {
  choice_ = std::min(2 * choice_, PlainUnits::kMax);
  pair_ = std::min(2 * pair_, PlainUnits::kMax);
}

}  // namespace kith::synthetic
