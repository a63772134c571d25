// A question on its way out.
#include <utility>

#include "policy/growth.h"
#include "query/everybody.h"
#include "query/output/output.h"
#include "release/allowed.h"
#include "release/average_error.h"
#include "release/compose_answer.h"
#include "release/noisy.h"
#include "release/pipeline.h"
#include "release/public_facts.h"
#include "release/ranks.h"
#include "release/strata.h"
#include "release/worth.h"
#include "transfer/idle_strength.h"

namespace kith {
namespace {

struct QuestionRelease final : Release {
  Plan plan;
  std::optional<double> units;  // how many there are, where that is public and known
  bool units_public = false;
  std::string idle_strength;    // a remark on it
  std::int64_t group_size = 0;  // of the declared dependence, if it is about groups

  Result<Explanation> Explain(const Totals&) const override {
    Explanation out;
    out.plan = plan;
    if (priced.strata.empty()) {
      out.averages = AverageErrors(plan, priced);
      out.worth = WorthOf(plan, priced, units);
      for (Worth& worth : out.worth) worth.group = group_size;
    }
    for (const PricedStratum& stratum : priced.strata) AddBars(stratum, out);
    if (units_public && !units && !plan.noisy().empty())
      out.plan.notes.push_back({NoteKind::kAccuracy,
                                "how many units there are is public, but not known yet: after an import by the "
                                "curator, or the first answer, this shows what an answer would be worth"});
    if (!idle_strength.empty()) out.plan.notes.push_back({NoteKind::kMethod, idle_strength});
    out.noise = priced.noise;
    out.statements.push_back(plan.statement);
    for (std::size_t k = 0; k < plan.statistics.size(); ++k) {
      const Statistic& statistic = plan.statistics[k];
      if (!statistic.quantile) continue;
      if (statistic.noisy()) AddRankNotes(statistic, k, priced, out.plan.notes);
      out.statements.push_back(statistic.quantile->statement);
    }
    return out;
  }

  // What its price buys in one stratum.
  void AddBars(const PricedStratum& stratum, Explanation& out) const {
    for (AverageError& line : AverageErrors(plan, stratum.priced)) {
      line.stratum = stratum.name;
      out.averages.push_back(std::move(line));
    }
    for (Worth& worth : WorthOf(plan, stratum.priced, units)) {
      worth.group = stratum.size;
      worth.stratum = stratum.name;
      out.worth.push_back(std::move(worth));
    }
  }

  Result<NoisyGroups> Noisy(const Exact& exact) const {
    BitSource& bits = SystemBits::ForThisThread();
    if (priced.strata.empty()) return AddNoise(plan, exact, priced.laws, bits);
    std::vector<GroupLaws> parts;
    for (const PricedStratum& stratum : priced.strata) parts.push_back({stratum.groups, stratum.priced.laws});
    return AddNoise(plan, exact, parts, bits);
  }

  Result<Answer> Compute(Desk& desk, const Call& call) override {
    const auto exact = ReadExact(plan, desk.engine(), call.cancel);
    if (!exact) return exact.error();
    const auto noisy = Noisy(*exact);
    if (!noisy) return noisy.error();
    if (!plan.noisy().empty()) units = CountUnits(desk.curator(), desk.data(), desk.engine(), call.cancel);
    return ComposeAnswer(plan, *noisy, priced, units);
  }
};

}  // namespace

Result<std::unique_ptr<Release>> MakeRelease(const QuestionRequest& request, const Price& price, const Ground& ground) {
  if (auto may = MayCharge(ground.policy, false); !may) return may.error();
  const auto about = AskedAbout(ground.policy, request.unit);
  if (!about) return about.error();
  auto plan = PlanQuestion(request.sql, *about);
  if (!plan) return plan.error();
  const bool everybody = price.error_95 && request.unit == UnitLevel::kPerson && ground.policy.unit.max_rows == 1 &&
                         IsAboutEverybody(request.sql, ground.policy);
  auto priced =
      PriceQuestion(*plan, price, ground.policy.epsilon_total, ground.account.Budget(plan->charged, request.unit),
                    everybody ? ground.units : std::nullopt);
  if (!priced) return priced.error();
  auto by_stratum = PriceByStratum(*plan, price, ground.policy, ground.account, request.unit);
  if (!by_stratum) return by_stratum.error();
  if (*by_stratum) priced = std::move(**by_stratum);
  auto release = std::make_unique<QuestionRelease>();
  release->normalised = plan->normalised;
  release->reads = ReadingText(DescribePolicy(*about), plan->normalised);
  release->charged = plan->charged;
  release->level = request.unit;
  release->priced = std::move(*priced);
  release->plan = std::move(*plan);
  release->units = ground.units;
  release->units_public = UnitsArePublic(ground.policy);
  if (ground.explains)
    release->idle_strength = IdleStrength(ground.policy.dependence.model, ground.policy.epsilon_total);
  if (const auto* group = std::get_if<Group>(&ground.policy.dependence.model)) release->group_size = group->size;
  return release;
}

}  // namespace kith
