#include "release/stream/stream_step.h"

#include <algorithm>

namespace kith {
namespace {

// Equal whole shares; what does not divide is not charged.
std::vector<PlainUnits> Divided(const Plan& plan, PlainUnits units) {
  const auto noisy = plan.noisy();
  std::vector<PlainUnits> shares(plan.statistics.size());
  for (const std::size_t k : noisy) shares[k] = PlainUnits::Of(units.count() / static_cast<std::int64_t>(noisy.size()));
  return shares;
}

PlainUnits Divisible(const Plan& plan, PlainUnits units) { return PlainUnits::Sum(Divided(plan, units)).value(); }

// Fills the step's numbers, with noise for its shares.
Result<void> Read(const StepWork& work, Paid& paid, StepNumbers& step) {
  auto laws = MechanismsOf(work.plan(), step.shares);
  if (!laws) return laws.error();
  const auto sealed = work.vault.Run(work.checked);
  if (!sealed) return sealed.error();
  auto noisy = work.vault.Open(*sealed, paid, {.shares = step.shares});
  if (!noisy) return noisy.error();
  step.noisy = std::move(*noisy);
  step.laws = std::move(*laws);
  return {};
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

// bd and ba: a private test decides whether a step is published.
class Adaptive {
 public:
  explicit Adaptive(const StepWork& work) : work_(work), statistic_(work.plan().noisy()[0]) {}

  Result<StepNumbers> Step() const {
    const PlainUnits publication = work_.terms.Publication(work_.tick, work_.past.published, work_.past.first);
    if (publication < LeastOfUse(work_.terms))
      return Unpaid(work_.past.last.empty() ? StepState::kSkipped : StepState::kRepeated);
    auto test = work_.charge(StepPart::kTest, work_.terms.Test());
    if (!test) return test.error();
    const PlainUnits paid = test->units();
    if (paid.count() == 0) return Unpaid(StepState::kSkipped);
    const auto differs = Test(*test, publication);
    if (!differs) return differs.error();
    if (!*differs) return Repeat(paid);
    auto published = work_.charge(StepPart::kPublication, publication);
    if (!published) return published.error();
    if (published->units().count() == 0) return Repeat(paid);
    StepNumbers step;
    step.state = StepState::kReleased;
    step.charged = paid + published->units();
    step.shares = Divided(work_.plan(), published->units());
    if (const auto read = Read(work_, *published, step); !read) return read.error();
    return step;
  }

 private:
  // Recorded, so that the step has its place: charges nothing.
  Result<StepNumbers> Unpaid(StepState state) const {
    const auto recorded = work_.charge(StepPart::kNothing, PlainUnits());
    if (!recorded) return recorded.error();
    return Nothing(state, work_.past, PlainUnits());
  }

  // Before the first publication there is nothing to repeat but zeros, which everybody knows.
  Result<StepNumbers> Repeat(PlainUnits charged) const {
    auto step = Nothing(StepState::kRepeated, work_.past, charged);
    if (work_.past.last.empty()) {
      step->noisy.assign(work_.plan().groups(), std::vector<Int128>(work_.plan().statistics.size(), 0));
      step->shares.assign(work_.plan().statistics.size(), PlainUnits());
    }
    return step;
  }

  Result<bool> Test(Paid& paid, PlainUnits publication) const {
    const auto sealed = work_.vault.Run(work_.checked);
    if (!sealed) return sealed.error();
    std::vector<Int128> last(work_.plan().groups(), 0);
    for (std::size_t g = 0; g < work_.past.last.size(); ++g) last[g] = work_.past.last[g][statistic_];
    return work_.vault.Differs(*sealed, last, paid.units(), publication, paid);
  }

  const StepWork& work_;
  std::size_t statistic_;
};

}  // namespace

Result<void> CheckStatistic(const Plan& plan, stream::Sharing sharing) {
  for (const Statistic& statistic : plan.statistics) {
    if (statistic.quantile)
      return Unsupported(
                 "streams release counts, sums and what follows from them; quantiles are not proved for streams", {},
                 "ask for counts in ranges: GROUP BY width_bucket(x, 0, 100, 10)")
          .For("stream.statistic");
  }
  if (!plan.levels.empty())
    return Unsupported("ROLLUP is not supported in streams", {}, "group by the finest keys and add up")
        .For("stream.statistic");
  const std::size_t noisy = plan.noisy().size();
  if (noisy == 0) {
    return Unsupported("this statistic depends on public facts only: it needs no stream", {}, "ask for what is secret")
        .For("stream.statistic");
  }
  if (stream::IsAdaptive(sharing) && plan.statistics.size() != 1) {
    return Unsupported(
               "bd and ba compare a step with what was last published, which is defined for one count or sum (GROUP BY "
               "is "
               "fine)",
               {}, "ask for one aggregate, or use another rule")
        .For("stream.statistic");
  }
  return {};
}

PlainUnits LeastOfUse(const stream::Terms& terms) {
  constexpr std::int64_t kPart = 100;
  const std::int64_t even = terms.units().count() / terms.window();
  return PlainUnits::Of(std::max<std::int64_t>(1, even / kPart));
}

Result<StepNumbers> ReleaseStep(const StepWork& work) {
  if (stream::IsAdaptive(work.terms.sharing())) return Adaptive(work).Step();
  PlainUnits wanted = Divisible(work.plan(), work.terms.Release(work.tick, work.past.released));
  if (wanted < LeastOfUse(work.terms)) wanted = PlainUnits();
  auto paid = wanted.count() > 0 ? work.charge(StepPart::kRelease, wanted) : Result<Paid>(Paid::Nothing());
  if (!paid) return paid.error();
  StepNumbers step;
  step.shares = Divided(work.plan(), paid->units());
  step.charged = paid->units();
  if (PlainUnits::Sum(step.shares).value().count() == 0) {
    if (step.charged.count() == 0) {
      const auto recorded = work.charge(StepPart::kNothing, PlainUnits());
      if (!recorded) return recorded.error();
    }
    step.shares.clear();
    return step;
  }
  step.state = StepState::kReleased;
  if (const auto read = Read(work, *paid, step); !read) return read.error();
  return step;
}

}  // namespace kith
