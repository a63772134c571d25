#include "release/upkeep/carry.h"

#include <fmt/format.h>

#include <algorithm>

#include "ledger/growth.h"
#include "policy/growth.h"
#include "release/curator_state.h"
#include "release/price_left.h"
#include "release/upkeep/ledger_register.h"

namespace kith {
namespace {

// What the new policy still allows.
Result<void> Weigh(const Policy& policy, const Ledger& book, const Call& call, CarryReport& report) {
  auto curve = BudgetCurve::Make(policy, EngineOptions{}, call);
  if (!curve) return curve.error();
  auto account = Accountant::Make(policy, std::move(*curve));
  if (!account) return account.error();
  const CuratorState state(policy, EngineOptions{}, std::move(*account));
  const auto totals = state.TotalsOf(book);
  if (!totals) return totals.error();
  const std::vector<bool> everybody(policy.cells.size(), true);
  report.left = PriceLeft(state.account, *totals, {everybody, Covers::kAny, UnitLevel::kPerson}, policy.epsilon_total);
  report.exceeds = !state.account.Fits(*totals);
  report.allowed = policy.epsilon_total;
  return {};
}

Result<LedgerBinding> BindingFor(const Policy& policy, const Call& call) {
  auto curve = BudgetCurve::Make(policy, EngineOptions{}, call);
  if (!curve) return curve.error();
  return BindingOf(policy, curve->version());
}

Result<void> SameUnits(const Policy& before, const Policy& after) {
  if (before.stream || after.stream) {
    return InvalidArgument("what the steps of a stream lost cannot be carried over", after.file.string(),
                           "keep the ledger of the stream");
  }
  const auto& was = before.unit.distance;
  const auto& is = after.unit.distance;
  const bool near = was.has_value() == is.has_value() &&
                    (!was || (was->columns == is->columns && was->metric == is->metric && was->delta == is->delta));
  if (near && before.unit.table == after.unit.table && before.unit.key == after.unit.key &&
      before.unit.other_key == after.unit.other_key && before.unit.presence == after.unit.presence)
    return {};
  return InvalidArgument("the two policies are about other units: table, key, presence or distance differ",
                         after.file.string(), "what was lost by other units says nothing about these");
}

// Whether nobody can be in another cell in the data of the one ledger than in those of the other. A version's name does
// not say so: two imports may have one name, and either ledger may have been asked about other versions.
bool SameCells(const Policy& before, const Policy& after) {
  return before.fixed_public_columns && after.fixed_public_columns;
}

// What a ledger refuses from its own policy it also refuses by way of another ledger.
Result<Growth> Judged(const LedgerBinding& before, const LedgerBinding& after, const Ledger& old_book,
                      const std::string& where) {
  const auto totals = old_book.Totals();
  if (!totals) return totals.error();
  std::vector<ReleasedAttribute> released;
  for (const OneSidedAccount& account : totals->one_sided) released.push_back({account.name, account.rules});
  auto growth = CompareGenerations(before.description, after.description, released);
  if (!growth) return growth;
  for (const PolicyChange& change : growth->changes) {
    if (change.verdict == GrowthVerdict::kRefused)
      return InvalidArgument(fmt::format("what was spent cannot be carried over: {} ({})", change.what, change.why),
                             where, change.next);
  }
  return growth;
}

std::optional<ledger::CellMap> MapOf(const Growth& growth, const LedgerBinding& before, const LedgerBinding& after) {
  if (growth.other_data) return std::nullopt;
  std::vector<LedgerOrigins> origins;
  for (const ColumnOrigins& column : growth.origins) origins.push_back({column.column, column.from});
  return ledger::CellMap::Make(before.columns, after.columns, origins);
}

std::vector<PlainUnits> Carried(const std::vector<std::int64_t>& counts, const std::optional<ledger::CellMap>& map,
                                std::size_t cells) {
  const auto largest = std::vector<std::int64_t>(cells, *std::max_element(counts.begin(), counts.end()));
  std::vector<PlainUnits> units;
  for (const std::int64_t count : map ? map->Largest(counts) : largest) units.push_back(PlainUnits::Of(count));
  return units;
}

// Moves and other changes are carried separately, which may make more than twice presence: then half of that.
std::vector<PlainUnits> PresenceOf(const std::vector<PlainUnits>& spent, const LedgerCarry& carry,
                                   const std::optional<ledger::CellMap>& map) {
  std::vector<std::int64_t> counts;
  for (const PlainUnits units : spent) counts.push_back(units.count());
  auto presence = Carried(counts, map, carry.any.size());
  for (std::size_t cell = 0; cell < presence.size(); ++cell) {
    const std::int64_t content = carry.any[cell].count() + carry.moves[cell].count();
    presence[cell] = std::max(presence[cell], PlainUnits::Of((content + 1) / 2));
  }
  return presence;
}

}  // namespace

Result<CarryReport> CarryLedger(const std::filesystem::path& before, const std::filesystem::path& after,
                                const Call& call) {
  const auto old_policy = Policy::Load(before);
  if (!old_policy) return old_policy.error();
  const auto new_policy = Policy::Load(after);
  if (!new_policy) return new_policy.error();
  if (old_policy->ledger == new_policy->ledger) {
    return InvalidArgument("both policies name one ledger, so there is nothing to carry over", after.string(),
                           "a policy that changed is judged when it is used");
  }
  if (auto same = SameUnits(*old_policy, *new_policy); !same) return same.error();
  const auto old_binding = BindingFor(*old_policy, call), new_binding = BindingFor(*new_policy, call);
  if (!old_binding) return old_binding.error();
  if (!new_binding) return new_binding.error();
  auto old_book = Ledger::Open(old_policy->ledger, *old_binding, false);
  if (!old_book) return old_book.error();
  auto new_book = Ledger::Open(new_policy->ledger, *new_binding, true);
  if (!new_book) return new_book.error();

  // Whatever can be refused is refused before the seal, which is permanent.
  const auto growth = Judged(*old_binding, *new_binding, *old_book, after.string());
  if (!growth) return growth.error();
  const auto continued = new_book->Successor();
  if (!continued) return continued.error();
  if (*continued) {
    return InvalidArgument(
        fmt::format("the ledger to carry to is sealed itself and continues in '{:.120}'", **continued), after.string(),
        "carry to that one");
  }

  for (const Ledger* book : {&*old_book, &*new_book}) {
    const auto totals = book->Totals();
    if (!totals) return totals.error();
    if (!totals->gaussian) continue;
    return InvalidArgument("what was counted with a delta, under caps, cannot be carried from one ledger to another",
                           (book == &*old_book ? before : after).string(), "go on with the ledger that has it");
  }

  // In this order: after the seal nothing is added to what is read here.
  const std::string successor = fmt::format("{} ({})", new_policy->ledger.filename().string(), new_book->id());
  if (auto sealed = old_book->Seal(successor); !sealed) return sealed.error();
  const auto lost = old_book->Totals();
  if (!lost) return lost.error();
  const auto moved = old_book->Moved();
  if (!moved) return moved.error();

  const auto map = *moved || !SameCells(*old_policy, *new_policy) ? std::optional<ledger::CellMap>()
                                                                  : MapOf(*growth, *old_binding, *new_binding);
  std::vector<std::int64_t> of_moves, of_any;
  for (std::size_t cell = 0; cell < lost->spent.size(); ++cell) {
    of_any.push_back(lost->any[cell].count());
    of_moves.push_back(lost->spent[cell].count() - of_any.back());
  }
  LedgerCarry carry{.from = old_book->id(),
                    .name = old_policy->ledger.filename().string(),
                    .moves = Carried(of_moves, map, new_binding->cells.size()),
                    .any = Carried(of_any, map, new_binding->cells.size()),
                    .released = lost->one_sided,
                    .moved = !map,
                    .analysts = lost->analysts};
  if (lost->presence != lost->spent) carry.presence = PresenceOf(lost->presence, carry, map);
  for (const AlarmLine& alarm : lost->alarms) {
    if (auto kept = new_book->RaiseAlarm(alarm.about, alarm.found); !kept) return kept.error();
  }
  if (auto done = new_book->Carry(carry); !done) return done.error();
  RegisterCarry(*new_policy, old_book->id(), new_book->id());
  CarryReport report{old_policy->ledger.string(), new_policy->ledger.string(), 0, map.has_value(),
                     !lost->one_sided.empty()};
  if (auto weighed = Weigh(*new_policy, *new_book, call, report); !weighed) return weighed.error();
  for (std::size_t cell = 0; cell < carry.any.size(); ++cell)
    report.largest = std::max(report.largest, PlainUnits::CutSum(carry.any[cell], carry.moves[cell]).epsilon());
  return report;
}

}  // namespace kith
