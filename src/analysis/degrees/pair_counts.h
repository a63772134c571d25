// Degrees from a stream of pairs: one small counter for each person, never the graph.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace kith {

/// People are small whole numbers from 0 on; memory grows with the largest.
class PairCounts {
 public:
  /// What becomes of a pair when one of its ends has already reached the largest degree.
  enum class Above {
    kCounted,  // it counts; the degree shown stays the largest
    kDropped,  // it is dropped for both ends, so that nobody has more (Day, Li, Lyu 2016)
  };

  /// `group_of[person]`, all below `groups`; anybody beyond its end is in the last group.
  /// Requires: 1 <= most <= 65535, groups >= 1.
  PairCounts(std::size_t most, Above above, std::vector<std::uint16_t> group_of, std::size_t groups);

  /// Pairs of different people, in the order in which they are taken. A pair that equals the one before it is that pair
  /// again and counts once, even across calls.
  /// Ensures [DEGREES-3]: with kDropped, pairs that all name one person change the degrees of all others together by at
  /// most this person's degree, if the other pairs come in the same order with and without them.
  void Take(std::span<const std::int64_t> first, std::span<const std::int64_t> second);

  /// People of each group with at least 1, 2, ..., `most` pairs: [group][degree - 1].
  std::vector<std::vector<std::int64_t>> AtLeast() const;
  /// Sum of the degrees of each group's people; degrees above `most` count in full.
  const std::vector<std::int64_t>& sums() const { return sums_; }

 private:
  std::uint16_t GroupOf(std::size_t person) const;

  std::size_t most_;
  Above above_;
  std::vector<std::uint16_t> group_of_;
  std::vector<std::uint16_t> degree_;  // of each person, at most `most_`
  std::vector<std::int64_t> sums_;
  std::int64_t before_[2] = {-1, -1};
};

}  // namespace kith
