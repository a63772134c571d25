// Approximate privacy under dependence: what becomes of delta. Source: docs/theory/model.md#delta.
// Claims: claims/transfer_delta.md
#pragma once
#include <cstddef>
#include <span>

#include "base/result.h"
#include "transfer/transfer.h"

namespace kith {

/// Everything released together is (plain[j], delta[j])-private for record j, and `dependent` is the dependent loss
/// that belongs to those plain losses (Transfer). The result is
///     (e^dependent - 1) * max over j of delta[j] / (e^plain[j] - 1),   rounded up, at most 1.
///
/// The plain losses are fixed totals; adaptive spending needs a filter that stops at them.
/// Ensures [DELTA-1]: the releases together are (dependent, result)-private under dependence.
/// Fails: kInvalidArgument if the lists differ in length or are empty, a loss is negative, NaN or infinite, or a delta
/// is not a probability.
Result<double> DependentDelta(std::span<const double> plain, std::span<const double> delta, double dependent);

/// The same with one plain loss and delta for all records, through a transfer function.
/// Fails: as above; and for metric losses (kind lipschitz), where no such bound holds.
Result<double> DependentDelta(const Transfer& transfer, double plain, double delta, std::size_t of_class = 0);

}  // namespace kith
