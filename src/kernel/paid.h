// What was paid and not yet spent: a right to so much noise, which only a durable charge makes. Every number that is
// opened spends a part of it; when nothing is left, nothing opens.  Claims: claims/kernel.md
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "base/result.h"
#include "kernel/cost.h"
#include "ledger/ledger.h"
#include "loss/loss.h"

namespace kith {

class Paid {
 public:
  /// Charges `book`, durably, and hands out what that bought. Fails: as Ledger::Charge, and then nothing was bought.
  static Result<Paid> Charge(Ledger& book, const ChargeRequest& request);

  /// A right to nothing.
  static Paid Nothing() { return {}; }

  Paid(Paid&& other) noexcept { *this = std::move(other); }
  Paid& operator=(Paid&& other) noexcept;
  Paid(const Paid&) = delete;  // two copies would buy twice
  Paid& operator=(const Paid&) = delete;

  /// Of the charge that it was made by.
  const LedgerEntry& entry() const { return entry_; }
  /// What every charged cell paid at most.
  PlainUnits units() const { return units_; }

 private:
  friend class Vault;
  friend class Unbooked;

  struct Left {  // of one cell
    PlainUnits any, presence;
    std::int64_t mu = 0, delta = 0;
  };
  Paid() = default;
  /// What a request buys; nobody has charged it yet.
  static Paid For(const ChargeRequest& request);

  /// Takes a cost from every one of these cells. Fails: kInternal if one of them has less left; then nothing is taken.
  /// Ensures [KERNEL-4]: what is spent in a cell over all calls is at most what was charged to it, in every kind.
  Result<void> Spend(const std::vector<bool>& cells, const Cost& cost);
  /// The same of the separate account of one-sided losses.
  Result<void> SpendOneSided(PlainUnits units);
  /// The whole of it.
  void SpendAll();

  std::vector<Left> left_;  // by cell; short where no later cell paid
  PlainUnits one_sided_;
  PlainUnits units_;
  LedgerEntry entry_;
};

}  // namespace kith
