// Walks through a small field that never return: sharper than messages where there are cycles.
// Source: docs/theory/transfer.md#field.  Claims: claims/transfer_field.md
#pragma once
#include <cstdint>
#include <vector>

#include "transfer/check/field_small.h"

namespace kith {

/// One walk at a time, and the nodes it may not enter: those it went through, and the rest of every tie it came along,
/// which are known when the next node is considered.
class FieldWalk {
 public:
  /// Both may be null where only steps are counted.
  FieldWalk(const SmallField& field, const std::vector<double>* plain, const std::vector<double>* messages)
      : field_(field), plain_(plain), messages_(messages), taken_(field.nodes(), 0) {}

  /// A bound on the loss about `node` when the nodes taken are known. The node itself must not be taken.
  double Loss(std::uint32_t node, int depth);
  /// Steps that Loss takes, counted up to `most`.
  std::int64_t Steps(std::uint32_t node, int depth, std::int64_t most);

 private:
  /// The members of a tie that are neither m nor taken.
  template <class Visit>
  void ForEachOther(const SmallField::Tie& tie, std::uint32_t m, const Visit& visit) {
    for (std::uint32_t o = tie.first; o < tie.first + tie.size; ++o) {
      if (o != m && taken_[field_.member(o).node] == 0) visit(o);
    }
  }
  double Beyond(const SmallField::Tie& tie, std::uint32_t o, int depth);
  /// Takes or frees all members of a tie but one.
  void Take(const SmallField::Tie& tie, std::uint32_t but, int by);

  const SmallField& field_;
  const std::vector<double>* plain_;
  const std::vector<double>* messages_;
  std::vector<int> taken_;
};

/// The loss about every node by walks of `depths` steps, then messages. Hidden nodes are skipped (0).
/// Requires: one depth for each node; messages that hold (CheckedLosses).
/// Ensures [FIELD-1]: not below the dependent loss of any field of the class.
std::vector<double> WalkLosses(const SmallField& field, const std::vector<double>& plain,
                               const std::vector<double>& messages, const std::vector<int>& depths);

/// m records, each pair linked with at most theta, no link leaving: T_1 = plain, T_k = plain + (k-1) phi(T_{k-1}).
double CompleteGroupLoss(std::int64_t size, double theta, double plain, PassOn pass = Phi);

}  // namespace kith
