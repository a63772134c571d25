// Walks inside a small block of linked records, from what is known about each of them outside it. The blocks of a
// field share no edge; messages pass between them.
// Source: docs/theory/transfer.md#blocks.  Claims: claims/transfer_field_blocks.md
#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace kith {

/// Members of a block whose subsets are all tried: at most 2^8.
inline constexpr std::size_t kMostInBlock = 8;
/// An excess this large counts as infinite.
inline constexpr double kInfiniteExcess = 0x1p120;

/// Losses are kept as excesses: e^{loss/2} - 1. That of t and s together is a + b + ab, and one link of strength theta
/// passes on a x / (2 + a + x), where a is the excess of theta: no exponential, no logarithm.
///
/// Every function here takes, for each member, the excess of its loss from all that is outside the block, its own plain
/// loss included, not above kInfiniteExcess (which represents anything larger); and gives, for each member, the
/// excess of what its links inside the block add. Strengths are finite: excess below 2^16.
/// Ensures [FIELD-BLOCKS-1]: not below the recursion of the source.

/// All pairs are linked with the same strength. Any number of members from 2 on: beyond 6 the largest subset of each
/// size represents all of that size, which is the same if the members are equal and a little larger if not.
void CliqueLosses(double coupling, std::span<const double> outside, std::span<double> inside);

/// Any links: the excess of each, row by row, symmetric, 0 where there is none.
class BlockWalk {
 public:
  /// Requires: `coupling` has size * size entries, 2 <= size <= kMostInBlock.
  BlockWalk(std::size_t size, std::span<const double> coupling);

  void Losses(std::span<const double> outside, std::span<double> inside);
  /// After Losses: what the links of `member` inside the block add when `known` is known too.
  double LossKnowing(std::size_t member, std::size_t known) const;

 private:
  double& At(std::size_t subset, std::size_t member) { return loss_[subset * kMostInBlock + member]; }
  double At(std::size_t subset, std::size_t member) const { return loss_[subset * kMostInBlock + member]; }
  double From(std::size_t member, std::size_t subset, std::span<const double> outside) const;

  std::size_t size_;
  std::vector<double> coupling_;  // by row, kMostInBlock apart
  std::vector<std::size_t> linked_;
  std::vector<double> loss_;  // by subset of members that are neither visited nor known, and member
};

}  // namespace kith
