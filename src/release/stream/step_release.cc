// A step of a stream on its way out. It is charged once and, by an adaptive rule, in two parts; what became of it is in
// the ledger, no matter who asks again.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "release/allowed.h"
#include "release/analyse.h"
#include "release/compose_answer.h"
#include "release/pipeline.h"
#include "release/stream/step_study.h"
#include "release/stream/stream.h"
#include "release/stream/stream_text.h"

namespace kith {
namespace {

constexpr std::int64_t kEver = std::int64_t{1} << 60;
constexpr std::int64_t kLookBack = 1000;  // steps in which something published is looked for, if windows are short
constexpr std::int64_t kOfUse = 100;  // a release that gets less than this part of what it wants is noise, and skipped

constexpr char kPriceOfSteps[] =
    "what a step costs follows from the steps before it; the stream's guarantee covers all";

struct StepOfStream final : Release {
  StepOfStream(const ReleaseContext& on, const StepRequest& request)
      : context(on), stream(request.stream), tick(request.tick), main(request.stream->MainPart()) {}

  const ReleaseContext context;
  const std::shared_ptr<const StreamRelease> stream;
  const std::int64_t tick;
  const StepPart main;
  std::vector<StepCharge> before;  // charges of this stream's steps before this one, as far as it looks back
  StudyStep step;                  // as it is released

  std::int64_t window() const { return stream->terms().window(); }
  bool adaptive() const { return main == StepPart::kTest; }

  Result<Explanation> Explain(const Totals&) const override {
    if (!stream->question()) return ExplainStudy();
    Explanation out;
    out.plan = stream->question()->At(tick);
    out.plan.notes.push_back({NoteKind::kMethod, fmt::format("{}", kPriceOfSteps)});
    out.statements.push_back(out.plan.statement);
    return out;
  }

  std::string KeyText(const std::string&, const DataState&) const override { return stream->KeyText(main, tick); }

  bool PaidAtOnce() const override { return false; }

  // Another process that is working on this step holds its lock until the numbers are stored: before that nothing can
  // be said.
  Result<std::optional<Answer>> FindStored(const Pipeline& pipeline, bool alone) override {
    if (stream->policy() != pipeline.curator().binding.policy)
      return InvalidArgument("this stream was opened under another policy", {}, "open it again");
    if (!alone) return std::optional<Answer>();
    const std::int64_t back = adaptive() ? std::max(2 * window(), kLookBack) : window() - 1;
    auto charges = pipeline.records().Charges(stream->ChargeName(main), std::max<std::int64_t>(0, tick - back), kEver);
    if (!charges) return charges.error();
    const auto at = [this](const StepCharge& charge) { return charge.tick >= tick; };
    const auto now = std::find_if(charges->begin(), charges->end(), at);
    if (now != charges->end() && now->tick == tick) return Told(pipeline, *now);
    if (now != charges->end()) {
      return InvalidArgument(fmt::format("step {} is in the past: this stream has already reached step {}", tick,
                                         charges->back().tick),
                             {}, "streams only move forward; ask for a later step, or for another statistic")
          .For("steps");
    }
    before = std::move(*charges);
    return std::optional<Answer>();
  }

  Result<Answer> Compute(Pipeline& pipeline, const Call&) override {
    const auto past = Past(pipeline);
    if (!past) return past.error();
    const ChargeStep charge = [&](StepPart part, PlainUnits wanted) { return Pay(pipeline, part, wanted); };
    auto made = stream->question() ? Asked(*past, pipeline, charge) : Studied(*past, pipeline, charge);
    if (!made) return made.error();
    step = std::move(*made);
    return Composed(step);
  }

  Result<StudyStep> Asked(const StreamPast& past, Pipeline& pipeline, const ChargeStep& charge) const {
    const auto checked = stream->PlanAt(tick);
    if (!checked) return checked.error();
    auto numbers = ReleaseStep({.terms = stream->terms(),
                                .checked = *checked,
                                .past = past,
                                .tick = tick,
                                .vault = pipeline.vault(),
                                .charge = charge});
    if (!numbers) return numbers.error();
    return StudyStep{std::move(*numbers), {}};
  }

