#include "release/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "ledger/checks.h"
#include "loss/loss_text.h"
#include "release/compose_answer.h"
#include "release/cut_rows.h"
#include "release/delta_price.h"
#include "release/price_left.h"
#include "release/strata.h"
#include "release/whole_ticks.h"

namespace kith {
namespace {

constexpr char kOneSidedAccount[] = "account.one_sided";  // what the ledger says if that account is full
constexpr char kAllowance[] = "account.allowance";        // the same for the caller's allowance

// Approval is only about the price, and so is this: what was spent does not matter.
Result<void> NeedsNoApproval(const Caller& caller, const ChargeRequest& request) {
  const std::int64_t price = ledger::UsedOf(request);
  if (!caller.at_most || price <= caller.at_most->count()) return {};
  return Unsupported(
             fmt::format("a plain price above {} needs a curator's approval; nothing was charged",
                         LeftText(caller.at_most->epsilon())),
             fmt::format("the price is {}", LossText(PlainUnits::Of(std::min(price, PlainUnits::kMax)).epsilon())),
             "ask for less, or have the question approved first")
      .For("approval");
}

// A disk that fails in the middle: too much may be counted, never too little.
Error WhileCharging(Error error) {
  if (error.code == Code::kStorage) error.what += "; the question was not answered, but its charge may be counted";
  return error;
}

// A refusal for lack of budget, with the price that would still do.
Error WhatIsLeft(Error refusal, const CuratorState& curator, const Release& release) {
  const auto totals = curator.TotalsSoFar();
  if (!totals || !CapsStand(curator.account, *totals)) return refusal;  // no price would do: the ledger says what would
  const double price =
      PriceLeft(curator.account, *totals, {release.charged, release.covers, release.level, release.priced.strata},
                curator.policy.epsilon_total);
  const double shown = std::floor(price * 1e4) / 1e4;
  refusal.next =
      shown > 0 ? fmt::format("an epsilon of at most {} is left for this question; the budget shows what was spent",
                              LeftText(shown))
                : "nothing is left for the people whom this question is about; the budget shows what was spent";
  refusal.parameter = "price.epsilon";
  // The ledger names the first cell that is full; a question about several is not about that one.
  const std::vector<bool>& charged = release.charged;
  const std::size_t cells = ChargedCells(charged).size();
  if (cells == charged.size()) refusal.where.clear();
  if (cells > 1 && cells < charged.size()) refusal.where = fmt::format("{} of {} public cells", cells, charged.size());
  return refusal;
}

}  // namespace

Error BeforeCharge(Error error) {
  if (error.code == Code::kCancelled || error.code == Code::kStorage) error.what += "; nothing was charged";
  error.charged = Charged::kNo;
  return error;
}

std::string VersionText(const DataState& data) {
  return data.label.empty() ? fmt::format("version number {}", data.number) : "version named " + data.label;
}

std::string KeyTextOf(const std::string& question, const std::string& policy, const DataState& data, UnitLevel level,
                      bool lacks_intervals, const Priced& priced) {
  std::string text = question + "\n" + policy + "\n" + VersionText(data);
  if (level == UnitLevel::kHousehold) text += "\nabout households";  // no share reads like this
  if (lacks_intervals) text += "\nwithout intervals";                // nor like this
  for (const auto& share : priced.shares) text += fmt::format("\n{}", share.count());
  for (const std::int64_t share : priced.mu_shares) text += fmt::format("\nmu {}", share);
  for (const PricedStratum& stratum : priced.strata) {
    text += "\nin " + stratum.name;
    for (const auto& share : stratum.priced.shares) text += fmt::format("\n{}", share.count());
  }
  return text;
}

std::string Release::KeyText(const std::string& policy, const DataState& data) const {
  const std::string& name = key_name.empty() ? normalised : key_name;
  const std::string text = KeyTextOf(name, policy, data, level, lacks_intervals, priced);
  return delta == 0 ? text : text + fmt::format("\ndelta {}", delta);
}

Result<void> Release::UseMu(std::int64_t) { return InternalError("this release has no normal noise"); }
Result<void> Release::UseDelta(std::optional<std::int64_t>, std::int64_t) {
  return InternalError("this release has no delta");
}
Result<double> Release::Noisiness() const { return InternalError("this release has one law of noise"); }

// As it was given then, with the present totals.
Result<std::optional<Answer>> Release::FindStored(const Pipeline& pipeline, bool) {
  if (repeat != Repeat::kFromLedger) return std::optional<Answer>();
  Result<std::optional<Answer>> stored = std::optional<Answer>();
  auto looked = pipeline.records().AtOneMoment([&]() -> Result<void> {
    stored = StoredAnswerUnder(pipeline.key(), pipeline);
    return stored ? Result<void>() : stored.error();
  });
  return looked ? stored : looked.error();
}

namespace {

Result<std::optional<Answer>> AsOfNow(const Result<std::optional<StoredAnswer>>& stored, const Pipeline& pipeline) {
  if (!stored) return stored.error();
  if (!*stored) return std::optional<Answer>();
  auto answer = AnswerFromJson((*stored)->answer);
  if (!answer) return answer.error();
  answer->stored = true;
  const auto totals = pipeline.curator().TotalsOf(pipeline.records());
  if (!totals) return totals.error();
  auto meanwhile = GuaranteeOf(pipeline.curator().policy, pipeline.curator().account, *totals);
  if (!meanwhile) return meanwhile.error();
  answer->certificate.guarantee = std::move(*meanwhile);
  answer->certificate.guarantee.version = pipeline.data().Shown();  // of the answer, whatever is current by now
  return std::optional<Answer>(std::move(*answer));
}

}  // namespace

Result<std::optional<Answer>> StoredAnswerUnder(const std::string& key, const Pipeline& pipeline) {
  return AsOfNow(pipeline.records().FindAnswer(key), pipeline);
}

Result<std::optional<Answer>> StoredAnswerOf(std::int64_t number, const Pipeline& pipeline) {
  return AsOfNow(pipeline.records().AnswerTo(number), pipeline);
}

Result<void> Release::Certify(const Pipeline& pipeline, Answer& answer) const {
  // First, so that this certificate also names it.
  if (!answer.alarm.empty()) {
    if (auto kept = pipeline.RaiseAlarm(answer.alarm); !kept) return kept.error();
  }
  const auto totals = pipeline.curator().TotalsOf(pipeline.records());
  if (!totals) return totals.error();
  auto guarantee = GuaranteeOf(pipeline.curator().policy, pipeline.curator().account, *totals);
  if (!guarantee) return guarantee.error();
  guarantee->version = pipeline.data().Shown();
  kith::Certify(priced, std::move(*guarantee), pipeline.entry(), answer);
  if (delta > 0) answer.certificate.delta = Loss::Of(LossKind::kDelta, delta).value().value(LossKind::kDelta);
  if (by_caps) {
    const auto mu = MuSquaredOf(*this, pipeline.curator().policy);
    if (!mu) return mu.error();
    answer.certificate.mu = std::sqrt(Loss::Of(LossKind::kMu, *mu).value().value(LossKind::kMu));
    // For what has a delta, the study itself names the claims.
    if (delta == 0) answer.certificate.claims.emplace_back(priced.mu_shares.empty() ? "CAP-3" : "CAP-4");
  }
  answer.certificate.unit = level;
  if (pipeline.curator().account.nested()) answer.certificate.claims.emplace_back("NEST-1");
  return {};
}

std::string Release::Kept(const Answer& answer) const { return AnswerToJson(answer); }

Pipeline::Pipeline(const CuratorState& curator, Ledger& book, OpenedData data, const Release& release,
                   const Caller& caller, const CancelFlag& cancel)
    : curator_(curator),
      ledger_(book),
      data_(std::move(data)),
      vault_(curator.policy, *data_.engine, cancel),
      release_(release),
      caller_(caller),
      key_(book.KeyOf(release.KeyText(release.reads.empty() ? curator.binding.policy : release.reads, data_.data))) {}

Result<void> Pipeline::RaiseAlarm(const std::string& found) const {
  return ledger_.RaiseAlarm(curator_.policy.dependence.Declaration(), found);
}

bool Pipeline::replaced() const {
  const auto now = ledger_.Data();
  return now && now->number != data_.data.number;
}

// The charge remains whatever happens now; the analyst must know.
Error Pipeline::AfterCharge(Error error) const {
  PlainUnits plain;
  for (const Made& made : made_) plain = PlainUnits::CutSum(plain, made.units);
  std::string loss;
  if (release_.by_caps)
    loss = "the Gaussian loss of the whole price";
  else if (plain.count() > 0 || !release_.one_sided)
    loss = "a plain loss of " + LossText(plain.epsilon());
  if (release_.delta > 0) loss += ", and its delta,";
  if (release_.one_sided)
    loss += (loss.empty() ? "" : " and ") + ("a one-sided loss of " + LossText(release_.one_sided->units.epsilon()));
  error.what +=
      fmt::format(" (entry {} of the ledger stays: {} was charged before data were read)", entry().number, loss);
  const std::string again = release_.repeat == Repeat::kOnce
                                ? "this step is lost: start again, and the stream continues with the next one"
                                : "no answer was stored, so asking again is charged again";
  error.next = error.next.empty() ? again : error.next + "; " + again;
  return error;
}

Error Pipeline::Unpaid(Error error) const { return doubtful_ ? error : BeforeCharge(std::move(error)); }

Charged Pipeline::charged() const {
  if (!made_.empty()) return Charged::kYes;
  return doubtful_ ? Charged::kMaybe : Charged::kNo;
}

// Whether noisy answers may be given at all, and up to which totals.
Result<void> Pipeline::CheckAllowed() {
  const auto moved = ledger_.Moved();
  if (!moved) return BeforeCharge(moved.error());
  limits_ = curator_.account.Limits(*moved);
  if (!MindsReleasedRecords(curator_.policy)) return {};
  const auto totals = ledger_.Totals();
  if (!totals) return BeforeCharge(totals.error());
  return AllowsNoisyAnswers(curator_.policy, totals->one_sided);
}

Result<Paid> Pipeline::Charge(ChargeRequest request) {
  request.data = data_.data.number;
  request.caller = caller_.name;
  request.allowance = caller_.allowance;
  if (auto fine = NeedsNoApproval(caller_, request); !fine) return fine.error();
  if (caller_.only_version && *caller_.only_version != data_.data.Shown()) {
    return Unsupported("the data were replaced since this was approved; nothing was charged", {},
                       "have it approved again, for the data as they are now")
        .For("approval");
  }
  auto paid = Paid::Charge(ledger_, request);
  if (paid) {
    made_.push_back({paid->entry(), request.answer_key, request.units});
    return paid;
  }
  if (paid.error().charged == Charged::kNo) return paid;
  doubtful_ = true;
  return WhileCharging(paid.error());
}

Result<ChargeRequest> Pipeline::WholeCharge() const {
  if (release_.by_caps) return ChargeByCaps();
  ChargeRequest request{
      .units = release_.priced.total,
      .cells = ChargedCells(release_.charged),
      .limits = limits_,
      .question = release_.normalised,
      .answer_key = key_,
      .one_sided = release_.one_sided,
      .covers = release_.covers,
      .level = release_.level,
      .nested = curator_.account.nested(),
      .parts = release_.priced.strata.empty() ? std::vector<CellCharge>() : PartsOf(release_.charged, release_.priced),
      .presence = release_.priced.presence,
      .limits_presence = curator_.account.counts_presence()};
  if (curator_.account.with_delta()) request.beside = ChargeOfDelta();
  return request;
}

// At its pure value: checked against caps of deltas, if there are any or this brings them.
DeltaCharge Pipeline::ChargeOfDelta() const {
  DeltaCharge beside;
  beside.delta = release_.delta;
  beside.caps = [&account = curator_.account](const std::vector<PlainUnits>& spent) {
    return account.DeltaCapsAfter(spent);
  };
  beside.words =
      fmt::format("epsilon {}, keys_delta {}", curator_.policy.epsilon_total, curator_.policy.with_delta->keys);
  return beside;
}

// Against caps: what is lost by any change, with the pure loss next to it where there is one.
Result<ChargeRequest> Pipeline::ChargeByCaps() const {
  const auto mu = MuSquaredOf(release_, curator_.policy);
  if (!mu) return mu.error();
  const auto totals = curator_.TotalsOf(ledger_);
  if (!totals) return totals.error();
  const auto caps = CapsOf(curator_.account, *totals);
  if (!caps) return caps.error();
  GaussianCharge charge;
  charge.mu = *mu;
  charge.delta = release_.delta;
  charge.pure = release_.IsPure();
  charge.used = UsedOfBudget(*mu, SmallestCap(*caps, release_.charged), curator_.account.Budget(release_.charged));
  charge.caps = [&account = curator_.account](const std::vector<PlainUnits>& before) {
    return account.CapsAfter(before);
  };
  charge.words = fmt::format("epsilon {}, delta {}", curator_.policy.epsilon_total, curator_.policy.with_delta->delta);
  ChargeRequest request;
  request.units = charge.pure ? release_.priced.total : PlainUnits();
  request.cells = ChargedCells(release_.charged);
  request.limits = limits_;
  request.question = release_.normalised;
  request.answer_key = key_;
  request.covers = Covers::kAny;
  request.gaussian = std::move(charge);
  return request;
}

Result<void> Pipeline::PayAll() {
  auto request = WholeCharge();
  if (!request) return request.error();
  auto paid = Charge(std::move(*request));
  if (paid) {
    paid_.emplace(std::move(*paid));
    return {};
  }
  const bool plain = paid.error().parameter != kOneSidedAccount && paid.error().parameter != kAllowance;
  return paid.error().code == Code::kBudgetExhausted && plain ? WhatIsLeft(paid.error(), curator_, release_)
                                                              : paid.error();
}

Result<Paid> Pipeline::PayPart(const Part& part) {
  const bool nothing = part.wanted.count() == 0;
  const auto cells = nothing ? std::vector<std::size_t>() : ChargedCells(release_.charged);
  PlainUnits units = part.wanted;
  constexpr int kAttempts = 10;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    auto paid = Charge({.units = units,
                        .cells = cells,
                        .limits = limits_,
                        .question = part.question,
                        .answer_key = part.key,
                        .step = part.step});
    if (paid) return paid;
    if (paid.error().code != Code::kBudgetExhausted || paid.error().parameter == kAllowance) return paid.error();
    // The window has less left, or another stream came first: look, and try again.
    const auto room = ledger_.Room(part.step, cells, limits_);
    if (!room) return room.error();
    units = std::min(part.wanted, *room);
    if (units.count() == 0 || units < part.least) return Paid::Nothing();
  }
  return Paid::Nothing();
}

