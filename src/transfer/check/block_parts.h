// Blocks of a small field, taken apart: which links of a record lie in which block. Which blocks there are is chosen
// elsewhere (field/block_choice.h) and affects tightness only. Source: docs/theory/transfer.md#blocks.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "transfer/check/field_small.h"

namespace kith {

struct ChosenBlock {
  std::vector<std::uint32_t> nodes;
  std::vector<std::uint32_t> ties;  // all between these nodes
};

/// e^{loss/2} - 1, rounded up, and back: as blocks count (block_walk.h).
double ExcessOfLoss(double loss);
double LossOfExcess(double excess);

class BlockParts {
 public:
  /// A node's links inside one block.
  struct Part {
    std::uint32_t node = 0;
    std::vector<std::uint32_t> members;  // of SmallField, the node's own: one for each of these links
    std::vector<std::size_t> others;     // where in the block each of these links leads
  };
  struct Block {
    std::vector<std::uint32_t> parts;
    std::vector<double> coupling;  // by row
    double largest = 0;            // coupling
  };

  /// Nothing unless every block has different nodes and finite ties of two of them, and no tie is in two blocks.
  static std::optional<BlockParts> Make(const SmallField& field, const std::vector<ChosenBlock>& chosen);

  const SmallField& field() const { return *field_; }
  const std::vector<Block>& blocks() const { return blocks_; }
  const std::vector<Part>& parts() const { return parts_; }
  const std::vector<std::uint32_t>& PartsOf(std::uint32_t node) const { return parts_of_[node]; }
  /// A node's members of ties that are in no block.
  const std::vector<std::uint32_t>& SinglesOf(std::uint32_t node) const { return singles_of_[node]; }

 private:
  explicit BlockParts(const SmallField& field) : field_(&field), parts_of_(field.nodes()), singles_of_(field.nodes()) {}
  bool Add(const ChosenBlock& chosen, std::vector<bool>& in_block);

  const SmallField* field_;  // lives longer
  std::vector<Block> blocks_;
  std::vector<Part> parts_;
  std::vector<std::vector<std::uint32_t>> parts_of_;
  std::vector<std::vector<std::uint32_t>> singles_of_;
};

}  // namespace kith
