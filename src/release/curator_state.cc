#include "release/curator_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/digest.h"
#include "loss/loss_text.h"

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

Totals After(Totals totals, const std::vector<bool>& charged, PlainUnits units, Covers covers) {
  const auto add = [&](std::vector<PlainUnits>& to, std::size_t cell) {
    to[cell] = PlainUnits::Of(std::min(PlainUnits::kMax, to[cell].count() + units.count()));
  };
  totals.any.resize(totals.spent.size());
  for (const auto cell : ChargedCells(charged)) {
    add(totals.spent, cell);
    if (covers == Covers::kAny) add(totals.any, cell);
  }
  return totals;
}

LedgerBinding Curator::State::Binding() const {
  LedgerBinding binding{policy.identity_fingerprint() + "\n" + policy.identity_words(),
                        Sha256(policy.fingerprint() + account.version()),
                        {},
                        policy.stream.has_value(),
                        policy.fixed_public_columns};
  for (std::size_t cell = 0; cell < policy.cells.size(); ++cell) binding.cells.push_back(policy.cells.Name(cell));
  for (const CellColumn& column : policy.cells.columns()) {
    LedgerColumn by_value{column.name, {}};
    for (const Value& value : column.values) by_value.values.push_back(Cells::ValueName(value));
    binding.columns.push_back(std::move(by_value));
  }
  return binding;
}

Result<std::shared_ptr<Ledger>> Curator::State::OpenLedger() const {
  const std::lock_guard lock(ledger_opening);
  if (!ledger) {
    auto opened_now = Ledger::Open(policy.ledger, Binding(), true);
    if (!opened_now) return opened_now.error();
    ledger = std::make_shared<Ledger>(std::move(*opened_now));
  }
  return ledger;
}

Result<std::shared_ptr<const Ledger>> Curator::State::LookAtLedger() const {
  const std::lock_guard lock(ledger_opening);
  if (ledger) return std::shared_ptr<const Ledger>(ledger);
  const auto exists = Ledger::Exists(policy.ledger);
  if (!exists) return exists.error();
  if (!*exists) return std::shared_ptr<const Ledger>();
  LedgerOptions looking;
  looking.read_only = true;
  auto seen = Ledger::Open(policy.ledger, Binding(), false, looking);
  if (!seen) return seen.error();
  return std::shared_ptr<const Ledger>(std::make_shared<Ledger>(std::move(*seen)));
}

Result<Totals> Curator::State::TotalsOf(const Ledger& book) const {
  Totals totals;
  auto spent = policy.stream ? book.LargestWindows(policy.CountedSteps(), std::nullopt) : book.Spent();
  if (!spent) return spent.error();
  totals.spent = std::move(*spent);
  auto any = book.SpentOnAny();
  if (!any) return any.error();
  if (!policy.stream) totals.any = std::move(*any);
  const auto moved = book.Moved();
  if (!moved) return moved.error();
  totals.moved = *moved;
  auto released = book.OneSided();
  if (!released) return released.error();
  totals.released = std::move(*released);
  const auto data = book.Data();
  if (!data) return data.error();
  totals.version = data->Shown();
  return totals;
}

// The next charge is about a version that the ledger does not count for yet: what it merges then is counted now.
void Curator::State::CountReplacement(const DataState& data, Totals& totals) const {
  if (data.number > 0 && data.label == policy.data_version) return;
  if (!policy.data_version.empty()) totals.version = policy.data_version;
  const PlainUnits largest = Largest(totals.spent);
  if (policy.fixed_public_columns || largest.count() == 0) return;
  PlainUnits any, by_move;
  for (std::size_t cell = 0; cell < totals.any.size(); ++cell) {
    any = std::max(any, totals.any[cell]);
    by_move = std::max(by_move, PlainUnits::Of(totals.spent[cell].count() - totals.any[cell].count()));
  }
  const auto both = PlainUnits::Of(std::min(PlainUnits::kMax, any.count() + by_move.count()));
  totals.spent.assign(totals.spent.size(), std::max(largest, both));
  totals.any.assign(totals.any.size(), any);
  totals.moved = true;
}

Result<Totals> Curator::State::TotalsSoFar() const {
  const auto book = LookAtLedger();
  if (!book) return book.error();
  if (*book) {
    auto totals = TotalsOf(**book);
    const auto data = (*book)->Data();
    if (!data) return data.error();
    if (totals) CountReplacement(*data, *totals);
    return totals;
  }
  Totals nothing;
  nothing.spent.assign(policy.cells.size(), PlainUnits());
  nothing.version = policy.data_version.empty() ? DataState().Shown() : policy.data_version;
  return nothing;
}

Error Curator::State::WhatIsLeft(Error refusal, const std::vector<bool>& charged) const {
  const auto totals = TotalsSoFar();
  if (!totals) return refusal;
  const auto limits = account.Limits(totals->moved);
  std::int64_t left = PlainUnits::kMax;
  for (const auto cell : ChargedCells(charged)) {
    left = std::min(left, std::max<std::int64_t>(0, limits[cell].count() - totals->spent[cell].count()));
  }
  const double budget = static_cast<double>(account.Budget(charged).count());
  const double price = budget > 0 ? policy.epsilon_total * static_cast<double>(left) / budget : 0;
  const double shown = std::floor(price * 1e4) / 1e4;
  refusal.next = shown > 0
                     ? fmt::format("at most --epsilon {} is left for this question; kith budget shows what was spent",
                                   LeftText(shown))
                     : "nothing is left for the people whom this question is about; kith budget shows what was spent";
  return refusal;
}

}  // namespace kith
