// Generations: what the entry of an accepted policy says, and how totals of the cells before become totals of the cells
// after it.  Claims: claims/growth.md
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/cells.h"
#include "ledger/ledger.h"

namespace kith::ledger {

/// The text of a generation entry.
struct Generation {
  std::string description;            // of the policy, as its binding gave it
  std::vector<LedgerColumn> columns;  // that divide the units into cells from here on
  std::vector<LedgerOrigins> origins;
};

/// One line of JSON.
std::string GenerationText(const Generation& generation);
/// Nothing if this version cannot read it.
std::optional<Generation> ReadGeneration(std::string_view text);

/// Which cells before share a raw value with which cells after. A product over columns: a column that is on only one
/// side can have any value on the other.
class CellMap {
 public:
  /// Nothing unless every value of a column that is on both sides has origins, all of them values of before, and every
  /// value of before is an origin: then nothing that was spent can be left out.
  static std::optional<CellMap> Make(const std::vector<LedgerColumn>& before, const std::vector<LedgerColumn>& after,
                                     const std::vector<LedgerOrigins>& origins);
  /// How many cells there are after it.
  std::size_t size() const { return after_cells_; }
  /// For each cell after: the largest of the numbers of the cells that share a raw value with it.
  std::vector<std::int64_t> Largest(const std::vector<std::int64_t>& before) const;
  /// The cells after that share a raw value with one of these.
  CellSet Image(const CellSet& before) const;

 private:
  CellMap() = default;
  std::int64_t LargestFrom(const std::vector<std::int64_t>& before, std::size_t column, std::size_t start,
                           const std::vector<std::size_t>& values) const;

  struct Before {
    std::size_t stride = 1, count = 1;
    std::optional<std::size_t> after;            // which column of after it is
    std::vector<std::vector<std::size_t>> from;  // for each value of that column
  };
  std::vector<Before> columns_;
  std::vector<std::size_t> sizes_;  // of the columns after
  std::size_t before_cells_ = 1, after_cells_ = 1;
};

}  // namespace kith::ledger