// The last charge first: a step that crashes between its two is then whole.
Result<void> Pipeline::StoreAnswer(Answer& answer) {
  const std::string text = release_.Kept(answer);
  for (auto made = made_.rbegin(); made != made_.rend(); ++made) {
    const auto kept = ledger_.StoreAnswer(made->entry, made->key, text);
    if (kept) continue;
    if (release_.repeat == Repeat::kOnce) return kept.error();
    if (release_.repeat == Repeat::kChargedAgain)
      answer.records->notes.push_back({NoteKind::kNotKept, "the certificate could not be kept in the ledger"});
    else
      answer.notes.push_back(
          {NoteKind::kNotKept, "the answer could not be stored: asking again will be charged again"});
  }
  return {};
}

Result<void> Pipeline::AddRemarks(const Release& release, Answer& answer) const {
  if (auto said = release.AddRemarks(*this, answer); !said) return said;
  return TellOfCutRows(curator_, ledger_, data_.data, release, answer.notes);
}

Result<Answer> Pipeline::ComputeAndCertify(Release& release, const Call& call) {
  if (release.PaidAtOnce()) {
    if (auto paid = PayAll(); !paid) return paid.error();
  }
  auto answer = [&] {
    const Stage stage(call, "computing the answer");
    auto computed = release.Compute(*this, call);
    WholeTicks::Wait();
    return computed;
  }();
  if (!answer) return made_.empty() ? Unpaid(answer.error()) : AfterCharge(answer.error());
  const Stage stage(call, "certifying the answer");
  if (auto certified = release.Certify(*this, *answer); !certified) return AfterCharge(certified.error());
  if (auto kept = StoreAnswer(*answer); !kept) return AfterCharge(kept.error());
  if (auto said = AddRemarks(release, *answer); !said) return said.error();
  return answer;
}

