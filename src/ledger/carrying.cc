// One ledger ends and another continues with what was spent.
#include <fmt/format.h>

#include <map>

#include "base/clock.h"
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
  steps.push_back({Entry(), view});
  Entry& entry = steps.front().entry;
  entry.position = view.position + 1;
  entry.kind = Kind::kSeal;
  entry.number = 1;
  entry.unix_seconds = UnixSeconds();
  entry.policy = binding.policy;
  entry.subject = successor;
  if (const auto wrong = steps.front().after.Add(entry)) return InternalError(*wrong);
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
    for (const auto& [amount, set] : cells) {
      Posting posting;
      posting.cells = store->book().Of(set);
      posting.covers = covers;
      posting.neighbours = neighbours;
      posting.amount = amount;
      postings.push_back(std::move(posting));
    }
  };
  const auto content = apart ? ledger::Neighbours::kContent : ledger::Neighbours::kBoth;
  add(carry.moves, Covers::kMove, content);
  add(carry.any, Covers::kAny, content);
  if (apart) add(carry.presence, Covers::kAny, ledger::Neighbours::kPresence);
  for (const OneSidedAccount& account : carry.released) {
    // One posting names one rule, and charges something: the first one all but a unit for each of the others.
    std::int64_t left = account.spent.count();
    for (std::size_t k = account.rules.size(); k-- > 0;) {
      Posting posting;
      posting.account = std::string(ledger::kOneSided).append(account.name);
      posting.cells = store->book().Of({});
      posting.covers = Covers::kAny;
      posting.amount = k == 0 ? std::max<std::int64_t>(left, 1) : 1;
      left -= posting.amount;
      posting.rule = account.rules[k];
      postings.push_back(std::move(posting));
    }
  }
  for (const AnalystAccount& account : carry.analysts) {
    Posting posting;
    posting.account = std::string(ledger::kAnalyst).append(account.name);
    posting.cells = store->book().Of({});
    posting.covers = Covers::kAny;
    posting.amount = account.spent.count();
    postings.push_back(std::move(posting));
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
  steps.reserve(3);
  const std::string question = fmt::format("carried over from '{:.100}'", carry.name), text = "carried over";
  const std::string digest = Sha256(text);
  const DataState same = view.data;
  const auto add = [&](Entry entry) -> Result<void> {
    steps.push_back({std::move(entry), steps.empty() ? view : steps.back().after});
    Step& step = steps.back();
    step.entry.position = step.after.position + 1;
    if (const auto wrong = step.after.Add(step.entry))
      return BudgetExhausted("what was spent cannot be carried over: " + *wrong, places.file.string());
    return {};
  };
  Entry charge;
  charge.kind = Kind::kCharge;
  charge.number = view.charges + 1;
  charge.unix_seconds = UnixSeconds();
  charge.policy = binding.policy;
  charge.subject = question;
  charge.answer_key = key;
  charge.carried = true;
  charge.postings = CarriedPostings(carry);
  if (auto done = add(charge); !done) return done;
  // Before the first data of a ledger nothing is merged here: their entry does it, unless public columns are fixed.
  if (carry.moved && (view.data.number > 0 || binding.fixed_cells)) {
    if (auto done = add(Replacement(steps.back().after, same, true)); !done) return done;
  }
  Entry answer;
  answer.kind = Kind::kAnswer;
  answer.number = charge.number;
  answer.unix_seconds = charge.unix_seconds;
  answer.answer_key = key;
  answer.digest = digest;
  if (auto done = add(answer); !done) return done;
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
