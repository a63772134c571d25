#include "release/curator_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/digest.h"

namespace kith {

std::vector<std::size_t> ChargedCells(const std::vector<bool>& charged) {
  std::vector<std::size_t> cells;
  for (std::size_t cell = 0; cell < charged.size(); ++cell) {
    if (charged[cell]) cells.push_back(cell);
  }
  return cells;
}

PlainUnits Largest(const std::vector<PlainUnits>& spent) {
  return spent.empty() ? PlainUnits() : *std::max_element(spent.begin(), spent.end());
}

std::vector<PlainUnits> After(std::vector<PlainUnits> spent, const std::vector<bool>& charged, PlainUnits units) {
  for (const auto cell : ChargedCells(charged)) {
    spent[cell] = PlainUnits::Of(std::min(PlainUnits::kMax, spent[cell].count() + units.count()));
  }
  return spent;
}

namespace {

/// An analyst hears that data were read in, not what was in them. `said` must outlive the opening.
EngineOptions Discreet(const EngineOptions& options, bool for_curator, bool& said) {
  EngineOptions allowed = options;
  if (for_curator || !options.notice) return allowed;
  allowed.notice = [&options, &said](const std::string&) {
    if (!std::exchange(said, true)) options.notice("the data were read in; kith import tells the curator about them");
  };
  return allowed;
}

}  // namespace

LedgerBinding Curator::State::Binding() const {
  LedgerBinding binding{policy.identity_fingerprint() + "\n" + policy.identity_words(),
                        Sha256(policy.fingerprint() + account.version()),
                        {},
                        policy.stream.has_value()};
  for (std::size_t cell = 0; cell < policy.cells.size(); ++cell) binding.cells.push_back(policy.cells.Name(cell));
  return binding;
}

namespace {

constexpr char kImport[] = "1-1-00000000";

/// Opens the imported data; imports them first if they are not there, or if the curator asks for it.
Result<std::unique_ptr<Engine>> OpenImported(const Policy& policy, EngineOptions options, bool anew,
                                             const CancelFlag& cancel) {
  if (!NeedsImport(policy)) return OpenEngine(policy, options, cancel);
  options.import = kImport;
  if (!anew) {
    auto opened = OpenEngine(policy, options, cancel);
    if (opened || opened.error().code != Code::kStorage) return opened;
  }
  const auto lock = ImportLock::Take(policy, options, cancel);
  if (!lock) return lock.error();
  if (!anew) {
    auto opened = OpenEngine(policy, options, cancel);
    if (opened || opened.error().code != Code::kStorage) return opened;
  }
  if (auto done = ImportTables(*lock, policy, kImport, {}, options, cancel); !done) return done.error();
  return OpenEngine(policy, options, cancel);
}

}  // namespace

Result<std::shared_ptr<const Engine>> Curator::State::OpenData(const CancelFlag& cancel, bool for_curator) const {
  const std::lock_guard lock(opening);
  if (for_curator || !engine || !engine->Current()) {
    engine.reset();
    bool said = false;
    auto opened = OpenImported(policy, Discreet(options, for_curator, said), for_curator, cancel);
    if (!opened) return opened.error();
    engine = std::move(*opened);
  }
  return engine;
}

Result<std::unique_ptr<Engine>> Curator::State::OpenForOutput(const std::string& file, const CancelFlag& cancel) const {
  bool said = false;
  EngineOptions allowed = Discreet(options, false, said);
  allowed.output = file;
  return OpenImported(policy, allowed, false, cancel);
}

bool Curator::State::DataChanged(const std::string& version) const {
  const std::lock_guard lock(opening);
  const std::string before = std::exchange(last_version, version);
  return !before.empty() && before != version;
}

Result<std::shared_ptr<Ledger>> Curator::State::OpenLedger() const {
  const std::lock_guard lock(opening);
  if (!ledger) {
    auto opened = Ledger::Open(policy.ledger, Binding(), true);
    if (!opened) return opened.error();
    ledger = std::make_shared<Ledger>(std::move(*opened));
  }
  return ledger;
}

Result<std::vector<PlainUnits>> Curator::State::SpentSoFar() const {
  const auto exists = Ledger::Exists(policy.ledger);
  if (!exists) return exists.error();
  if (!*exists) return std::vector<PlainUnits>(policy.cells.size());
  const auto open = OpenLedger();
  if (!open) return open.error();
  return policy.stream ? (*open)->LargestWindows(policy.CountedSteps(), std::nullopt) : (*open)->Spent();
}

Result<std::vector<OneSidedAccount>> Curator::State::OneSidedSoFar() const {
  const auto exists = Ledger::Exists(policy.ledger);
  if (!exists) return exists.error();
  if (!*exists) return std::vector<OneSidedAccount>();
  const auto open = OpenLedger();
  if (!open) return open.error();
  return (*open)->OneSided();
}

Error Curator::State::WhatIsLeft(Error refusal, const std::vector<bool>& charged) const {
  const auto spent = SpentSoFar();
  if (!spent) return refusal;
  std::int64_t left = PlainUnits::kMax;
  for (const auto cell : ChargedCells(charged)) {
    left = std::min(left, std::max<std::int64_t>(0, account.limits()[cell].count() - (*spent)[cell].count()));
  }
  const double budget = static_cast<double>(account.Budget(charged).count());
  const double price = budget > 0 ? policy.epsilon_total * static_cast<double>(left) / budget : 0;
  const double shown = std::floor(price * 1e4) / 1e4;
  refusal.next =
      shown > 0
          ? fmt::format("at most --epsilon {:g} is left for this question; kith budget shows what was spent", shown)
          : "nothing is left for the people whom this question is about; kith budget shows what was spent";
  return refusal;
}

}  // namespace kith