// Nothing if the data were replaced after they were opened: then nothing was charged. `charged`: whether anything was.
Result<std::optional<Answer>> Pipeline::Try(const CuratorState& curator, Release& release, const Caller& caller,
                                            const Call& call, Charged& charged) {
  const auto data = [&] {
    const Stage stage(call, "opening the data");
    return release.output.empty() ? curator.OpenData(call) : curator.OpenForOutput(release.output, call);
  }();
  if (!data) return BeforeCharge(data.error());
  const auto book = curator.OpenLedger();
  if (!book) return BeforeCharge(book.error());
  Pipeline pipeline(curator, **book, *data, release, caller, call.cancel);
  if (auto allowed = pipeline.CheckAllowed(); !allowed) return allowed.error();

  std::optional<QuestionLock> turn;
  for (const bool alone : {false, true}) {
    if (alone && release.repeat != Repeat::kChargedAgain) {
      // Anybody who asks the same at this moment waits here, and then finds the answer.
      const Stage stage(call, "waiting for whoever asks the same");
      auto taken = (*book)->Lock(pipeline.key_, call.cancel);
      if (!taken) return BeforeCharge(taken.error());
      turn.emplace(std::move(*taken));
    }
    auto stored = release.FindStored(pipeline, alone);
    if (!stored) return BeforeCharge(stored.error());
    if (!*stored) continue;
    if (auto said = pipeline.AddRemarks(release, **stored); !said) return said.error();
    return stored;
  }
  if (call.cancel.cancelled()) return Cancelled("stopped; nothing was charged");
  auto answer = pipeline.ComputeAndCertify(release, call);
  if (answer) return std::optional<Answer>(std::move(*answer));
  charged = pipeline.charged();
  if (charged == Charged::kNo && pipeline.replaced()) return std::optional<Answer>();
  return answer.error();
}

Result<Answer> RunPipeline(const CuratorState& curator, Release& release, const Caller& caller, const Call& call) {
  Charged charged = Charged::kNo;
  if (auto ready = release.Prepare(); !ready) return Error(ready.error()).That(charged);
  constexpr int kAttempts = 5;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    auto answer = Pipeline::Try(curator, release, caller, call, charged);
    if (!answer) return Error(answer.error()).That(charged);
    if (*answer) return std::move(**answer);
  }
  return StorageError("the data keep being replaced while the question is asked; it was not answered", {},
                      "ask again when the import is over (two policies that declare different versions of the data "
                      "cannot use one ledger at the same time); the budget shows what was charged")
      .For("budget");
}

}  // namespace kith
