// What an open ledger can be asked.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/digest.h"
#include "ledger/checks.h"
#include "ledger/state.h"

namespace kith {

using ledger::Entry;
using ledger::Transaction;
using ledger::View;
using ledger::Windows;

namespace {

constexpr const char* kNoSteps = "a ledger that counts over all time has no steps";

}  // namespace

PlainUnits HouseholdLoss(const std::vector<PlainUnits>& spent, const std::vector<PlainUnits>& household,
                         std::int64_t size) {
  PlainUnits person, outer;
  for (std::size_t cell = 0; cell < spent.size(); ++cell) {
    const PlainUnits part = cell < household.size() ? household[cell] : PlainUnits();
    person = std::max(person, spent[cell] - part);
    outer = std::max(outer, part);
  }
  if (person.count() > PlainUnits::kMax / size) return PlainUnits::Of(PlainUnits::kMax);
  return PlainUnits::CutSum(PlainUnits::Of(person.count() * size), outer);
}

std::string DataState::Shown() const {
  return !label.empty() ? label : std::to_string(std::max<std::int64_t>(number, 1));
}

const View& Ledger::State::Counted(View& room) const {
  if (!Ahead()) return view;
  View& counted = room = view;
  const bool merged = !(MustMerge() || (ahead && ahead_merges)) || counted.Merge();
  if (!merged) counted.moved = true;
  const bool regrouped = !ahead || counted.Regroup(*ahead);
  if (!regrouped && counted.gaussian) {
    const std::vector<std::int64_t> none(ahead->size(), 0);
    counted.gaussian->caps = {none, none};
    counted.gaussian->mu = counted.gaussian->delta = none;
    counted.gaussian->before.assign(none.size(), PlainUnits::Of(PlainUnits::kMax));
    counted.gaussian->mixed = true;
  }
  if (!regrouped) static_cast<ledger::Sums&>(counted) = ledger::Sums(ahead->size());
  if (!merged || !regrouped) {  // beyond every limit: nothing can be charged
    for (auto* all : {&counted.totals, &counted.presence}) std::fill(all->begin(), all->end(), PlainUnits::kMax);
  }
  return counted;
}

Windows Ledger::State::CountedWindows() const {
  Windows counted = *windows;
  if (MustMerge() || (ahead && ahead_merges)) counted.Replace(true);
  if (ahead) counted.Regroup(*ahead);
  return counted;
}

Result<std::optional<StoredAnswer>> Ledger::State::Whole(const Result<std::optional<ledger::Store::AnswerRow>>& found) {
  if (!found) return found.error();
  if (!*found) return std::optional<StoredAnswer>();
  const auto charge = store->FindCharge((*found)->number);
  if (!charge) return charge.error();
  if (!*charge) return store->Tampered(fmt::format("charge {} is missing", (*found)->number));
  auto text = store->ReadText((*found)->position, (*found)->digest);
  if (!text) return text.error();
  return std::optional<StoredAnswer>({{(*found)->number, (*charge)->head}, std::move(*text)});
}

Result<void> Ledger::State::MayTotal() const {
  if (!view.uncounted) return MayGoOn();
  return InvalidArgument(
      fmt::format("entry {} of the ledger {}, which this version of kith cannot account for: what it "
                  "would say about losses could be wrong",
                  view.uncounted->position, view.uncounted->what),
      places.file.string(), "use the version that wrote it, or a newer one");
}

Result<void> Ledger::State::CheckStructure(const char* check) const {
  const auto structure = store->connection().Ask(check);
  if (!structure) return structure.error();
  return *structure == "ok" ? Result<void>() : store->Tampered("its structure is damaged");
}

Result<void> Ledger::State::VerifyAll() {
  if (auto sound = CheckStructure("PRAGMA integrity_check(1)"); !sound) return sound;
  const auto orphans = store->connection().Ask("SELECT count(*) FROM pragma_foreign_key_check");
  if (!orphans) return orphans.error();
  if (*orphans != "0") return store->Tampered("answers without an entry");
  Result<void> texts;
  std::set<std::string> sets;  // of cells, by digest
  std::int64_t count = 0;      // of strings
  View fresh = View::AtBirth(store->birth());
  auto done = store->CatchUp(fresh, [&](const Entry& entry, const View&) {
    for (const ledger::Posting& posting : entry.postings) sets.insert(posting.cells->digest);
    if (!texts || entry.digest.empty()) return;
    const auto text = store->ReadText(entry.position, entry.digest);
    if (!text) texts = text.error();
    ++count;
  });
  if (!done) return done;
  if (!texts) return texts;
  if (fresh.head != view.head) return store->Tampered("entries were changed while it was open");
  const auto has = [&](const char* table, std::size_t rows) -> Result<void> {
    const auto found = store->connection().Ask(fmt::format("SELECT count(*) FROM {}", table).c_str());
    if (!found) return found.error();
    if (*found != std::to_string(rows)) return store->Tampered("texts or sets of cells that belong to no entry");
    return {};
  };
  if (auto fine = has("texts", static_cast<std::size_t>(count)); !fine) return fine;
  return has("cell_sets", sets.size());
}

Result<std::optional<StoredAnswer>> Ledger::FindAnswer(const std::string& answer_key) const {
  return state_->Read([&](State& at) { return at.Whole(at.store->FindAnswerByKey(answer_key)); });
}

Result<std::optional<StoredAnswer>> Ledger::AnswerTo(std::int64_t number) const {
  return state_->Read([&](State& at) { return at.Whole(at.store->FindAnswerTo(number)); });
}

Result<std::optional<LedgerEntry>> Ledger::FindCharge(const std::string& answer_key) const {
  return state_->Read([&](State& at) -> Result<std::optional<LedgerEntry>> {
    if (!at.windows) return InternalError(kNoSteps);
    const auto found = at.store->FindChargeByKey(answer_key);
    if (!found) return found.error();
    if (!*found) return std::optional<LedgerEntry>();
    return std::optional<LedgerEntry>({(*found)->number, (*found)->head});
  });
}

Result<PlainUnits> Ledger::Room(const StreamStep& step, const std::vector<std::size_t>& cells,
                                const std::vector<PlainUnits>& limits) const {
  if (auto fine = ledger::CheckStep(step, true); !fine) return fine.error();
  const auto largest = LargestWindows(step.window, step.tick);
  if (!largest) return largest.error();
  if (limits.size() != largest->size()) return InvalidArgument("a limit is missing");
  std::int64_t room = PlainUnits::kMax;
  for (std::size_t cell = 0; cell < limits.size(); ++cell) {
    if ((*largest)[cell] > limits[cell]) return PlainUnits();  // already beyond its limit: nothing may be charged
  }
  for (const std::size_t cell : cells) room = std::min(room, limits.at(cell).count() - (*largest)[cell].count());
  return PlainUnits::Of(room);
}

Result<std::vector<StepCharge>> Ledger::Charges(const std::string& question, std::int64_t from, std::int64_t to) const {
  return state_->Read([&](State& at) -> Result<std::vector<StepCharge>> {
    if (!at.windows) return InternalError(kNoSteps);
    if (auto may = at.MayTotal(); !may) return may.error();
    std::vector<StepCharge> charges;
    for (const auto& spend : at.windows->Of(question, at.binding.policy, from, to))
      charges.push_back({spend.tick, PlainUnits::Of(spend.units), spend.number});
    return charges;
  });
}

Result<std::vector<PlainUnits>> Ledger::LargestWindows(std::int64_t window, std::optional<std::int64_t> tick) const {
  return state_->Read([&](State& at) -> Result<std::vector<PlainUnits>> {
    if (!at.windows) return InternalError(kNoSteps);
    if (auto may = at.MayTotal(); !may) return may.error();
    const auto largest = [&](const Windows& sums) { return tick ? sums.Around(*tick, window) : sums.Largest(window); };
    return ledger::UnitsOf(at.Ahead() ? largest(at.CountedWindows()) : largest(*at.windows));
  });
}

Result<LedgerTotals> Ledger::Totals() const {
  return state_->Read([&](State& at) -> Result<LedgerTotals> {
    if (auto may = at.MayTotal(); !may) return may.error();
    View room;
    const View& counted = at.Counted(room);
    LedgerTotals totals{.spent = ledger::UnitsOf(counted.totals),
                        .presence = ledger::UnitsOf(counted.presence),
                        .any = ledger::UnitsOf(counted.any),
                        .households = ledger::UnitsOf(counted.household),
                        .gaussian = counted.gaussian,
                        .one_sided = at.view.one_sided.all(),
                        .analysts = at.view.analysts.all(),
                        .alarms = at.view.alarms,
                        .by_cell = at.view.by_cell,
                        .carried = at.view.carried};
    if (totals.gaussian && totals.gaussian->open) totals.gaussian->before = counted.PureTotals();
    return totals;
  });
}

Result<bool> Ledger::Moved() const {
  return state_->Read([&](State& at) -> Result<bool> {
    View room;
    return at.Counted(room).moved;
  });
}

Result<DataState> Ledger::Data() const {
  return state_->Read([&](State& at) -> Result<DataState> { return at.view.data; });
}

Result<std::vector<DataLine>> Ledger::DataHistory() const {
  return state_->Read([&](State& at) -> Result<std::vector<DataLine>> { return at.past.versions(); });
}

Result<std::int64_t> Ledger::Generation() const {
  return state_->Read([&](State& at) -> Result<std::int64_t> {
    if (at.view.generation == 0) return 1;
    return at.view.generation + (at.ahead ? 1 : 0);
  });
}

Result<std::vector<GenerationLine>> Ledger::Generations() const {
  return state_->Read([&](State& at) -> Result<std::vector<GenerationLine>> { return at.past.generations(); });
}

Result<LedgerEntry> Ledger::Head() const {
  return state_->Read([&](State& at) -> Result<LedgerEntry> { return LedgerEntry{at.view.charges, at.view.head}; });
}

Result<void> Ledger::Verify() const {
  return state_->Read([&](State& at) { return at.VerifyAll(); });
}

Result<void> Ledger::LookAtPages() const {
  return state_->Read([](State& at) -> Result<void> {
    if (at.pages_seen) return {};
    auto sound = at.CheckStructure("PRAGMA quick_check(1)");
    at.pages_seen = sound.has_value();
    return sound;
  });
}

bool Ledger::policy_changed() const {
  const std::lock_guard lock(state_->mutex);
  return state_->view.charges > 0 && state_->view.policy != state_->binding.policy;
}

}  // namespace kith
