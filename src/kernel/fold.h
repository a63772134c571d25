// Sealed folds: a function of one row, written by anybody, whose numbers the kernel cuts to what was declared before it
// adds them up. How far one unit can move the sums then follows from the declaration alone.  Claims: claims/kernel.md
#pragma once
#include <kith/statistic.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "base/cancel.h"
#include "base/int128.h"
#include "base/result.h"
#include "engine/session.h"
#include "loss/loss.h"
#include "query/rows.h"

namespace kith {

/// Some of the numbers of a fold: what one row may add to each of them, and in all, in steps.
struct FoldPart {
  std::size_t first = 0, size = 0;
  double step = 1;
  std::int64_t low = 0, high = 0;
  std::optional<std::int64_t> most;  // of all of them together, sizes added up
};

struct RowFold {
  struct Limit {  // a public column of the rows, in steps of which 1 is a multiple: this part of the bounds
    std::size_t column = 0;
    std::int64_t one = 1;
  };

  /// No captures; it must not keep anything from row to row (tools/check_vault.py, tests of each fold). What it throws,
  /// and what is not a number, counts as nothing.
  v1::RowFunction function = nullptr;
  Rows rows;                  // as they were planned
  std::size_t values = 0;     // the function sees the first of their values
  std::vector<double> known;  // and after them these: public, or already noisy
  std::vector<FoldPart> parts;
  std::optional<Limit> limit;

  std::size_t numbers() const { return parts.empty() ? 0 : parts.back().first + parts.back().size; }
};

/// How far one unit can move the sums of a part, in steps. Fails: kInvalidArgument above 2^31 steps.
/// Ensures [KERNEL-5]: whatever the function returns, and whether the unit's rows are there or not.
Result<Sensitivities> ChangeOf(const FoldPart& part, std::int64_t rows);

/// The sums, in steps. Only for the kernel (and tests). Fails: as Session::Scan.
Result<std::vector<Int128>> FoldRows(const Session& session, const RowFold& fold, const CancelFlag& cancel);

}  // namespace kith
