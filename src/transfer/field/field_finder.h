// Looks for good numbers on small graphs: messages from record to record, and what blocks of linked records add, which
// is tighter wherever there are triangles. Nothing rests on it: what it finds is checked (check/field_witness.h).
#pragma once
#include <cstdint>
#include <vector>

#include "transfer/check/block_parts.h"
#include "transfer/check/field_witness.h"

namespace kith {

/// Walks pay only on small graphs; with more nodes there are too few steps for each.
inline constexpr std::int64_t kMostNodesForWalks = 2000;

/// What looks for a witness for one field. The blocks are chosen once: parts of up to kMostInBlock records that are
/// connected by more than single records, and edge-disjoint cliques elsewhere. Links that are in no block, factors and
/// hard constraints stay as they are.
class FieldFinder {
 public:
  /// `most_steps`: of all walks together; 0: no walks.
  FieldFinder(const SmallField& field, bool with_blocks, std::int64_t most_steps);

  /// For pure losses, and for Gaussian ones, where a step takes an inverse of erf: some 10 ms of walks.
  static FieldFinder ForPure(const SmallField& field) { return {field, true, Walked(field, 150'000)}; }
  static FieldFinder ForGaussian(const SmallField& field) { return {field, false, Walked(field, 4'000)}; }

  const BlockParts& blocks() const { return blocks_; }
  FieldWitness Find(const std::vector<double>& plain) const;

 private:
  static std::int64_t Walked(const SmallField& field, std::int64_t steps) {
    return static_cast<std::int64_t>(field.nodes()) <= kMostNodesForWalks ? steps : 0;
  }

  const SmallField& field_;  // lives longer
  BlockParts blocks_;
  std::vector<int> depths_;
};

}  // namespace kith
