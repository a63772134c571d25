#include "release/pipeline.h"

#include <fmt/format.h>

#include "base/digest.h"
#include "release/compose_answer.h"

namespace kith {
namespace {

constexpr const char* kDataChanged =
    "the data changed since the last question: this answer is about the data as they are now, and all that was spent "
    "stays spent";

// Two questions share an answer only if nothing that could change it differs.
std::string AnswerKey(const Work& work, const std::string& policy, const std::string& data_version) {
  std::string text = work.normalised + "\n" + policy + "\n" + data_version;
  for (const auto& share : work.priced.shares) text += fmt::format("\n{}", share.count());
  return Sha256(text);
}

// The charge stands whatever happens now; the analyst must know.
Error AfterCharge(Error error, const LedgerEntry& entry, PlainUnits units) {
  error.what += fmt::format(" (entry {} of the ledger stays: a plain loss of {:.4g} was charged before data were read)",
                            entry.number, units.epsilon());
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

}  // namespace

Result<Answer> Curator::State::Again(const StoredAnswer& stored, const Ledger& opened) const {
  auto answer = AnswerFromJson(stored.answer);
  if (!answer) return answer;
  answer->stored = true;
  const auto total = opened.Spent();
  if (!total) return total.error();
  const auto meanwhile = account.Dependent(*total);
  if (!meanwhile) return meanwhile.error();
  CertifyTotal(policy, *meanwhile, Largest(*total), *answer);
  const auto one_sided = opened.OneSided();
  if (!one_sided) return one_sided.error();
  answer->certificate.one_sided = OneSidedWarning(*one_sided);
  return answer;
}

Result<Answer> Curator::State::Compute(const Work& work, const Engine& opened, const Ledger& charged,
                                       const LedgerEntry& entry) const {
  auto answer = work.compute(opened, work.priced);
  if (!answer) return answer;
  const auto spent = charged.Spent();
  if (!spent) return spent.error();
  const auto dependent = account.Dependent(*spent);
  if (!dependent) return dependent.error();
  Certify(policy, work.priced, *dependent, Largest(*spent), entry, *answer);
  const auto one_sided = charged.OneSided();
  if (!one_sided) return one_sided.error();
  answer->certificate.one_sided = OneSidedWarning(*one_sided);
  return answer;
}

Result<Answer> Curator::State::Release(const Work& work, const CancelFlag& cancel) const {
  const auto data = OpenData(cancel, false);
  if (!data) return BeforeCharge(data.error());
  const std::string version = policy.data_version.empty() ? "1" : policy.data_version;
  const auto book = OpenLedger();
  if (!book) return BeforeCharge(book.error());

  const auto records = (*book)->OneSided();
  if (!records) return BeforeCharge(records.error());
  if (auto allowed = AllowsNoisyAnswers(policy, *records); !allowed) return allowed.error();

  const bool data_changed = DataChanged(version);
  const std::string key = AnswerKey(work, Binding().policy, version);
  const auto stored = (*book)->FindAnswer(key);
  if (!stored) return stored.error();
  if (*stored) {
    auto answer = Again(**stored, **book);
    if (answer && data_changed) answer->notes.push_back(kDataChanged);
    return answer;
  }

  if (cancel.cancelled()) return Cancelled("stopped; nothing was charged");
  ChargeRequest charge{work.priced.total, ChargedCells(work.charged), account.limits(), work.normalised, key};
  charge.one_sided = work.one_sided;
  const auto entry = (*book)->Charge(charge);
  if (!entry) {
    const bool plain = !entry.error().what.starts_with("the one-sided account");
    return entry.error().code == Code::kBudgetExhausted && plain ? WhatIsLeft(entry.error(), work.charged)
                                                                 : WhileCharging(entry.error());
  }
  auto answer = Compute(work, **data, **book, *entry);
  if (!answer) return AfterCharge(answer.error(), *entry, work.priced.total);
  const auto kept = (*book)->StoreAnswer(*entry, key, AnswerToJson(*answer));
  if (!kept) answer->notes.push_back("the answer could not be stored: asking again will be charged again");
  if (data_changed) answer->notes.push_back(kDataChanged);  // about this session: not kept with the answer
  return answer;
}

}  // namespace kith
