// What is remembered of the verified entries, so that pages of the history need not read the whole chain again.
#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "ledger/chain.h"
#include "ledger/ledger.h"
#include "ledger/view.h"

namespace kith::ledger {

class Past {
 public:
  static constexpr std::int64_t kStride = 256;

  /// A place in the chain whose head was verified.
  struct Mark {
    std::int64_t position = 0, charges = 0, data = 0;
    std::string head;
  };

  /// The newest charges as they were read, so that the next look reads only what was added since.
  struct Newest {
    static constexpr std::int64_t kMost = 256;
    std::deque<HistoryLine> lines;  // in order; whether they are answered is asked again
    Mark at;                        // the last entry that was read
    std::string state;              // what they are valid for; empty: nothing
  };

  Past() = default;
  explicit Past(const View& start);
  /// The next verified entry.
  void Follow(const Entry& entry, const View& after);

  /// The last mark before a charge.
  const Mark& Before(std::int64_t number) const;
  /// The first mark at or after a charge; nullptr if there is none yet.
  const Mark* After(std::int64_t number) const;
  bool answered(std::int64_t number) const { return answered_[static_cast<std::size_t>(number - 1)]; }
  const std::vector<DataLine>& versions() const { return versions_; }
  const std::vector<GenerationLine>& generations() const { return generations_; }
  Newest& newest() { return newest_; }

 private:
  std::vector<Mark> marks_;  // every kStride entries
  std::vector<bool> answered_;
  std::vector<DataLine> versions_;
  std::vector<GenerationLine> generations_;
  Newest newest_;
};

}  // namespace kith::ledger
