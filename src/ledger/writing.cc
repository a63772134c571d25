// Charges, replacements of the data and stored answers: whatever adds to a ledger.
#include <fmt/format.h>

#include <algorithm>

#include "base/clock.h"
#include "base/digest.h"
#include "ledger/checks.h"
#include "ledger/marker.h"
#include "ledger/state.h"

namespace kith {

using ledger::Entry;
using ledger::Kind;
using ledger::Transaction;
using ledger::View;
using ledger::Windows;

Result<void> Ledger::State::Seal(Transaction& transaction, const std::vector<Sealed>& entries, View next,
                                 const std::string* answer) {
  for (const Sealed& each : entries) {
    if (auto done = store->Append(each.entry, each.head); !done) return done;
  }
  if (answer != nullptr) {
    if (auto done = store->AppendText(entries.back().entry.position, *answer); !done) return done;
  }
  if (auto done = store->WriteSummary(next); !done) return done;
  if (auto done = transaction.Commit(); !done) return done;
  const bool charged = next.charges > view.charges;
  view = std::move(next);
  for (const Sealed& each : entries) {
    if (windows) windows->Follow(each.entry, *reader);
  }
  if (auto there = store->StillInPlace(); !there)
    return there;  // a commit to a file that nobody will find is no charge
  if (charged) ledger::NoteCharges(places, store->birth().ledger_id, view.charges);
  return {};
}

Entry Ledger::State::Replacement(const View& before, const DataState& data, bool merged) const {
  Entry entry;
  entry.position = before.position + 1;
  entry.kind = Kind::kData;
  entry.number = before.data.number + 1;
  entry.unix_seconds = UnixSeconds();
  entry.policy = binding.policy;
  entry.question = data.label;
  entry.answer_key = data.import;
  entry.how = merged ? 1 : 0;
  return entry;
}

Result<void> Ledger::State::CheckSteps(const ChargeRequest& request, const ledger::CellSet& cells,
                                       const Windows& sums) {
  const auto before = store->FindChargeByKey(request.answer_key);
  if (!before) return before.error();
  if (*before) {
    return InvalidArgument(fmt::format("this step was charged before (entry {})", (*before)->number), {},
                           "a step is released once: its answer is stored, or was lost in a crash");
  }
  if (request.units.count() == 0 || cells.empty()) return {};
  const auto largest = sums.Around(request.step->tick, request.step->window);
  auto after = largest;
  for (const std::size_t cell : cells) after[cell] += request.units.count();  // every such window holds the step
  return ledger::CheckLimits(largest, after, request.limits, binding.cells);
}

Result<LedgerEntry> Ledger::State::Charge(const ChargeRequest& request) {
  const auto cells = ledger::ChargedCells(request, view.totals.size());
  if (!cells) return cells.error();
  if (auto fine = ledger::CheckStep(request.step, windows.has_value()); !fine) return fine.error();
  if (auto fine = ledger::CheckOneSided(request, windows.has_value()); !fine) return fine.error();
  const std::string question =
      request.one_sided ? ledger::WithOneSided(*request.one_sided, request.question) : request.question;
  auto transaction = BeginWrite();
  if (!transaction) {
    Error failed = transaction.error();
    failed.next = "nothing was charged" + (failed.next.empty() ? "" : "; " + failed.next);
    return failed;
  }
  if (request.data != view.data.number) {
    return StorageError("the data were replaced while the question was asked", places.file.string(),
                        "ask again; nothing was charged");
  }
  std::vector<Sealed> added;
  View before = view;
  const DataState same = view.data;
  if (MustMerge()) {
    const Entry merging = Replacement(view, same, true);
    if (const auto beyond = before.Add(merging, *reader))
      return BudgetExhausted("the budget does not allow this charge: " + *beyond);
    added.push_back({merging, before.head});
  }
  const std::string encoded = ledger::EncodeCells(*cells);
  Entry entry;
  entry.position = before.position + 1;
  entry.kind = Kind::kCharge;
  entry.number = before.charges + 1;
  entry.unix_seconds = UnixSeconds();
  entry.units = request.units.count();
  entry.cells = encoded;
  entry.policy = binding.policy;
  entry.question = question;
  entry.answer_key = request.answer_key;
  if (request.step) entry.tick = request.step->tick;
  entry.how = static_cast<std::int64_t>(request.covers);
  View next = before;
  if (const auto beyond = next.Add(entry, *reader))
    return BudgetExhausted("the budget does not allow this charge: " + *beyond);
  if (windows) {
    auto within = CheckSteps(request, *cells, added.empty() ? *windows : CountedWindows());
    if (!within) return within.error();
  } else if (entry.units > 0 && !cells->empty()) {
    auto within = ledger::CheckLimits(before.totals, next.totals, request.limits, binding.cells);
    if (!within) return within.error();
  }
  if (request.one_sided) {
    auto within = ledger::CheckOneSidedLimit(view.one_sided, *request.one_sided);
    if (!within) return within.error();
  }
  LedgerEntry charged{entry.number, next.head};
  added.push_back({entry, next.head});
  if (auto done = Seal(*transaction, added, std::move(next)); !done) return done.error();
  return charged;
}

Result<DataState> Ledger::State::ReplaceData(std::int64_t before, const std::string& label, const std::string& import) {
  if (auto fine = ledger::CheckData(label, import); !fine) return fine.error();
  auto transaction = BeginWrite();
  if (!transaction) return transaction.error();
  if (view.data.number != before) return view.data;
  const DataState data{before + 1, label, import};
  const Entry entry = Replacement(view, data, view.charged && !binding.fixed_cells);
  View next = view;
  if (const auto beyond = next.Add(entry, *reader)) {
    return BudgetExhausted("the data cannot be replaced: " + *beyond, places.file.string(),
                           "nothing can be asked any more under this ledger");
  }
  std::string head = next.head;
  if (auto done = Seal(*transaction, {{entry, std::move(head)}}, std::move(next)); !done) return done.error();
  return view.data;
}

Result<void> Ledger::State::StoreAnswer(const LedgerEntry& entry, const std::string& answer_key,
                                        const std::string& answer) {
  auto transaction = BeginWrite();
  if (!transaction) return transaction.error();
  const auto charge = store->FindCharge(entry.number);
  if (!charge) return charge.error();
  if (!*charge || (*charge)->head != entry.head || (*charge)->answer_key != answer_key) {
    return InvalidArgument(fmt::format("entry {} of the ledger is not the charge of this answer", entry.number),
                           places.file.string());
  }
  const std::string digest = Sha256(answer);
  const auto old = store->FindAnswerTo(entry.number);
  if (!old) return old.error();
  if (*old) {
    if ((*old)->digest == digest) return {};
    return InvalidArgument(fmt::format("entry {} of the ledger has another answer already", entry.number),
                           places.file.string());
  }
  Entry added;
  added.position = view.position + 1;
  added.kind = Kind::kAnswer;
  added.number = entry.number;
  added.unix_seconds = UnixSeconds();
  added.answer_key = answer_key;
  added.answer_digest = digest;
  View next = view;
  if (const auto wrong = next.Add(added, *reader)) return InternalError(*wrong);
  std::string head = next.head;
  return Seal(*transaction, {{added, std::move(head)}}, std::move(next), &answer);
}

}  // namespace kith
