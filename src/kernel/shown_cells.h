// What is shown of a sparse table of counts, while its cells come by in any order: all that is kept of a cell is
// whether it passed. Claims: claims/sparse.md
#pragma once
#include <cstdint>
#include <vector>

#include "base/int128.h"
#include "mechanism/sparse_counts.h"
#include "random/bits.h"

namespace kith {

class ShownCells {
 public:
  struct Cell {
    UInt128 number = 0;
    Int128 count = 0;
  };

  /// Draws at once which cells would be shown if all were empty. Both must outlive this.
  ShownCells(const SparseCounts& law, BitSource& bits);
  /// A cell that holds something. Requires: a number below law.cells(), each once.
  void Add(UInt128 number, Int128 count);
  /// All that are shown, by their numbers; if there are more than `most`, those with the largest counts (of equal ones
  /// those that come first). Requires: called once, after all cells were added.
  std::vector<Cell> Take(std::size_t most);
  /// How many passed. Made only of what is shown, if asked for after Take.
  std::size_t passed() const { return passed_; }

 private:
  std::size_t SlotOf(UInt128 number) const;

  const SparseCounts& law_;
  BitSource& bits_;
  std::vector<UInt128> empty_;  // ascending
  std::vector<bool> occupied_;  // of these
  std::vector<bool> near_;      // by SlotOf: one of them may have this number
  std::vector<Cell> shown_;
  std::size_t passed_ = 0;
};

}  // namespace kith
