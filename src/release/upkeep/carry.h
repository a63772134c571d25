// Moves what was spent from one ledger to another.
#pragma once
#include <filesystem>
#include <string>

#include "base/call.h"
#include "base/result.h"

namespace kith {

struct CarryReport {
  std::string from, to;    // the ledgers' files
  double largest = 0;      // plain loss of the cell that was carried most
  bool by_cell = false;    // cells take the losses of those that share a raw value; otherwise all take the largest
  bool one_sided = false;  // accounts of true records were carried over too
  double left = 0;         // of the new policy's epsilon, for a question about everybody
  bool exceeds = false;    // the totals are more than the new policy allows
  double allowed = 0;      // its epsilon
};

/// Seals the ledger of the policy `before`, so that nothing more is charged to it, and adds to every cell of the
/// ledger of `after` the largest total of the cells that share a raw value with it; of all cells, where that cannot be
/// known. If interrupted, it is finished by calling it again.
/// Fails: kInvalidArgument if both have one ledger, there is nothing to carry, the units differ, or one is a
/// stream; kStorage.
Result<CarryReport> CarryLedger(const std::filesystem::path& before, const std::filesystem::path& after,
                                const Call& call = {});

}  // namespace kith