  Result<StudyStep> Studied(const StreamPast& past, Pipeline& pipeline, const ChargeStep& charge) const {
    const auto study = stream->StudyOfStep(tick);
    if (!study) return study.error();
    return ReleaseStudy({.terms = stream->terms(),
                         .study = **study,
                         .past = past,
                         .tick = tick,
                         .vault = pipeline.vault(),
                         .charge = charge});
  }

  // With an even share of the window: what it will get follows from the steps before.
  Result<Explanation> ExplainStudy() const {
    const auto study = stream->StudyOfStep(tick);
    if (!study) return study.error();
    Priced even;
    even.shares = SharesByWeight((*study)->Weights(), PlainUnits::Of(stream->terms().units().count() / window()));
    if (even.shares.empty())
      return BudgetExhausted("a step's share is below the smallest unit of loss", {}, "offer more");
    auto out = OutlineStudy(**study, even);
    if (out) out->plan.notes.push_back({NoteKind::kMethod, kPriceOfSteps});
    return out;
  }

  Result<void> Certify(const Pipeline& pipeline, Answer& answer) const override {
    return CertifyAt(pipeline, pipeline.entry(), answer);
  }

  std::string Kept(const Answer&) const override { return StudyToText(step); }

 private:
  std::string PartKey(const Pipeline& pipeline, StepPart part, std::int64_t at) const {
    return pipeline.records().KeyOf(stream->KeyText(part, at));
  }

  // Tests and publications get all or nothing; a release may get less than it wants, if that is still useful.
  Result<Paid> Pay(Pipeline& pipeline, StepPart part, PlainUnits wanted) const {
    const StepPart kept = part == StepPart::kPublication ? part : main;
    const std::int64_t least = part == StepPart::kRelease ? std::max((wanted.count() + kOfUse - 1) / kOfUse,
                                                                     LeastOfUse(stream->terms()).count())
                                                          : wanted.count();
    return pipeline.PayPart({.question = stream->ChargeName(kept),
                             .key = PartKey(pipeline, kept, tick),
                             .step = {tick, window()},
                             .wanted = wanted,
                             .least = PlainUnits::Of(least)});
  }

  // The text of a step: kept with its publication first, so that a crash between the two loses nothing.
  Result<std::optional<std::string>> FindStored(const Pipeline& pipeline, std::int64_t at) const {
    std::vector<StepPart> parts = {main};
    if (adaptive()) parts.push_back(StepPart::kPublication);
    for (const StepPart part : parts) {
      const auto stored = pipeline.records().FindAnswer(PartKey(pipeline, part, at));
      if (!stored) return stored.error();
      if (*stored) return std::optional<std::string>((*stored)->answer);
    }
    return std::optional<std::string>();
  }

  Result<StreamPast> Past(const Pipeline& pipeline) const {
    StreamPast past;
    past.first = tick;
    for (const StepCharge& charge : before) {
      if (charge.tick > tick - window()) past.first = std::min(past.first, charge.tick);
      if (!adaptive()) past.released.push_back({charge.tick, charge.units.count()});
    }
    if (!adaptive()) return past;
    const auto published = pipeline.records().Charges(stream->ChargeName(StepPart::kPublication),
                                                      std::max<std::int64_t>(0, tick - 2 * window()), tick - 1);
    if (!published) return published.error();
    for (const StepCharge& charge : *published) past.published.push_back({charge.tick, charge.units.count()});
    for (auto earlier = before.rbegin(); earlier != before.rend(); ++earlier) {
      const auto text = FindStored(pipeline, earlier->tick);
      if (!text) return text.error();
      if (!*text) continue;  // lost
      auto last = StepFromText(**text);
      if (!last) return last.error();
      past.last = std::move(last->noisy);
      past.last_shares = std::move(last->shares);
      break;
    }
    return past;
  }

