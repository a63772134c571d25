// Fields on small graphs: messages between blocks of linked records, with walks inside each block. Tighter than
// messages along edges wherever there are triangles.
// Source: docs/theory/transfer.md#blocks.  Claims: claims/transfer_field_blocks.md
#pragma once
#include <cstdint>
#include <vector>

#include "transfer/field/field_small.h"

namespace kith {

/// The blocks of a field, chosen once: parts of up to kMostInBlock records that are connected by more than single
/// records, and edge-disjoint cliques elsewhere. Links that are in no block, factors and hard constraints stay as they
/// are.
class FieldBlocks {
 public:
  explicit FieldBlocks(const SmallField& field);

  std::size_t count() const { return blocks_.size(); }

  /// The loss about every node. `messages` (SmallField::Messages) are lowered on the way and stay valid.
  /// Ensures [FIELD-BLOCKS-1]: not below the dependent loss of any field of the class.
  std::vector<double> Losses(const SmallField& field, const std::vector<double>& plain,
                             std::vector<double>& messages) const;

 private:
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
  /// What the rounds work on: all of it bounds, which only fall.
  struct Bounds {
    std::vector<double>& messages;
    std::vector<double> inside;   // by part: what its links add together
    std::vector<double> outside;  // by part: all the rest about its node
  };

  void AddBlock(const SmallField& field, std::vector<std::uint32_t> nodes, const std::vector<std::uint32_t>& ties);
  void RenewNode(const SmallField& field, std::uint32_t node, double own, Bounds& bounds) const;
  /// The largest part by which the block fell.
  double RenewBlock(const Block& block, Bounds& bounds) const;
  double Told(const SmallField& field, std::uint32_t part, const Bounds& bounds) const;

  std::vector<Block> blocks_;
  std::vector<Part> parts_;
  std::vector<std::vector<std::uint32_t>> parts_of_;    // by node
  std::vector<std::vector<std::uint32_t>> singles_of_;  // by node: its members of ties that are in no block
};

}  // namespace kith
