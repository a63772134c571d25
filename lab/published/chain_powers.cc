#include "published/chain_powers.h"

#include "dependence/check.h"

namespace kith::published {
namespace {

Law Step(const Law& law, const LawTable& table) {
  Law next(table[0].size(), 0.0);
  for (std::size_t x = 0; x < law.size(); ++x) {
    for (std::size_t y = 0; y < next.size(); ++y) next[y] += law[x] * table[x][y];
  }
  return next;
}

}  // namespace

ChainPowers::ChainPowers(const Chain& chain, std::size_t most) {
  LawTable table;
  for (const Law& law : chain.transition) table.push_back(Normalised(law));
  for (std::size_t steps = 1; steps <= most; ++steps) {
    LawTable power = table;
    if (steps > 1) {
      for (std::size_t x = 0; x < table.size(); ++x) power[x] = Step(powers_.back()[x], table);
    }
    powers_.push_back(std::move(power));
  }
  marginals_.push_back(Normalised(chain.start));
  for (std::int64_t t = 1; t < chain.length; ++t) marginals_.push_back(Step(marginals_.back(), table));
}

}  // namespace kith::published
