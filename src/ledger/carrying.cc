// One ledger ends and another continues with what was spent.
#include <fmt/format.h>

#include <map>

#include "base/digest.h"
#include "ledger/state.h"

namespace kith {

using ledger::Entry;
using ledger::Kind;
using ledger::Posting;

Result<void> Ledger::State::Seal(const std::string& successor) {
  auto transaction = BeginWrite();
  if (!transaction) return transaction.error();
  if (view.closed && view.closed->sealed) {
    if (view.closed->successor == successor) return {};
    return InvalidArgument(fmt::format("the ledger is sealed and continues in '{:.120}'", view.closed->successor),
                           places.file.string(), "carry that one on");
  }
  if (auto may = MayCharge(); !may) return may;
  std::vector<Step> steps;
  const auto wrong = Next(steps, {.kind = Kind::kSeal, .number = 1, .policy = binding.policy, .subject = successor});
  if (wrong) return InternalError(*wrong);
  return Write(*transaction, std::move(steps));
}

std::vector<Posting> Ledger::State::CarriedPostings(const LedgerCarry& carry) {
  std::vector<Posting> postings;
  const bool apart = !carry.presence.empty();
  const auto add = [&](const std::vector<PlainUnits>& amounts, Covers covers, ledger::Neighbours neighbours) {
    std::map<std::int64_t, ledger::CellSet> cells;
    for (std::size_t cell = 0; cell < amounts.size(); ++cell) {
      if (amounts[cell].count() > 0) cells[amounts[cell].count()].push_back(cell);
    }
    for (const auto& [amount, set] : cells)
      postings.push_back(
          {.cells = store->book().Of(set), .neighbours = neighbours, .covers = covers, .amount = amount});
  };
  const auto content = apart ? ledger::Neighbours::kContent : ledger::Neighbours::kBoth;
  add(carry.moves, Covers::kMove, content);
  add(carry.any, Covers::kAny, content);
  if (apart) add(carry.presence, Covers::kAny, ledger::Neighbours::kPresence);
  for (const OneSidedAccount& account : carry.released) {
    // One posting names one rule, and charges something: the first one all but a unit for each of the others.
    std::int64_t left = account.spent.count();
    for (std::size_t k = account.rules.size(); k-- > 0;) {
      postings.push_back({.account = std::string(ledger::kOneSided).append(account.name),
                          .cells = store->book().Of({}),
                          .covers = Covers::kAny,
                          .amount = k == 0 ? std::max<std::int64_t>(left, 1) : 1,
                          .rule = account.rules[k]});
      left -= postings.back().amount;
    }
  }
  for (const AnalystAccount& account : carry.analysts) {
    postings.push_back({.account = std::string(ledger::kAnalyst).append(account.name),
                        .cells = store->book().Of({}),
                        .covers = Covers::kAny,
                        .amount = account.spent.count()});
  }
  return postings;
}

Result<void> Ledger::State::Carry(const LedgerCarry& carry) {
  if (windows) {
    return InvalidArgument("what the steps of a stream lost cannot be carried over", places.file.string(),
                           "keep the ledger of the stream");
  }
  if (view.gaussian) {
    return InvalidArgument("a ledger that counts with a delta takes over nothing from another one",
                           places.file.string(), "keep both ledgers");
  }
  if (auto accepted = Accept(); !accepted) return accepted;
  const auto fits = [&](const auto& amounts) { return amounts.size() == binding.cells.size(); };
  if (!fits(carry.moves) || !fits(carry.any) || !(carry.presence.empty() || fits(carry.presence)))
    return InvalidArgument("what is carried over is about other cells");
  auto transaction = BeginWrite();
  if (!transaction) return transaction.error();
  if (auto may = MayCharge(); !may) return may;
  const std::string key = HmacSha256(store->birth().secret, "carried over from " + carry.from);
  const auto before = store->FindAnswerByKey(key);
  if (!before) return before.error();
  if (*before) return {};  // done, by a caller that was interrupted afterwards or came first
  std::vector<Step> steps;
  const std::string question = fmt::format("carried over from '{:.100}'", carry.name), text = "carried over";
  const std::string digest = Sha256(text);
  const DataState same = view.data;
  auto wrong = Next(steps, {.kind = Kind::kCharge,
                            .number = view.charges + 1,
                            .policy = binding.policy,
                            .subject = question,
                            .answer_key = key,
                            .carried = true,
                            .postings = CarriedPostings(carry)});
  // Before the first data of a ledger nothing is merged here: their entry does it, unless public columns are fixed.
  if (!wrong && carry.moved && (view.data.number > 0 || binding.fixed_cells))
    wrong = Next(steps, Replacement(same, true));
  if (!wrong)
    wrong = Next(steps, {.kind = Kind::kAnswer, .number = view.charges + 1, .answer_key = key, .digest = digest});
  if (wrong) return BudgetExhausted("what was spent cannot be carried over: " + *wrong, places.file.string());
  return Write(*transaction, std::move(steps), &text);
}

Result<void> Ledger::Seal(const std::string& successor) {
  const std::lock_guard lock(state_->mutex);
  return state_->Seal(successor);
}

Result<std::optional<std::string>> Ledger::Successor() const {
  return state_->Read([&](State& at) -> Result<std::optional<std::string>> {
    const auto& closed = at.view.closed;
    if (!closed || !closed->sealed) return std::optional<std::string>();
    return std::optional<std::string>(closed->successor);
  });
}

Result<void> Ledger::Carry(const LedgerCarry& carry) {
  const std::lock_guard lock(state_->mutex);
  return state_->Carry(carry);
}

}  // namespace kith
