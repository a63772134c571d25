// A question on its way out.
#include <utility>

#include "policy/growth.h"
#include "query/output/output.h"
#include "release/allowed.h"
#include "release/average_error.h"
#include "release/compose_answer.h"
#include "release/noisy.h"
#include "release/pipeline.h"
#include "release/ranks.h"

namespace kith {
namespace {

struct QuestionRelease final : Release {
  Plan plan;

  Result<Explanation> Explain(const Totals&) const override {
    Explanation out;
    out.plan = plan;
    out.averages = AverageErrors(plan, priced);
    out.noise = priced.noise;
    out.statements.push_back(plan.statement);
    for (std::size_t k = 0; k < plan.statistics.size(); ++k) {
      const Statistic& statistic = plan.statistics[k];
      if (!statistic.quantile) continue;
      if (statistic.noisy())
        out.plan.notes.push_back({NoteKind::kAccuracy, RankNote(statistic, out.noise[k].error_95)});
      out.statements.push_back(statistic.quantile->statement);
    }
    return out;
  }

  Result<Answer> Compute(Desk& desk, const Call& call) override {
    const auto exact = ReadExact(plan, desk.engine(), call.cancel);
    if (!exact) return exact.error();
    const auto noisy = AddNoise(plan, *exact, priced.laws, SystemBits::ForThisThread());
    if (!noisy) return noisy.error();
    return ComposeAnswer(plan, *noisy, priced);
  }
};

}  // namespace

Result<std::unique_ptr<Release>> MakeRelease(const QuestionRequest& request, const Price& price, const Ground& ground) {
  if (auto may = MayCharge(ground.policy, false); !may) return may.error();
  auto plan = PlanQuestion(request.sql, ground.policy);
  if (!plan) return plan.error();
  auto priced = PriceQuestion(*plan, price, ground.policy.epsilon_total, ground.account.Budget(plan->charged));
  if (!priced) return priced.error();
  auto release = std::make_unique<QuestionRelease>();
  release->normalised = plan->normalised;
  release->reads = ReadingText(DescribePolicy(ground.policy), plan->normalised);
  release->charged = plan->charged;
  release->priced = std::move(*priced);
  release->plan = std::move(*plan);
  return release;
}

}  // namespace kith
