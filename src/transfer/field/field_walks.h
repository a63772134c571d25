// Fields on small or loopy graphs: the recursion over walks that never return, down to a limited depth. Tighter than
// messages, which count every walk that does not turn back at once.
// Source: docs/theory/transfer.md#walks, #complete-groups.  Claims: claims/transfer_field.md
#pragma once
#include <cstdint>
#include <vector>

#include "transfer/field/field_small.h"

namespace kith {

/// How deep to go from each node, decided once: as deep as the work allows.
class FieldWalks {
 public:
  /// At most about `most_steps` steps for all nodes together.
  FieldWalks(const SmallField& field, std::int64_t most_steps);

  /// The loss about every node; messages are used where a walk is cut off. Hidden nodes are skipped (0).
  /// Ensures [FIELD-1]: not below the dependent loss of any field of the class.
  std::vector<double> Losses(const SmallField& field, const std::vector<double>& plain,
                             const std::vector<double>& messages) const;

 private:
  std::vector<int> depth_;  // by node
};

/// m records, each pair linked with at most theta, no link leaving: T_1 = plain, T_k = plain + (k-1) phi(T_{k-1}).
double CompleteGroupLoss(std::int64_t size, double theta, double plain, PassOn pass = Phi);

}  // namespace kith
