#include "analysis/degrees/pair_counts.h"

#include <algorithm>

#include "base/check.h"

namespace kith {

PairCounts::PairCounts(std::size_t most, Above above, std::vector<std::uint16_t> group_of, std::size_t groups)
    : most_(most), above_(above), group_of_(std::move(group_of)), sums_(groups, 0) {
  KITH_CHECK(most >= 1 && most <= 65535 && groups >= 1);
}

std::uint16_t PairCounts::GroupOf(std::size_t person) const {
  return person < group_of_.size() ? group_of_[person] : static_cast<std::uint16_t>(sums_.size() - 1);
}

void PairCounts::Take(std::span<const std::int64_t> first, std::span<const std::int64_t> second) {
  const bool grouped = sums_.size() > 1;
  std::int64_t taken = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const std::int64_t a = first[i], b = second[i];
    if (a == before_[0] && b == before_[1]) continue;
    before_[0] = a;
    before_[1] = b;
    const auto one = static_cast<std::size_t>(a), other = static_cast<std::size_t>(b), largest = std::max(one, other);
    if (largest >= degree_.size()) degree_.resize(std::max(largest + 1, 2 * degree_.size()), 0);
    const bool full_one = degree_[one] == most_, full_other = degree_[other] == most_;
    if (above_ == Above::kDropped && (full_one || full_other)) continue;
    if (!full_one) ++degree_[one];
    if (!full_other) ++degree_[other];
    taken += 2;
    if (!grouped) continue;
    ++sums_[GroupOf(one)];
    ++sums_[GroupOf(other)];
  }
  if (!grouped) sums_[0] += taken;
}

std::vector<std::vector<std::int64_t>> PairCounts::AtLeast() const {
  std::vector<std::vector<std::int64_t>> counts(sums_.size(), std::vector<std::int64_t>(most_ + 1, 0));
  for (std::size_t person = 0; person < degree_.size(); ++person) ++counts[GroupOf(person)][degree_[person]];
  for (auto& of_group : counts) {
    for (std::size_t d = most_; d > 1; --d) of_group[d - 1] += of_group[d];
    of_group.erase(of_group.begin());
  }
  return counts;
}

}  // namespace kith
