// Charges, replacements of the data and stored answers: everything that adds to a ledger.
#include <fmt/format.h>

#include <algorithm>

#include "base/clock.h"
#include "base/digest.h"
#include "base/meter.h"
#include "ledger/checks.h"
#include "ledger/marker.h"
#include "ledger/state.h"

namespace kith {

using ledger::Entry;
using ledger::Kind;
using ledger::Posting;
using ledger::Transaction;
using ledger::View;
using ledger::Windows;

Result<void> Ledger::State::Write(Transaction& transaction, std::vector<Step> steps, const std::string* answer) {
  const Meter::Pause whole;
  for (const Step& step : steps) {
    if (auto done = store->Append(step.entry, step.after.head); !done) return done;
  }
  if (answer != nullptr) {
    if (auto done = store->AppendText(steps.back().entry.position, *answer); !done) return done;
  }
  if (auto done = store->WriteSummary(steps.back().after); !done) return done;
  if (auto done = transaction.Commit(); !done) return done;
  const bool charged = steps.back().after.charges > view.charges;
  for (const Step& step : steps) Follow(step.entry, step.after);
  view = std::move(steps.back().after);
  known_at = written_at;
  if (auto there = store->StillInPlace(); !there)
    return there;  // a commit to a file that nobody will find is not a charge
  if (charged) ledger::NoteCharges(places, store->birth().ledger_id, view.charges);
  return {};
}

Result<void> Ledger::State::MayCharge() const {
  if (!view.closed) return MayGoOn();
  const View::Obstacle& obstacle = *view.closed;
  if (obstacle.sealed) {
    return InvalidArgument(
        fmt::format("the ledger is sealed (entry {}): nothing is charged to it any more", obstacle.position),
        places.file.string(), fmt::format("it continues in '{:.120}'", obstacle.successor));
  }
  return InvalidArgument(fmt::format("entry {} of the ledger {}, which this version of kith cannot account for",
                                     obstacle.position, obstacle.what),
                         places.file.string(), "use the version that wrote it, or a newer one; nothing was charged");
}

std::optional<std::string> Ledger::State::Next(std::vector<Step>& steps, Entry entry) const {
  Step step{std::move(entry), steps.empty() ? view : steps.back().after};
  step.entry.position = step.after.position + 1;
  step.entry.unix_seconds = UnixSeconds();
  auto wrong = step.after.Add(step.entry);
  steps.push_back(std::move(step));
  return wrong;
}

Entry Ledger::State::Replacement(const DataState& data, bool merged) const {
  return {.kind = Kind::kVersion,
          .number = view.data.number + 1,
          .policy = binding.policy,
          .subject = data.label,
          .answer_key = data.import,
          .merged = merged};
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

Entry Ledger::State::ChargeEntry(const ChargeRequest& request, const ledger::CellSet& cells) {
  Entry entry{.kind = Kind::kCharge,
              .number = view.charges + 1,
              .caller = request.caller,
              .policy = binding.policy,
              .subject = request.question,
              .answer_key = request.answer_key,
              .once = request.step.has_value()};
  Posting plain{
      .level = request.level, .covers = request.covers, .tick = request.step ? request.step->tick : ledger::kNoStep};
  const auto post = [&](const ledger::CellSet& paying, PlainUnits units, std::optional<PlainUnits> presence) {
    plain.cells = store->book().Of(paying);
    plain.neighbours = presence && *presence != units ? ledger::Neighbours::kContent : ledger::Neighbours::kBoth;
    plain.amount = units.count();
    entry.postings.push_back(plain);
    if (plain.neighbours == ledger::Neighbours::kBoth) return;
    plain.neighbours = ledger::Neighbours::kPresence;
    plain.amount = presence->count();
    entry.postings.push_back(plain);
  };
  const bool pure = !request.gaussian || request.gaussian->pure || request.gaussian->mu == 0;
  if (request.parts.empty() && pure) post(cells, request.units, request.presence);
  if (request.gaussian && request.gaussian->mu > 0) {
    plain.neighbours = ledger::Neighbours::kBoth;
    plain.cells = store->book().Of(cells);
    plain.loss = ledger::LossKind::kMu;
    plain.amount = request.gaussian->mu;
    entry.postings.push_back(plain);
    plain.loss = ledger::LossKind::kDelta;
    plain.amount = request.gaussian->delta;
    if (plain.amount > 0) entry.postings.push_back(plain);
  }
  if (request.beside && request.beside->delta > 0) {
    Posting beside = plain;
    beside.neighbours = ledger::Neighbours::kBoth;
    beside.covers = Covers::kAny;
    beside.cells = store->book().Of(cells);
    beside.loss = ledger::LossKind::kDelta;
    beside.amount = request.beside->delta;
    entry.postings.push_back(std::move(beside));
  }
  for (const CellCharge& part : request.parts) {
    ledger::CellSet paying(part.cells.begin(), part.cells.end());
    std::sort(paying.begin(), paying.end());
    post(paying, part.units, part.presence);
  }
  if (const std::int64_t used = ledger::UsedOf(request); request.allowance && used > 0) {
    entry.postings.push_back({.account = std::string(ledger::kAnalyst).append(request.caller),
                              .cells = store->book().Of({}),
                              .covers = Covers::kAny,
                              .amount = used});
  }
  if (request.one_sided) {
    entry.postings.push_back({.account = std::string(ledger::kOneSided).append(request.one_sided->account),
                              .cells = store->book().Of({}),
                              .covers = Covers::kAny,
                              .amount = request.one_sided->units.count(),
                              .rule = request.one_sided->rule});
  }
  return entry;
}

Result<ledger::CellSet> Ledger::State::CheckRequest(const ChargeRequest& request) const {
  auto cells = ledger::ChargedCells(request, binding.cells.size());
  if (!cells) return cells;
  if (binding.joined && !cells->empty() && cells->size() < binding.cells.size())
    return InternalError("a charge to some of the cells, where a unit may be in any of them; nothing was charged");
  if (auto fine = ledger::CheckCaller(request.caller); !fine) return fine.error();
  if (auto fine = ledger::CheckAllowance(request); !fine) return fine.error();
  if (auto fine = ledger::CheckStep(request.step, windows.has_value()); !fine) return fine.error();
  if (auto fine = ledger::CheckOneSided(request, windows.has_value()); !fine) return fine.error();
  if (auto fine = ledger::CheckLevel(request, view.totals.size()); !fine) return fine.error();
  if (auto fine = ledger::CheckParts(request, *cells); !fine) return fine.error();
  if (auto fine = ledger::CheckPresence(request); !fine) return fine.error();
  if (auto fine = ledger::CheckGaussian(request, windows.has_value()); !fine) return fine.error();
  if (auto fine = ledger::CheckBeside(request, windows.has_value()); !fine) return fine.error();
  return cells;
}

Result<LedgerEntry> Ledger::State::Charge(const ChargeRequest& request) {
  Result<LedgerEntry> charged = LedgerEntry();
  auto done = Share(
      [&]() -> Result<void> {
        const auto cells = CheckRequest(request);
        if (!cells) return cells.error();
        charged = AddCharge(request, *cells);
        return charged ? Result<void>() : charged.error();
      },
      true);
  return done ? charged : done.error();
}

Result<LedgerEntry> Ledger::State::AddCharge(const ChargeRequest& request, const ledger::CellSet& cells) {
  if (auto may = MayCharge(); !may) return may.error();
  if (request.data != view.data.number) {
    return StorageError("the data were replaced while the question was asked", places.file.string(),
                        "ask again; nothing was charged");
  }
  constexpr const char* kBeyond = "the budget does not allow this charge: ";
  std::vector<Step> steps;
  const DataState& same = lent_data.emplace_back(view.data);
  if (MustMerge()) {
    if (const auto beyond = Next(steps, Replacement(same, true))) return BudgetExhausted(kBeyond + *beyond);
  }
  if (auto within = ledger::CheckAllowanceLimit(view, request); !within) return within.error();
  const bool something = !cells.empty() && (request.gaussian ? request.gaussian->mu : request.units.count()) > 0;
  if (something && request.gaussian) {
    if (auto fits = FixCaps(request, steps); !fits) return fits.error();
  } else if (something && request.beside && (!view.gaussian || view.gaussian->open)) {
    if (auto fits = FixDeltaCaps(request, steps); !fits) return fits.error();
  } else if (something && view.gaussian) {
    return InvalidArgument("this ledger counts with a delta, under caps, and that cannot be undone",
                           places.file.string(),
                           "state the delta in [budget] again, or ask again if it is there; nothing was charged");
  }
  if (const auto beyond = Next(steps, ChargeEntry(request, cells))) return BudgetExhausted(kBeyond + *beyond);
  const View& before = steps.size() == 1 ? view : steps[steps.size() - 2].after;
  const auto& [entry, next] = steps.back();
  if (windows) {
    auto within = CheckSteps(request, cells, steps.size() == 1 ? *windows : CountedWindows());
    if (!within) return within.error();
  } else if (something && !request.gaussian) {
    auto within = ledger::CheckNested(before, next, request, binding.cells);
    if (!within) return within.error();
    // What the caps of deltas allow is about everybody's total, this charge included.
    if (request.beside && next.gaussian) {
      if (const auto still = request.beside->caps(next.PureTotals()); !still) return still.error();
    }
  }
  if (request.one_sided) {
    auto within = ledger::CheckOneSidedLimit(view, *request.one_sided);
    if (!within) return within.error();
  }
  LedgerEntry charged{entry.number, next.head};
  if (auto done = Add(std::move(steps)); !done) return done.error();
  return charged;
}

Result<void> Ledger::State::MayBeginVersion() const {
  if (!binding.one_version || view.data.number == 0 || !view.ChargedInVersion()) return {};
  return InvalidArgument(
      fmt::format("frozen = true is a promise about one version of the data, and version {} was asked about",
                  view.data.Shown()),
      "[data] frozen",
      "promise public_columns = \"fixed\" if no unit's public columns and group ever change; or remove frozen: then "
      "every cell takes the largest total, and each charge is to all");
}

Result<void> Ledger::State::JoinCells() {
  if (!binding.joined || !view.uneven || options.read_only || view.closed) return {};
  if (auto accepted = Accept(); !accepted) return accepted;
  auto transaction = BeginWrite();
  if (!transaction) return transaction.error();
  if (!view.uneven || view.closed) return {};
  const DataState same = view.data;
  std::vector<Step> steps;
  // Beyond every limit: nothing can be charged, and that is said when something is.
  if (Next(steps, Replacement(same, true))) return {};
  return Write(*transaction, std::move(steps));
}

Result<DataState> Ledger::State::ReplaceData(std::int64_t before, const std::string& label, const std::string& import) {
  if (auto fine = ledger::CheckData(label, import); !fine) return fine.error();
  if (auto accepted = Accept(); !accepted) return accepted.error();
  auto transaction = BeginWrite();
  if (!transaction) return transaction.error();
  if (view.data.number != before) return view.data;
  if (auto may = MayCharge(); !may) return may.error();
  if (auto may = MayBeginVersion(); !may) return may.error();
  const DataState data{before + 1, label, import};
  std::vector<Step> steps;
  if (const auto beyond = Next(steps, Replacement(data, view.charged && !binding.fixed_cells))) {
    return BudgetExhausted("the data cannot be replaced: " + *beyond, places.file.string(),
                           "nothing can be asked any more under this ledger");
  }
  if (auto done = Write(*transaction, std::move(steps)); !done) return done.error();
  return view.data;
}

Result<void> Ledger::State::StoreAnswer(const LedgerEntry& entry, const std::string& answer_key,
                                        const std::string& answer) {
  return Share([&] { return AddAnswer(entry, answer_key, answer); }, false);
}

Result<void> Ledger::State::AddAnswer(const LedgerEntry& entry, const std::string& answer_key,
                                      const std::string& answer) {
  const auto charge = store->FindCharge(entry.number);
  if (!charge) return charge.error();
  if (!*charge || (*charge)->head != entry.head || (*charge)->answer_key != answer_key) {
    return InvalidArgument(fmt::format("entry {} of the ledger is not the charge of this answer", entry.number),
                           places.file.string());
  }
  const std::string& digest = lent_texts.emplace_back(Sha256(answer));
  const auto old = store->FindAnswerTo(entry.number);
  if (!old) return old.error();
  if (*old) {
    if ((*old)->digest == digest) return {};
    return InvalidArgument(fmt::format("entry {} of the ledger has another answer already", entry.number),
                           places.file.string());
  }
  std::vector<Step> steps;
  const auto wrong =
      Next(steps, {.kind = Kind::kAnswer, .number = entry.number, .answer_key = answer_key, .digest = digest});
  if (wrong) return InternalError(*wrong);
  return Add(std::move(steps), &answer);
}

Result<void> Ledger::State::RaiseAlarm(const std::string& about, const std::string& found) {
  if (auto accepted = Accept(); !accepted) return accepted;
  auto transaction = BeginWrite();
  if (!transaction) return transaction.error();
  const auto same = [&](const AlarmLine& alarm) { return alarm.about == about && alarm.found == found; };
  if (std::any_of(view.alarms.begin(), view.alarms.end(), same)) return {};
  if (auto may = MayCharge(); !may) return may;
  std::vector<Step> steps;
  const auto wrong = Next(steps, {.kind = Kind::kAlarm,
                                  .number = static_cast<std::int64_t>(view.alarms.size()) + 1,
                                  .policy = binding.policy,
                                  .subject = found,
                                  .answer_key = about});
  if (wrong || steps.front().after.alarms.size() == view.alarms.size())
    return InvalidArgument("this is no alarm that a ledger keeps", places.file.string());
  return Write(*transaction, std::move(steps));
}

}  // namespace kith
