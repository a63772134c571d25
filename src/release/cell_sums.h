// What several releases charge each public cell together.
#pragma once
#include <cstddef>
#include <vector>

#include "release/accountant.h"
#include "release/pricing.h"

namespace kith {

/// Sums over releases, cell by cell, of any change and of presence.
class CellSums {
 public:
  explicit CellSums(std::size_t cells) : cells_(cells) {}

  /// What a release with this price charges these cells.
  void Add(const std::vector<bool>& charged, const Priced& priced);

  PlainUnits any(std::size_t cell) const { return cells_[cell].any; }
  PlainUnits presence(std::size_t cell) const { return cells_[cell].presence; }

  /// The price of all of them: total, presence and, where cells pay differently, strata. Shares, laws and noise stay
  /// as they are.
  void SetPrice(const Accountant& account, UnitLevel level, std::vector<bool>& charged, Priced& priced) const;

 private:
  struct Cell {
    bool charged = false;
    PlainUnits any, presence;
  };
  std::vector<Cell> cells_;
};

}  // namespace kith
