#include "release/curator_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "base/clock.h"
#include "base/digest.h"
#include "policy/growth.h"
#include "release/guarantee.h"
#include "release/upkeep/ledger_register.h"

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

Totals After(Totals totals, const std::vector<CellCharge>& parts, Covers covers, UnitLevel level) {
  totals.any.resize(totals.spent.size());
  totals.household.resize(totals.spent.size());
  totals.presence = totals.OfPresence();
  for (const CellCharge& part : parts) {
    const auto add = [&](std::vector<PlainUnits>& to, std::size_t cell) {
      to[cell] = PlainUnits::CutSum(to[cell], part.units);
    };
    for (const auto cell : part.cells) {
      add(totals.spent, cell);
      totals.presence[cell] = PlainUnits::CutSum(totals.presence[cell], part.presence.value_or(part.units));
      if (covers == Covers::kAny) add(totals.any, cell);
      if (level == UnitLevel::kHousehold) add(totals.household, cell);
    }
  }
  return totals;
}

Totals After(Totals totals, const std::vector<bool>& charged, PlainUnits units, Covers covers, UnitLevel level) {
  return After(std::move(totals), {{units, ChargedCells(charged)}}, covers, level);
}

namespace {

// Whether a policy may become the next generation under its ledger.
Result<LedgerGrowth> Judge(const LedgerPast& past, const std::string& now, std::int64_t reviewed) {
  std::vector<ReleasedAttribute> released;
  for (const OneSidedAccount& account : past.released) released.push_back({account.name, account.rules});
  const auto growth = CompareGenerations(past.description, now, released);
  if (!growth) return growth.error();
  if (auto accepted = AcceptGrowth(*growth, past.generation, reviewed); !accepted) return accepted.error();
  LedgerGrowth out;
  out.other_data = growth->other_data;
  out.was_fixed = growth->was_fixed;
  for (const ColumnOrigins& origins : growth->origins) out.origins.push_back({origins.column, origins.from});
  return out;
}

}  // namespace

LedgerBinding BindingOf(const Policy& policy, const std::string& version) {
  LedgerBinding binding{.identity = policy.identity_fingerprint() + "\n" + policy.identity_words(),
                        .policy = Sha256(policy.fingerprint() + version),
                        .cells = {},
                        .stream = policy.stream.has_value(),
                        .fixed_cells = policy.fixed_public_columns,
                        .one_version = policy.frozen && !policy.fixed_public_columns,
                        .joined = policy.cells.joined()};
  for (std::size_t cell = 0; cell < policy.cells.size(); ++cell) binding.cells.push_back(policy.cells.Name(cell));
  for (const CellColumn& column : policy.cells.columns()) {
    LedgerColumn by_value{column.name, {}};
    for (const Value& value : column.values) by_value.values.push_back(Cells::ValueName(value));
    binding.columns.push_back(std::move(by_value));
  }
  binding.description = DescribePolicy(policy);
  binding.grow = [now = binding.description, reviewed = policy.dependence.reviewed](const LedgerPast& past) {
    return Judge(past, now, reviewed);
  };
  return binding;
}

CuratorState::CuratorState(Policy of, EngineOptions with, Accountant counted)
    : policy(std::move(of)),
      options(std::move(with)),
      account(std::move(counted)),
      binding(BindingOf(policy, account.version())),
      asked(policy) {}

Result<std::shared_ptr<Ledger>> CuratorState::OpenLedger() const {
  const std::lock_guard lock(ledger_opening_);
  if (!ledger_) {
    constexpr bool kCreate = true;
    auto opened = Ledger::Open(policy.ledger, binding, kCreate);
    if (!opened) return opened.error();
    ledger_ = std::make_shared<Ledger>(std::move(*opened));
    seen_ = {};
    if (remembered) others_ = RegisterLedger(policy, *ledger_);
  }
  return ledger_;
}

void CuratorState::TellOfOthers(const Call& call) const {
  if (!call.notice) return;
  std::vector<std::string> others;
  {
    const std::lock_guard lock(ledger_opening_);
    others.swap(others_);
  }
  for (const std::string& other : others) call.notice(other);
}

// While somebody writes there is a log, and a reader sees what is committed to it. A file without a log is read as if
// it never changed, and only sizes and times would show a change: so they must. A file that was written to a moment
// ago could be written to again within the same tick of the clock.
Result<std::shared_ptr<const Ledger>> CuratorState::LookAtLedger() const {
  const std::lock_guard lock(ledger_opening_);
  if (ledger_) return std::shared_ptr<const Ledger>(ledger_);
  const auto exists = Ledger::Exists(policy.ledger);
  if (!exists) return exists.error();
  if (!*exists) return std::shared_ptr<const Ledger>();
  const auto places = ledger::Places::Of(policy.ledger);
  if (!places) return places.error();
  Seen now{nullptr, ledger::Identity::Of(*places), ledger::Stamp::Of(*places)};
  const bool has_log = now.stamp.log_size > 0;
  if (seen_.book && seen_.identity == now.identity && (has_log ? seen_.stamp.log_size > 0 : seen_.stamp == now.stamp))
    return seen_.book;
  seen_ = {};
  constexpr bool kCreate = false;
  constexpr std::int64_t kSettled = 2;  // seconds
  LedgerOptions looking;
  looking.read_only = true;
  auto seen = Ledger::Open(policy.ledger, binding, kCreate, looking);
  if (!seen) return seen.error();
  now.book = std::make_shared<Ledger>(std::move(*seen));
  const bool settled = has_log || now.stamp.seconds + kSettled < UnixSeconds();
  const auto after = ledger::Stamp::Of(*places);
  if (settled && (has_log ? after.log_size > 0 : after == now.stamp) && ledger::Identity::Of(*places) == now.identity)
    seen_ = now;
  return now.book;
}

