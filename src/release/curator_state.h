// What an open curator holds: the policy with its account, and the engine and ledger that are opened when first needed.
// Internal to release.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/call.h"
#include "engine/engine.h"
#include "ledger/files.h"
#include "ledger/ledger.h"
#include "policy/policy.h"
#include "release/accountant.h"
#include "release/allowed.h"

namespace kith {

/// An engine, and which of the data it reads.
struct OpenedData {
  std::shared_ptr<const Session> engine;
  DataState data;
};

struct CuratorState {
  const Policy policy;
  const EngineOptions options;
  const Accountant account;
  const LedgerBinding binding;
  const AskedPolicies asked;
  bool remembered = true;  // as in Curator::Open

  CuratorState(Policy of, EngineOptions with, Accountant counted);

  /// The data that the ledger counts for, as they are: a CSV file is imported if this is the ledger's first question,
  /// and its snapshot is used afterwards, whatever becomes of the file.
  /// `fresh`: what an import has just opened, if anything; used if it is still what the ledger counts for.
  Result<OpenedData> OpenData(const Call& call, OpenedData fresh = {}) const;
  /// The same with a separate engine that may write one file.
  Result<OpenedData> OpenForOutput(const std::string& file, const Call& call) const;
  /// Reads CSV files in and makes them the ledger's current data, unless they are no longer number `only_after`. With
  /// the engine that was opened to check them, if one was. Notices and the report hold exact counts (rows, broken
  /// lines); an analyst must not see them.
  Result<OpenedData> ImportAnew(Ledger& book, std::optional<std::int64_t> only_after, const Call& call,
                                const DataReportSink& report = {}) const;

  Result<std::shared_ptr<Ledger>> OpenLedger() const;
  /// For looking at totals and history: works where nothing can be written. Nothing if there is no ledger yet.
  Result<std::shared_ptr<const Ledger>> LookAtLedger() const;

  /// Of a stream: the largest window.
  Result<Totals> TotalsOf(const Ledger& book) const;
  /// The same as the next charge would find it, without creating a ledger: zeros where nothing was asked yet.
  Result<Totals> TotalsSoFar() const;

  // What was read last of the file of public facts [public_facts.cc].
  struct Facts;
  mutable std::mutex facts_reading;
  mutable std::shared_ptr<const Facts> facts;

  // How far the history was looked through for what was bought about rows that do not count, by the text of the
  // question [cut_rows.cc].
  struct CutRows {
    std::int64_t data = 0, looked_to = 0, found = 0;
  };
  mutable std::mutex cut_rows_reading;
  mutable std::map<std::string, CutRows> cut_rows;

 private:
  Result<OpenedData> CurrentData(Ledger& book, const Call& call) const;
  Result<OpenedData> OpenVersion(Ledger& book, DataState& data, const std::string& output, const Call& call) const;
  Result<OpenedData> OpenAnew(const std::string& output, const Call& call) const;
  void CountReplacement(const DataState& data, Totals& totals) const;
  Result<Totals> ReadTotals(const Ledger& book) const;
  /// Says once, loudly, that other ledgers count for the same table.
  void TellOfOthers(const Call& call) const;

  mutable std::mutex data_opening_;  // guards `opened_` while it is made; the engine is thread-safe itself
  mutable OpenedData opened_;
  mutable std::mutex ledger_opening_;  // the same for `ledger_`: reading data in takes long, looking at totals must not
  mutable std::shared_ptr<Ledger> ledger_;
  // Open only for reading, until something is asked. Verifying a long ledger takes a while: it is reused as long as its
  // files are unchanged.
  struct Seen {
    std::shared_ptr<const Ledger> book;
    ledger::Identity identity;
    ledger::Stamp stamp;
  };
  mutable Seen seen_;
  mutable std::vector<std::string> others_;  // ledgers that nobody was told about yet
};

/// What ties a ledger to a policy, with the judge of later ones. `version`: Accountant::version.
LedgerBinding BindingOf(const Policy& policy, const std::string& version);

/// The cells that are charged, ascending.
std::vector<std::size_t> ChargedCells(const std::vector<bool>& charged);
/// The largest total of any cell.
PlainUnits Largest(const std::vector<PlainUnits>& spent);
/// Totals when cells have also paid these amounts.
Totals After(Totals totals, const std::vector<CellCharge>& parts, Covers covers, UnitLevel level);
/// Totals when `units` more are charged to the charged cells.
Totals After(Totals totals, const std::vector<bool>& charged, PlainUnits units, Covers covers,
             UnitLevel level = UnitLevel::kPerson);

}  // namespace kith
