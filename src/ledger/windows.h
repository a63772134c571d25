// What was charged to the steps of a stream, and the largest sum of any number of consecutive steps. In memory, rebuilt
// from the verified entries; exact.  Claims: claims/ledger.md, LEDGER-4 and LEDGER-7
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ledger/chain.h"
#include "ledger/growth.h"

namespace kith::ledger {

struct View;

class Windows {
 public:
  explicit Windows(std::size_t cell_count) : cell_count_(cell_count) {}

  struct Spend {
    std::int64_t tick = 0, units = 0, number = 0;  // number of the charge
    std::uint32_t cells = 0;                       // which of the sets of cells seen so far
    std::uint32_t question = 0;                    // which of the questions, each under one policy
    std::uint32_t data = 0;                        // which of the data it was about
  };

  /// The next verified entry, of whatever kind, and what the ledger says after it.
  void Follow(const Entry& entry, const View& after);
  /// Cells become those of a map: what was charged to a cell counts for every cell that comes from it.
  void Regroup(const CellMap& to);
  /// What a charge adds to its step. Steps may come in any order.
  void Add(const Entry& charge, const Posting& posting);

  /// The charges from now on are about other data. `merged`: from now on a unit may have been in any cell while each of
  /// the earlier data were asked about; their charges then count, in every window and for every cell, with the
  /// largest sum of any cell for each of the data.
  void Replace(bool merged);

  /// For each cell, the largest sum of `window` consecutive steps that include `tick`. Sums beyond 2^62 count as
  /// that.
  std::vector<std::int64_t> Around(std::int64_t tick, std::int64_t window) const;
  /// For each cell, the largest sum of any `window` consecutive steps.
  std::vector<std::int64_t> Largest(std::int64_t window) const;
  /// The charges of one question for the steps from `from` to `to`, in the order of steps.
  std::vector<Spend> Of(std::string_view question, std::string_view policy, std::int64_t from, std::int64_t to) const;

 private:
  using Run = std::vector<Spend>::const_iterator;
  std::pair<Run, Run> Between(std::int64_t from, std::int64_t to) const;
  /// For each cell, the largest sum of the windows that end with a step at or after `from`; one ends with `from`
  /// itself.
  std::vector<std::int64_t> LargestOf(Run begin, Run end, std::int64_t from, std::int64_t window) const;

  std::size_t cell_count_;
  std::vector<Spend> spends_;  // by tick; almost always added at the end
  std::vector<CellSet> sets_;
  std::uint32_t data_ = 0;    // of the charges from now on
  std::uint32_t merged_ = 0;  // data before this one are merged
  std::map<CellSet, std::uint32_t> set_numbers_;
  std::map<std::pair<std::string, std::string>, std::uint32_t, std::less<>> questions_;
};

}  // namespace kith::ledger
