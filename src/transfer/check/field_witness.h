// Checks a witness for a field: numbers that satisfy one inequality for each of them prove a bound, however they were
// found. One plain pass. This is what is trusted about fields; what looks for good numbers (transfer/field) is not.
// Source: docs/theory/transfer.md#field, docs/theory/transfer.md#blocks.  Claims: claims/transfer_witness.md
#pragma once
#include <optional>
#include <vector>

#include "transfer/check/block_parts.h"
#include "transfer/check/field_small.h"

namespace kith {

/// Numbers that bound something if they follow from each other.
struct FieldNumbers {
  std::vector<double> messages;  // by member of a tie: at least the loss about it when the rest of the tie is known
  std::vector<double> inside;  // by part of a block: at least what its links add about its node; infinity says nothing
};
struct FieldWitness : FieldNumbers {
  std::vector<int> depths;  // by node: how far walks go before they take messages; empty: no walks
};

/// What follows from numbers, and from plain losses. Each call lowers `to`; where it is `from` itself, later calls see
/// it.
class FieldSteps {
 public:
  /// All must live longer.
  FieldSteps(const SmallField& field, const BlockParts& blocks, const std::vector<double>& plain);

  /// Bounds that always hold: what groups lose together.
  FieldNumbers Start() const;
  /// Everything about one node but one tie or one block, for each in turn; and in a block everything but one link.
  void AboutNode(std::uint32_t node, const FieldNumbers& from, FieldNumbers& to);
  /// Walks inside a block, from what the last AboutNode saw outside it.
  void AboutBlock(const BlockParts::Block& block, FieldNumbers& to) const;

 private:
  const SmallField& field_;
  const BlockParts& blocks_;
  const std::vector<double>& plain_;
  std::vector<double> outside_;  // by part of a block
  std::vector<double> told_, links_, rest_;
};

/// What a witness proves about every node: the smallest of what its messages, blocks and walks say. Nothing if one of
/// its numbers is smaller than what follows from the others and from the plain losses.
/// Ensures [WITNESS-1]: not below the dependent loss of any field of the class, whatever the witness holds.
std::optional<std::vector<double>> CheckedLosses(const SmallField& field, const BlockParts& blocks,
                                                 const std::vector<double>& plain, const FieldWitness& witness);

/// The same for a witness that may break an inequality by rounding: it is made larger until it holds; one that never
/// does is replaced by what groups lose together, which always does.
std::vector<double> ProvedLosses(const SmallField& field, const BlockParts& blocks, const std::vector<double>& plain,
                                 FieldWitness witness);

/// The witness that ProvedLosses ends with.
FieldWitness Proved(const SmallField& field, const BlockParts& blocks, const std::vector<double>& plain,
                    FieldWitness witness);

/// What messages alone prove: found, then checked.
std::vector<double> MessageLosses(const SmallField& field, const std::vector<double>& plain);

}  // namespace kith
