// What an open curator holds: the policy with its account, and the engine and ledger that are opened when first needed.
#pragma once
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "release/account.h"
#include "release/release.h"

namespace kith {

struct Work;  // pipeline.h

struct Curator::State {
  Policy policy;
  EngineOptions options;
  Account account;
  mutable std::mutex opening;  // guards all below while they are opened; engine and ledger are thread-safe themselves
  mutable std::shared_ptr<const Engine> engine;
  mutable std::string last_version;  // of the data that the last question was about
  mutable std::shared_ptr<Ledger> ledger;

  State(Policy p, EngineOptions o, Account a) : policy(std::move(p)), options(std::move(o)), account(std::move(a)) {}

  LedgerBinding Binding() const;
  /// `for_curator`: notices may hold exact counts (rows, broken lines); an analyst must not see them.
  /// Opens again when a file changed since: every question is about the data as they are when it is asked.
  Result<std::shared_ptr<const Engine>> OpenData(const CancelFlag& cancel, bool for_curator) const;
  /// An engine of its own that may write one file.
  Result<std::unique_ptr<Engine>> OpenForOutput(const std::string& file, const CancelFlag& cancel) const;
  /// Remembers what a question is about. True: the one before was about other data.
  bool DataChanged(const std::string& version) const;
  Result<std::shared_ptr<Ledger>> OpenLedger() const;
  /// A refusal for lack of budget, with the price that would still do.
  Error WhatIsLeft(Error refusal, const std::vector<bool>& charged) const;
  /// Ensures [RELEASE-1]: nothing of `work.compute` runs before its price is charged durably.
  Result<Answer> Release(const Work& work, const CancelFlag& cancel) const;
  /// Ensures [DISTANCE-3]: under a lipschitz model nothing but losses by distance is charged.
  /// Fails: kUnsupportedQuery.
  Result<void> MayCharge(bool loses_by_distance) const;
  /// As it was given then, with the totals of now.
  Result<Answer> Again(const StoredAnswer& stored, const Ledger& opened) const;
  /// What was charged is computed and certified.
  Result<Answer> Compute(const Work& work, const Engine& opened, const Ledger& charged, const LedgerEntry& entry) const;
  /// Fills in what a price would do to the cells of out.plan.charged.
  Result<void> Forecast(PlainUnits price, Explanation& out) const;
  /// Totals without creating a ledger: zeros where nothing was asked yet. Of a stream: the largest window.
  Result<std::vector<PlainUnits>> SpentSoFar() const;
  Result<std::vector<OneSidedAccount>> OneSidedSoFar() const;

  struct OneSidedWork;  // one_sided_work.h
  Result<OneSidedWork> PrepareOneSided(const std::string& name, double epsilon) const;
  Result<OneSidedCertificate> CertifyNow(const OneSidedWork& work, const std::vector<OneSidedAccount>& accounts,
                                         bool counts) const;
};

/// The cells that are charged, ascending.
std::vector<std::size_t> ChargedCells(const std::vector<bool>& charged);
/// The largest total of any cell.
PlainUnits Largest(const std::vector<PlainUnits>& spent);
/// Totals when `units` more are charged to the charged cells.
std::vector<PlainUnits> After(std::vector<PlainUnits> spent, const std::vector<bool>& charged, PlainUnits units);

}  // namespace kith
