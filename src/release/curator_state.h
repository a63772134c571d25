// What an open curator holds: the policy with its account, and the engine and ledger that are opened when first needed.
#pragma once
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "release/account.h"
#include "release/release.h"

namespace kith {

struct Work;  // pipeline.h

/// An engine, and which of the data it reads.
struct OpenedData {
  std::shared_ptr<const Engine> engine;
  DataState data;
};

struct Curator::State {
  Policy policy;
  EngineOptions options;
  Account account;
  mutable std::mutex data_opening;  // guards `opened` while it is made; the engine is thread-safe itself
  mutable OpenedData opened;
  mutable std::mutex ledger_opening;  // the same for `ledger`: reading data in takes long, looking at totals must not
  mutable std::shared_ptr<Ledger> ledger;

  State(Policy p, EngineOptions o, Account a) : policy(std::move(p)), options(std::move(o)), account(std::move(a)) {}

  LedgerBinding Binding() const;
  /// The data that the ledger counts for, as they are: a CSV file is read in if this is the ledger's first question,
  /// and its snapshot is used afterwards, whatever became of the file.
  Result<OpenedData> OpenData(const Call& call) const;
  /// The same with an engine of its own that may write one file.
  Result<OpenedData> OpenForOutput(const std::string& file, const Call& call) const;
  Result<OpenedData> OpenAnew(const std::string& output, const Call& call) const;
  /// Reads CSV files in and makes them the ledger's current data, unless they are no longer number `only_after`.
  /// Notices hold exact counts (rows, broken lines); an analyst must not see them.
  Result<DataState> ImportAnew(Ledger& book, std::optional<std::int64_t> only_after, const Call& call) const;
  Result<DataState> CurrentData(Ledger& book, const Call& call) const;
  Result<std::unique_ptr<Engine>> OpenVersion(Ledger& book, DataState& data, const std::string& output,
                                              const Call& call) const;
  Result<std::shared_ptr<Ledger>> OpenLedger() const;
  /// To look at totals and history: works where nothing can be written. Nothing if there is no ledger yet.
  Result<std::shared_ptr<const Ledger>> LookAtLedger() const;
  /// A refusal for lack of budget, with the price that would still do.
  Error WhatIsLeft(Error refusal, const std::vector<bool>& charged) const;
  /// Ensures [RELEASE-1]: nothing of `work.compute` runs before its price is charged durably.
  Result<Answer> Release(const Work& work, const Call& call) const;
  /// Nothing if the data were replaced after they were opened: then nothing was charged.
  Result<std::optional<Answer>> TryRelease(const Work& work, const Call& call) const;
  /// Ensures [DISTANCE-3]: under a lipschitz model nothing but losses by distance is charged.
  /// Fails: kUnsupportedQuery.
  Result<void> MayCharge(bool loses_by_distance) const;
  /// As it was given then, with the totals of now.
  Result<Answer> Again(const StoredAnswer& stored, const Ledger& book, const DataState& data) const;
  /// What was charged is computed and certified.
  Result<Answer> Compute(const Work& work, const OpenedData& data, const Ledger& charged,
                         const LedgerEntry& entry) const;
  /// Fills in what a price would do to the cells of out.plan.charged.
  Result<void> Forecast(PlainUnits price, Covers covers, Explanation& out) const;
  /// Of a stream: the largest window.
  Result<Totals> TotalsOf(const Ledger& book) const;
  /// The same as the next charge would find it, without creating a ledger: zeros where nothing was asked yet.
  Result<Totals> TotalsSoFar() const;
  void CountReplacement(const DataState& data, Totals& totals) const;

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
Totals After(Totals totals, const std::vector<bool>& charged, PlainUnits units, Covers covers);

}  // namespace kith
