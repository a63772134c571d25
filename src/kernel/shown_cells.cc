#include "kernel/shown_cells.h"

#include <algorithm>

namespace kith {
namespace {

constexpr std::size_t kSlots = std::size_t{1} << 20;

}  // namespace

ShownCells::ShownCells(const SparseCounts& law, BitSource& bits)
    : law_(law), bits_(bits), empty_(law.Empty(bits)), occupied_(empty_.size(), false), near_(kSlots, false) {
  for (const UInt128 number : empty_) near_[SlotOf(number)] = true;
}

std::size_t ShownCells::SlotOf(UInt128 number) const {
  const auto mixed = (static_cast<std::uint64_t>(number) ^ static_cast<std::uint64_t>(number >> 64)) *
                     std::uint64_t{0x9e3779b97f4a7c15};
  return static_cast<std::size_t>(mixed >> 44);
}

void ShownCells::Add(UInt128 number, Int128 count) {
  // A cell that holds something has its own draw: the one that was made as if it were empty is void.
  if (near_[SlotOf(number)]) {
    const auto at = std::lower_bound(empty_.begin(), empty_.end(), number);
    if (at != empty_.end() && *at == number) occupied_[static_cast<std::size_t>(at - empty_.begin())] = true;
  }
  if (const auto noisy = law_.Occupied(count, bits_)) shown_.push_back({number, *noisy});
}

std::vector<ShownCells::Cell> ShownCells::Take(std::size_t most) {
  for (std::size_t k = 0; k < empty_.size(); ++k) {
    if (!occupied_[k]) shown_.push_back({empty_[k], law_.OfEmpty(bits_)});
  }
  passed_ = shown_.size();
  if (shown_.size() > most) {
    const auto larger = [](const Cell& a, const Cell& b) {
      return a.count != b.count ? a.count > b.count : a.number < b.number;
    };
    std::nth_element(shown_.begin(), shown_.begin() + static_cast<std::ptrdiff_t>(most), shown_.end(), larger);
    shown_.resize(most);
  }
  std::sort(shown_.begin(), shown_.end(), [](const Cell& a, const Cell& b) { return a.number < b.number; });
  return std::move(shown_);
}

}  // namespace kith
