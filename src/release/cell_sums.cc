#include "release/cell_sums.h"

#include <algorithm>
#include <map>
#include <utility>

#include "release/strata.h"

namespace kith {

void CellSums::Add(const std::vector<bool>& charged, const Priced& priced) {
  for (const CellCharge& part : PartsOf(charged, priced)) {
    for (const std::size_t cell : part.cells) {
      Cell& of = cells_[cell];
      of.charged = true;
      of.any = PlainUnits::CutSum(of.any, part.units);
      of.presence = PlainUnits::CutSum(of.presence, part.presence.value_or(part.units));
    }
  }
}

void CellSums::SetPrice(const Accountant& account, UnitLevel level, std::vector<bool>& charged, Priced& priced) const {
  using Both = std::pair<PlainUnits, PlainUnits>;  // of any change, and of presence
  std::map<Both, std::vector<bool>> by_price;
  bool less = false;
  charged.assign(cells_.size(), false);
  priced.total = PlainUnits();
  priced.presence.reset();
  priced.strata.clear();
  for (std::size_t cell = 0; cell < cells_.size(); ++cell) {
    const Cell& of = cells_[cell];
    if (!of.charged) continue;
    charged[cell] = true;
    priced.total = std::max(priced.total, of.any);
    less = less || of.presence < of.any;
    by_price.try_emplace({of.any, of.presence}, cells_.size(), false).first->second[cell] = true;
  }
  if (less) {
    priced.presence = PlainUnits();
    for (const auto& [both, cells] : by_price) priced.presence = std::max(*priced.presence, both.second);
  }
  if (by_price.size() < 2) return;
  for (const auto& [both, cells] : by_price) {
    PricedStratum& stratum = priced.strata.emplace_back();
    stratum.cells = cells;
    stratum.budget = account.Budget(cells, level);
    stratum.priced.total = both.first;
    if (less) stratum.priced.presence = both.second;
  }
}

}  // namespace kith
