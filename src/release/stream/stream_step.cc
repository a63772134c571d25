#include "release/stream/stream_step.h"

#include <algorithm>

#include "release/noisy.h"

namespace kith {
namespace {

// Equal whole shares; what does not divide is not charged.
std::vector<PlainUnits> Shared(const Plan& plan, PlainUnits units) {
  const auto noisy = plan.noisy();
  std::vector<PlainUnits> shares(plan.statistics.size());
  for (const std::size_t k : noisy) shares[k] = PlainUnits::Of(units.count() / static_cast<std::int64_t>(noisy.size()));
  return shares;
}

PlainUnits Divisible(const Plan& plan, PlainUnits units) { return PlainUnits::Sum(Shared(plan, units)).value(); }

Result<NoisyGroups> Read(const Plan& plan, const std::vector<PlainUnits>& shares, const Session& engine,
                         BitSource& bits, const CancelFlag& cancel) {
  const auto exact = ReadExact(plan, engine, cancel);
  if (!exact) return exact.error();
  return AddNoise(plan, *exact, shares, bits);
}

Result<StepNumbers> Nothing(StepState state, const StreamPast& past, PlainUnits charged) {
  StepNumbers step;
  step.state = state;
  step.charged = charged;
  if (state == StepState::kRepeated) {
    step.noisy = past.last;
    step.shares = past.last_shares;
  }
  return step;
}

class Adaptive {
 public:
  Adaptive(const stream::Terms& terms, const Plan& plan, const StreamPast& past, const Session& engine,
           const ChargeStep& charge, BitSource& bits, const CancelFlag& cancel)
      : terms_(terms),
        plan_(plan),
        past_(past),
        engine_(engine),
        charge_(charge),
        bits_(bits),
        cancel_(cancel),
        statistic_(plan.noisy()[0]) {}

  Result<StepNumbers> Step(std::int64_t tick) const {
    const PlainUnits publication = terms_.Publication(tick, past_.published, past_.first);
    if (publication.count() == 0) return Unpaid(past_.last.empty() ? StepState::kSkipped : StepState::kRepeated);
    const auto paid = charge_(StepPart::kTest, terms_.Test());
    if (!paid) return paid.error();
    if (paid->count() == 0) return Unpaid(StepState::kSkipped);
    const auto differs = Test(*paid, publication);
    if (!differs) return differs.error();
    if (!*differs) return Repeat(*paid);
    const auto published = charge_(StepPart::kPublication, publication);
    if (!published) return published.error();
    if (published->count() == 0) return Repeat(*paid);
    StepNumbers step;
    step.state = StepState::kReleased;
    step.charged = *paid + *published;
    step.shares = Shared(plan_, *published);
    auto noisy = Read(plan_, step.shares, engine_, bits_, cancel_);
    if (!noisy) return noisy.error();
    step.noisy = std::move(*noisy);
    return step;
  }

 private:
  // Recorded, so that the step has its place: charges nothing.
  Result<StepNumbers> Unpaid(StepState state) const {
    const auto recorded = charge_(StepPart::kNothing, PlainUnits());
    if (!recorded) return recorded.error();
    return Nothing(state, past_, PlainUnits());
  }

  // Before the first publication there is nothing to repeat but zeros, which everybody knows.
  Result<StepNumbers> Repeat(PlainUnits charged) const {
    auto step = Nothing(StepState::kRepeated, past_, charged);
    if (past_.last.empty()) {
      step->noisy.assign(plan_.groups(), std::vector<Int128>(plan_.statistics.size(), 0));
      step->shares.assign(plan_.statistics.size(), PlainUnits());
    }
    return step;
  }

  Result<bool> Test(PlainUnits paid, PlainUnits publication) const {
    const auto exact_table = ReadExact(plan_, engine_, cancel_);
    if (!exact_table) return exact_table.error();
    const auto groups = ExactGroups(plan_, exact_table->sums);
    if (!groups) return groups.error();
    std::vector<Int128> exact, last;
    for (std::size_t g = 0; g < groups->size(); ++g) {
      exact.push_back((*groups)[g][statistic_]);
      last.push_back(past_.last.empty() ? 0 : past_.last[g][statistic_]);
    }
    return stream::Differs(exact, last, plan_.statistics[statistic_].change.l1(), paid, publication, bits_);
  }

  const stream::Terms& terms_;
  const Plan& plan_;
  const StreamPast& past_;
  const Session& engine_;
  const ChargeStep& charge_;
  BitSource& bits_;
  const CancelFlag& cancel_;
  std::size_t statistic_;
};

}  // namespace

Result<void> CheckStatistic(const Plan& plan, stream::Sharing sharing) {
  for (const Statistic& statistic : plan.statistics) {
    if (statistic.quantile)
      return Unsupported("streams release counts, sums and what follows from them; quantiles are not proven for steps",
                         {}, "ask for counts in ranges: GROUP BY width_bucket(x, 0, 100, 10)")
          .For("stream.statistic");
  }
  if (!plan.levels.empty())
    return Unsupported("ROLLUP is not supported in streams", {}, "group by the finest keys and add up")
        .For("stream.statistic");
  const std::size_t noisy = plan.noisy().size();
  if (noisy == 0) {
    return Unsupported("this statistic is made of public facts alone: it needs no stream", {}, "ask for what is secret")
        .For("stream.statistic");
  }
  if (stream::IsAdaptive(sharing) && plan.statistics.size() != 1) {
    return Unsupported(
               "bd and ba compare a step with what was published last, which is defined for one count or sum (GROUP BY "
               "is "
               "fine)",
               {}, "ask for one aggregate, or use another rule")
        .For("stream.statistic");
  }
  return {};
}

Result<StepNumbers> ReleaseStep(const stream::Terms& terms, const Plan& plan, const StreamPast& past, std::int64_t tick,
                                const Session& engine, const ChargeStep& charge, BitSource& bits,
                                const CancelFlag& cancel) {
  if (stream::IsAdaptive(terms.sharing())) return Adaptive(terms, plan, past, engine, charge, bits, cancel).Step(tick);
  const PlainUnits wanted = Divisible(plan, terms.Release(tick, past.released));
  const auto granted = wanted.count() > 0 ? charge(StepPart::kRelease, wanted) : Result<PlainUnits>(PlainUnits());
  if (!granted) return granted.error();
  StepNumbers step;
  step.shares = Shared(plan, *granted);
  step.charged = *granted;
  if (PlainUnits::Sum(step.shares).value().count() == 0) {
    if (granted->count() == 0) {
      const auto recorded = charge(StepPart::kNothing, PlainUnits());
      if (!recorded) return recorded.error();
    }
    step.shares.clear();
    return step;
  }
  step.state = StepState::kReleased;
  auto noisy = Read(plan, step.shares, engine, bits, cancel);
  if (!noisy) return noisy.error();
  step.noisy = std::move(*noisy);
  return step;
}

}  // namespace kith
