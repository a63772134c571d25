// A payment that no ledger knows: for tests, benchmarks and experiments on invented data. Nothing in src/ may include
// this (tools/check_vault.py).
#pragma once
#include <cstddef>
#include <numeric>
#include <vector>

#include "kernel/paid.h"

namespace kith {

class Unbooked {
 public:
  /// As if these cells had paid this much.
  static Paid Of(PlainUnits units, std::size_t cells = 1) {
    ChargeRequest request;
    request.units = units;
    request.cells.resize(cells);
    std::iota(request.cells.begin(), request.cells.end(), std::size_t{0});
    return Paid::For(request);
  }
  /// As if these cells had paid for everything.
  static Paid All(std::size_t cells) {
    Paid paid = Of(PlainUnits::Of(PlainUnits::kMax), cells);
    for (Paid::Left& left : paid.left_) left.mu = left.delta = std::int64_t{1} << 60;
    return paid;
  }
};

}  // namespace kith