Result<Totals> CuratorState::TotalsOf(const Ledger& book) const {
  Result<Totals> totals = Totals();
  auto looked = book.AtOneMoment([&]() -> Result<void> {
    totals = ReadTotals(book);
    return totals ? Result<void>() : totals.error();
  });
  return looked ? totals : looked.error();
}

Result<Totals> CuratorState::ReadTotals(const Ledger& book) const {
  auto all = book.Totals();
  if (!all) return all.error();
  const auto moved = book.Moved();
  if (!moved) return moved.error();
  const auto data = book.Data();
  if (!data) return data.error();
  const auto generation = book.Generation();
  if (!generation) return generation.error();
  const auto successor = book.Successor();
  if (!successor) return successor.error();
  Totals totals{.spent = std::move(all->spent),
                .any = std::move(all->any),
                .household = std::move(all->households),
                .moved = *moved,
                .by_cell = all->by_cell,
                .before = all->carried || *generation > 1,
                .released = std::move(all->one_sided),
                .version = data->Shown(),
                .generation = *generation,
                .alarm = AlarmUnder(all->alarms, policy.dependence),
                .presence = std::move(all->presence),
                .gaussian = std::move(all->gaussian),
                .continued_in = successor->value_or("")};
  if (!policy.stream) return totals;
  auto windows = book.LargestWindows(policy.CountedSteps(), std::nullopt);
  if (!windows) return windows.error();
  totals.spent = std::move(*windows);
  totals.any.clear();
  totals.presence.clear();
  return totals;
}

// The next charge is about a version that the ledger does not count for yet: what it will merge is counted now.
void CuratorState::CountReplacement(const DataState& data, Totals& totals) const {
  if (data.number > 0 && data.label == policy.data_version) return;
  if (!policy.data_version.empty()) totals.version = policy.data_version;
  const PlainUnits largest = Largest(totals.spent);
  if (policy.fixed_public_columns || (largest.count() == 0 && !totals.gaussian)) return;
  PlainUnits any, by_move, household;
  for (std::size_t cell = 0; cell < totals.any.size(); ++cell) {
    const PlainUnits outer = cell < totals.household.size() ? totals.household[cell] : PlainUnits();
    any = std::max(any, totals.any[cell] - outer);
    by_move = std::max(by_move, totals.spent[cell] - totals.any[cell]);
    household = std::max(household, outer);
  }
  any = PlainUnits::CutSum(any, household);
  const auto both = PlainUnits::CutSum(any, by_move);
  totals.spent.assign(totals.spent.size(), std::max(largest, both));
  totals.any.assign(totals.any.size(), any);
  totals.household.assign(totals.household.size(), household);
  totals.presence.assign(totals.presence.size(), Largest(totals.presence));
  if (auto& gaussian = totals.gaussian) {
    const auto most = [](auto& all) { all.assign(all.size(), *std::max_element(all.begin(), all.end())); };
    const auto least = [](auto& all) { all.assign(all.size(), *std::min_element(all.begin(), all.end())); };
    if (gaussian->open) gaussian->before = totals.spent;
    most(gaussian->mu);
    most(gaussian->delta);
    most(gaussian->before);
    const auto differ = [](const auto& all) {
      return std::adjacent_find(all.begin(), all.end(), std::not_equal_to<>()) != all.end();
    };
    gaussian->mixed = gaussian->mixed || differ(gaussian->caps.mu) || differ(gaussian->caps.delta);
    least(gaussian->caps.mu);
    least(gaussian->caps.delta);
  }
  totals.moved = true;
}

Result<Totals> CuratorState::TotalsSoFar() const {
  const auto book = LookAtLedger();
  if (!book) return book.error();
  if (*book) {
    Result<Totals> totals = Totals();
    auto looked = (*book)->AtOneMoment([&]() -> Result<void> {
      totals = ReadTotals(**book);
      if (!totals) return totals.error();
      const auto data = (*book)->Data();
      if (!data) return data.error();
      CountReplacement(*data, *totals);
      return {};
    });
    return looked ? totals : looked.error();
  }
  Totals nothing;
  nothing.spent.assign(policy.cells.size(), PlainUnits());
  nothing.version = policy.data_version.empty() ? DataState().Shown() : policy.data_version;
  return nothing;
}

}  // namespace kith
