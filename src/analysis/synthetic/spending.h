// How the shares of a synthetic table's rounds are spent: in equal parts at first, in larger ones when little is left
// to learn, and never more than there is. Source: McKenna, Mullins, Sheldon, Miklau 2022, section 4 (annealing).
#pragma once
#include <cstdint>

#include "loss/loss.h"

namespace kith::synthetic {

class Spending {
 public:
  /// Requires: rounds >= 1.
  Spending(PlainUnits choices, PlainUnits pairs, std::int64_t rounds);

  struct Round {
    PlainUnits choice, pair;
  };
  /// False after the last round.
  bool More() const { return !last_; }
  /// What the next round may lose. `only`: there will be no other; then, and where less than two more rounds would be
  /// left, it is all that is left. Requires: More().
  /// Ensures [SYNTH-1]: choices of all rounds add up to no more than the share of choices, and pairs to that of pairs,
  /// whenever rounds were made larger.
  Round Next(bool only);
  /// From the next round on, twice as much each.
  void Raise();

 private:
  std::int64_t choices_left_, pairs_left_;
  std::int64_t choice_, pair_;
  bool last_ = false;
};

}  // namespace kith::synthetic
