#include "release/pipeline.h"

#include <fmt/format.h>

#include "loss/loss_text.h"
#include "release/compose_answer.h"

namespace kith {
namespace {

// Two questions share an answer only if nothing that could change it differs. All of this is public: whether an answer
// is given again may not depend on data.
std::string AnswerKey(const Work& work, const std::string& policy, const DataState& data, const Ledger& book) {
  std::string text = work.normalised + "\n" + policy + "\n" + VersionText(data);
  for (const auto& share : work.priced.shares) text += fmt::format("\n{}", share.count());
  return book.KeyOf(text);
}

// The charge stands whatever happens now; the analyst must know.
Error AfterCharge(Error error, const LedgerEntry& entry, PlainUnits units) {
  error.what += fmt::format(" (entry {} of the ledger stays: a plain loss of {} was charged before data were read)",
                            entry.number, LossText(units.epsilon()));
  const char* again = "no answer was kept, so asking again is charged again";
  error.next = error.next.empty() ? again : error.next + "; " + again;
  return error;
}

// Whoever stops a question, or meets a full disk, wants to know what it cost.
Error BeforeCharge(Error error) {
  if (error.code == Code::kCancelled || error.code == Code::kStorage) error.what += "; nothing was charged";
  return error;
}

// A disk that fails in the middle: too much may be counted, never too little.
Error WhileCharging(Error error) {
  if (error.code == Code::kStorage) error.what += "; the question was not answered, but its charge may be counted";
  return error;
}

Result<std::optional<Answer>> Given(Result<Answer> answer) {
  if (!answer) return answer.error();
  return std::optional<Answer>(std::move(*answer));
}

}  // namespace

std::string VersionText(const DataState& data) {
  return data.label.empty() ? fmt::format("version number {}", data.number) : "version named " + data.label;
}

Result<Answer> Curator::State::Again(const StoredAnswer& stored, const Ledger& book, const DataState& data) const {
  auto answer = AnswerFromJson(stored.answer);
  if (!answer) return answer;
  answer->stored = true;
  const auto totals = TotalsOf(book);
  if (!totals) return totals.error();
  auto meanwhile = GuaranteeOf(policy, account, *totals);
  if (!meanwhile) return meanwhile.error();
  answer->certificate.guarantee = std::move(*meanwhile);
  answer->certificate.guarantee.version = data.Shown();  // of the answer, whatever is current by now
  return answer;
}

Result<Answer> Curator::State::Compute(const Work& work, const OpenedData& data, const Ledger& charged,
                                       const LedgerEntry& entry) const {
  auto answer = work.compute(*data.engine, work.priced);
  if (!answer) return answer;
  const auto totals = TotalsOf(charged);
  if (!totals) return totals.error();
  auto guarantee = GuaranteeOf(policy, account, *totals);
  if (!guarantee) return guarantee.error();
  guarantee->version = data.data.Shown();
  Certify(work.priced, std::move(*guarantee), entry, *answer);
  return answer;
}

Result<std::optional<Answer>> Curator::State::TryRelease(const Work& work, const Call& call) const {
  const auto data = OpenData(call);
  if (!data) return BeforeCharge(data.error());
  const auto book = OpenLedger();
  if (!book) return BeforeCharge(book.error());
  const auto totals = TotalsOf(**book);
  if (!totals) return BeforeCharge(totals.error());
  if (auto allowed = AllowsNoisyAnswers(policy, totals->released); !allowed) return allowed.error();

  const std::string key = AnswerKey(work, Binding().policy, data->data, **book);
  if (const auto stored = (*book)->FindAnswer(key); !stored || *stored)
    return stored ? Given(Again(**stored, **book, data->data)) : BeforeCharge(stored.error());
  // Whoever asks the same at this moment waits here, and then finds the answer.
  const auto turn = (*book)->Lock(key, call.cancel);
  if (!turn) return BeforeCharge(turn.error());
  if (const auto stored = (*book)->FindAnswer(key); !stored || *stored)
    return stored ? Given(Again(**stored, **book, data->data)) : BeforeCharge(stored.error());

  if (call.cancel.cancelled()) return Cancelled("stopped; nothing was charged");
  ChargeRequest charge{work.priced.total, ChargedCells(work.charged), account.Limits(totals->moved), work.normalised,
                       key};
  charge.one_sided = work.one_sided;
  charge.data = data->data.number;
  charge.covers = work.covers;
  const auto entry = (*book)->Charge(charge);
  if (!entry) {
    const auto now = (*book)->Data();
    if (now && now->number != data->data.number) return std::optional<Answer>();
    const bool plain = !entry.error().what.starts_with("the one-sided account");
    return entry.error().code == Code::kBudgetExhausted && plain ? WhatIsLeft(entry.error(), work.charged)
                                                                 : WhileCharging(entry.error());
  }
  auto answer = Compute(work, *data, **book, *entry);
  if (!answer) return AfterCharge(answer.error(), *entry, work.priced.total);
  const auto kept = (*book)->StoreAnswer(*entry, key, AnswerToJson(*answer));
  if (!kept)
    answer->notes.push_back({NoteKind::kNotKept, "the answer could not be stored: asking again will be charged again"});
  return std::optional<Answer>(std::move(*answer));
}

Result<Answer> Curator::State::Release(const Work& work, const Call& call) const {
  constexpr int kAttempts = 5;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    auto answer = TryRelease(work, call);
    if (!answer) return answer.error();
    if (*answer) return std::move(**answer);
  }
  return StorageError("the data keep being replaced while the question is asked; it was not answered", {},
                      "ask again when the import is over (two policies that declare different versions of the data "
                      "cannot use one ledger at the same time); the budget shows what was charged")
      .For("budget");
}

}  // namespace kith
