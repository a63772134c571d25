// Which things are joined, directly or through others (union-find).
#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>

#include "dependence/graph_array.h"

namespace kith {

class DisjointSets {
 public:
  explicit DisjointSets(std::uint32_t count) : parent_(count) {
    for (std::uint32_t i = 0; i < count; ++i) parent_[i] = i;
  }

  /// The smallest member of the set that x is in.
  std::uint32_t Find(std::uint32_t x) {
    while (parent_[x] != x) {
      parent_[x] = parent_[parent_[x]];
      x = parent_[x];
    }
    return x;
  }

  void Join(std::uint32_t x, std::uint32_t y) {
    x = Find(x);
    y = Find(y);
    if (x != y) parent_[std::max(x, y)] = std::min(x, y);
  }

  /// The sets numbered from 0 in the order of their smallest members: the number of each thing's set, and how many
  /// there are.
  std::pair<BigArray<std::uint32_t>, std::uint32_t> Numbered() const {
    BigArray<std::uint32_t> number(parent_.size());
    std::uint32_t sets = 0;
    // Every parent is smaller than its child, so it already has its number.
    for (std::uint32_t i = 0; i < parent_.size(); ++i) number[i] = parent_[i] == i ? sets++ : number[parent_[i]];
    return {std::move(number), sets};
  }

 private:
  BigArray<std::uint32_t> parent_;
};

}  // namespace kith
