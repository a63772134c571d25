// What was computed for one cell is used for others that look alike.
#include <algorithm>

#include "query/range/range.h"

namespace kith {

RangeMemo::Entry RangeMemo::MakeEntry(const Expr& expr) const {
  Entry entry;
  std::size_t slots = 1;
  std::vector<bool> seen(sizes_.size(), false);
  ForEachColumn(expr, [&](std::size_t column) {
    if (seen[column] || sizes_[column] == 1) return;
    seen[column] = true;
    entry.columns.push_back(column);
    slots = std::min(slots * sizes_[column], kMaxSlots + 1);
  });
  if (slots <= kMaxSlots) entry.slots.resize(slots);
  return entry;
}

std::optional<Range>* RangeMemo::Slot(const Expr& expr) {
  auto found = entries_.find(&expr);
  if (found == entries_.end()) found = entries_.emplace(&expr, MakeEntry(expr)).first;
  Entry& entry = found->second;
  if (entry.slots.empty()) return nullptr;
  std::size_t index = 0;
  for (const std::size_t column : entry.columns) index = index * sizes_[column] + at_[column];
  return &entry.slots[index];
}

}  // namespace kith
