// Which generation of its policy a ledger is used under, and how the next one is recorded.
#include <fmt/format.h>

#include "base/digest.h"
#include "ledger/state.h"

namespace kith {

using ledger::Generation;
using ledger::Kind;
using ledger::Transaction;
using ledger::View;

bool Ledger::State::Current() const {
  if (view.generation == 0) return view.columns == binding.columns;
  return binding.description.empty() ? view.columns == binding.columns
                                     : view.policy_of->description == binding.description;
}

Result<void> Ledger::State::MayGoOn() const {
  if (ahead ? ahead_of == view.generation : Current()) return {};
  return InvalidArgument(
      fmt::format("another policy was accepted as generation {} since this one was opened", view.generation),
      places.file.string(), "open the policy again as it is now");
}

Result<LedgerGrowth> Ledger::State::Judge() const {
  if (!binding.grow) return InternalError("a policy that changed cannot be judged");
  auto growth = binding.grow({view.policy_of->description, view.generation + 1, view.one_sided.all()});
  if (growth) return growth;
  Error refused = growth.error();
  if (refused.where.empty()) refused.where = places.file.string();
  return refused;
}

// Other data merge cells, unless both policies promise that no unit changes cells: a promise is about what follows it.
bool Ledger::State::Merges(const LedgerGrowth& growth) const {
  return growth.other_data && view.charged && !(binding.fixed_cells && growth.was_fixed);
}

// The first policy of a ledger takes everything as it is.
LedgerGrowth Ledger::State::AsItIs() const {
  LedgerGrowth first;
  for (const LedgerColumn& column : binding.columns) {
    first.origins.push_back({column.name, {}});
    for (const std::string& value : column.values) first.origins.back().from[value] = {value};
  }
  return first;
}

// Not when the ledger is opened: a policy that the data then contradict was never used, and may be corrected.
Result<void> Ledger::State::Accept() {
  if (!ahead || view.closed) return {};
  if (auto written = WriteGeneration(); !written) return written;
  ahead.reset();
  return {};
}

Result<void> Ledger::State::WriteGeneration() {
  auto transaction = BeginWrite();
  if (!transaction) return transaction.error();
  if (view.closed || (view.generation > 0 && Current())) return {};  // another caller came first
  // Judged by what the ledger says now: anything that wants another policy waits for this transaction.
  const auto judged = view.generation == 0 ? Result<LedgerGrowth>(AsItIs()) : Judge();
  if (!judged) return judged.error();
  const LedgerGrowth& growth = *judged;
  std::vector<Step> steps;
  const auto beyond = [&](const std::string& why) {
    return BudgetExhausted("the policy cannot grow: " + why, places.file.string(), "undo the change");
  };
  // Before the cells change: a unit may have been in any of those that there were.
  const DataState same = view.data;
  if (growth.other_data) {
    if (auto may = MayBeginVersion(); !may) return may;
    if (const auto wrong = Next(steps, Replacement(same, Merges(growth)))) return beyond(*wrong);
  }
  const std::string text = ledger::GenerationText({binding.description, binding.columns, growth.origins});
  const std::string digest = Sha256(text), name = binding.identity.substr(0, binding.identity.find('\n'));
  const auto wrong = Next(steps, {.kind = Kind::kGeneration,
                                  .number = view.generation + 1,
                                  .policy = binding.policy,
                                  .subject = name,
                                  .digest = digest,
                                  .text = text});
  if (wrong) return beyond(*wrong);
  return Write(*transaction, std::move(steps), &text);
}

Result<void> Ledger::State::Settle(const Result<void>& made_for) {
  ahead.reset();
  // What this version cannot account for is refused when it is asked about.
  if (view.uncounted || (view.generation > 0 && Current())) return {};
  if (binding.description.empty()) return view.generation == 0 ? Result<void>() : MayGoOn();
  if (view.generation == 0) {
    if (!made_for) return made_for;
    if (options.read_only || view.closed) return {};
    return WriteGeneration();
  }
  const auto growth = Judge();
  if (!growth) return growth.error();
  // Other data: imports and questions need the version that begins with it.
  if (growth->other_data && !options.read_only && !view.closed) return WriteGeneration();
  auto map = ledger::CellMap::Make(view.columns, binding.columns, growth->origins);
  if (!map) return InternalError("a map of cells that leaves something out");
  ahead = std::move(*map);
  ahead_of = view.generation;
  ahead_merges = Merges(*growth);
  return {};
}

}  // namespace kith
