// Powers of a chain's table, and the law of every record.
#pragma once
#include <cstddef>

#include "dependence/model.h"

namespace kith::published {

class ChainPowers {
 public:
  /// Powers 1 .. most. Requires: the chain has passed Check.
  ChainPowers(const Chain& chain, std::size_t most);
  const LawTable& Power(std::size_t steps) const { return powers_[steps - 1]; }
  const Law& Marginal(std::size_t record) const { return marginals_[record]; }

 private:
  std::vector<LawTable> powers_;
  std::vector<Law> marginals_;
};

}  // namespace kith::published