  Result<Answer> Composed(const StudyStep& made) const {
    const StepNumbers& of = made.numbers;
    Answer answer;
    answer.columns = stream->columns();
    answer.step = StepRelease{.tick = tick,
                              .time = context.policy.stream->StepText(tick),
                              .state = of.state,
                              .charged = of.charged,
                              .window_spent = {}};
    if (!made.found.empty()) {
      auto found = FoundIn(made, stream->columns());
      if (!found) return found.error();
      found->step = answer.step;
      return found;
    }
    if (of.noisy.empty()) return answer;
    if (!stream->question()) return InternalError("a stored step is not that of a study");
    const Plan& plan = stream->question()->plan();
    if (of.noisy.size() != plan.groups() || of.shares.size() != plan.statistics.size())
      return InternalError("a stored step does not have the shape of its statistic");
    Priced paid;
    paid.shares = of.shares;
    const bool noise = std::any_of(paid.shares.begin(), paid.shares.end(), [](PlainUnits s) { return s.count() > 0; });
    if (!noise) paid.shares.assign(plan.statistics.size(), PlainUnits::Of(1));  // nothing published yet: see below
    auto laws = of.laws.empty() ? MechanismsOf(plan, paid.shares) : Result<std::vector<StatisticMechanism>>(of.laws);
    if (!laws) return laws.error();
    paid.laws = std::move(*laws);
    answer.rows = ComposeAnswer(plan, of.noisy, paid).rows;
    if (noise) return answer;
    for (auto& row : answer.rows) {
      for (AnswerCell& cell : row) cell.error_95.reset();  // the zeros before the first publication have no noise
    }
    return answer;
  }

  Result<void> CertifyAt(const Pipeline& pipeline, const LedgerEntry& entry, Answer& answer) const {
    const auto around = pipeline.records().LargestWindows(window(), tick);
    if (!around) return around.error();
    answer.step->window_spent = Largest(*around);
    Certificate& c = answer.certificate;
    c.plain_epsilon = answer.step->charged.epsilon();
    c.guarantee = stream->guarantee();
    c.claims = stream->guarantee().claims;
    c.ledger_entry = entry.number;
    c.ledger_hash = entry.head;
    return {};
  }

  // What became of a step that was charged before.
  Result<std::optional<Answer>> Told(const Pipeline& pipeline, const StepCharge& charge) const {
    const auto entry = pipeline.records().FindCharge(PartKey(pipeline, main, tick));
    if (!entry) return entry.error();
    if (!*entry) return InternalError(fmt::format("the ledger has no key for its entry {}", charge.number));
    const auto text = FindStored(pipeline, tick);
    if (!text) return text.error();
    StepNumbers lost;
    lost.state = StepState::kLost;
    lost.charged = charge.units;
    if (!*text && adaptive()) {  // what its publication cost, if it got that far
      const auto more = pipeline.records().Charges(stream->ChargeName(StepPart::kPublication), tick, tick);
      if (!more) return more.error();
      for (const StepCharge& part : *more) lost.charged = PlainUnits::CutSum(lost.charged, part.units);
    }
    const auto kept = *text ? StudyFromText(**text) : Result<StudyStep>(StudyStep{lost, {}});
    if (!kept) return kept.error();
    auto answer = Composed(*kept);
    if (!answer) return answer.error();
    if (auto certified = CertifyAt(pipeline, **entry, *answer); !certified) return certified.error();
    answer->stored = true;
    return std::optional<Answer>(std::move(*answer));
  }
};

}  // namespace

Result<void> CheckTick(const Stream& rules, std::int64_t tick) {
  if (tick >= 0 && tick <= rules.LastTick()) return {};
  return InvalidArgument(
             fmt::format("there is no step {}", tick), {},
             fmt::format("steps are counted from 0, which begins at {}, to {}", rules.StepText(0), rules.LastTick()))
      .For("steps");
}

Result<std::unique_ptr<Release>> MakeRelease(const StepRequest& request, const Price& price,
                                             const ReleaseContext& context) {
  if (auto own = HoldsItsPrice(price); !own) return own.error();
  if (!request.stream || !context.policy.stream) return InvalidArgument("this policy describes no such stream");
  const Stream& rules = *context.policy.stream;
  if (auto there = CheckTick(rules, request.tick); !there) return there.error();
  auto release = std::make_unique<StepOfStream>(context, request);
  release->normalised = request.stream->normalised();
  release->charged = request.stream->charged();
  release->repeat = Repeat::kOnce;
  return release;
}

}  // namespace kith
