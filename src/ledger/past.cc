#include "ledger/past.h"

#include <algorithm>

namespace kith::ledger {

Past::Past(const View& start) { marks_.push_back({start.position, start.charges, start.data.number, start.head}); }

void Past::Follow(const Entry& entry, const View& after) {
  if (entry.kind == Kind::kCharge) answered_.push_back(false);
  if (entry.kind == Kind::kAnswer) answered_[static_cast<std::size_t>(entry.number - 1)] = true;
  if (entry.kind == Kind::kVersion)
    versions_.push_back({entry.number, std::string(entry.subject), entry.unix_seconds, after.charges, entry.merged});
  if (entry.kind == Kind::kGeneration)
    generations_.push_back({entry.number, entry.unix_seconds, after.charges, std::string(entry.policy)});
  if (after.position % kStride == 0) marks_.push_back({after.position, after.charges, after.data.number, after.head});
}

const Past::Mark& Past::Before(std::int64_t number) const {
  const auto after = std::lower_bound(marks_.begin(), marks_.end(), number,
                                      [](const Mark& mark, std::int64_t charge) { return mark.charges < charge; });
  return after == marks_.begin() ? marks_.front() : *(after - 1);
}

const Past::Mark* Past::After(std::int64_t number) const {
  const auto after = std::lower_bound(marks_.begin(), marks_.end(), number,
                                      [](const Mark& mark, std::int64_t charge) { return mark.charges < charge; });
  return after == marks_.end() ? nullptr : &*after;
}

}  // namespace kith::ledger
