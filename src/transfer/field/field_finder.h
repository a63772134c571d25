// Looks for good numbers on small graphs: messages from record to record, and what blocks of linked records add, which is
// tighter wherever there are triangles. Nothing rests on it: what it finds is checked (check/field_witness.h).
#pragma once
#include <vector>

#include "transfer/check/block_parts.h"
#include "transfer/check/field_witness.h"

namespace kith {

/// What looks for a witness for one field. The blocks are chosen once: parts of up to kMostInBlock records that are
/// connected by more than single records, and edge-disjoint cliques elsewhere. Links that are in no block, factors and
/// hard constraints stay as they are.
class FieldFinder {
 public:
  /// `most_steps`: of all walks together; 0: no walks.
  FieldFinder(const SmallField& field, bool with_blocks, std::int64_t most_steps);

  const BlockParts& blocks() const { return blocks_; }
  FieldWitness Find(const std::vector<double>& plain) const;

 private:
  const SmallField& field_;  // lives longer
  BlockParts blocks_;
  std::vector<int> depths_;
};

}  // namespace kith
