// A question on its way out.
#include "release/question_release.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "loss/loss_text.h"
#include "policy/growth.h"
#include "release/after_release.h"
#include "release/allowed.h"
#include "release/average_error.h"
#include "release/compose_answer.h"
#include "release/free_answer.h"
#include "release/joint_price.h"
#include "release/policy_key.h"
#include "release/ranks.h"
#include "release/strata.h"
#include "transfer/idle_strength.h"

namespace kith {

Result<Explanation> QuestionRelease::Explain(const Totals& so_far) const {
  Explanation out;
  out.plan = plan;
  if (priced.strata.empty()) {
    out.averages = AverageErrors(plan, priced);
    out.worth = WorthIn(FinestGroups(), priced);
    for (Worth& worth : out.worth) {
      worth.group = group_size;
      worth.beyond = BeyondOf(worth, so_far);
    }
  }
  for (const PricedStratum& stratum : priced.strata) AddBars(stratum, out);
  if (units_public && !units && !plan.noisy().empty())
    out.plan.notes.push_back({NoteKind::kAccuracy,
                              "how many units there are is public, but not known yet: after an import by the "
                              "curator, or the first answer, this shows what an answer would be worth"});
  if (IsJoint(priced)) {
    const auto sum = std::accumulate(priced.shares.begin(), priced.shares.end(), 0.0,
                                     [](double all, PlainUnits share) { return all + share.epsilon(); });
    out.plan.notes.push_back(
        {NoteKind::kMethod,
         fmt::format("priced together: no record can move all of these statistics at once as far as each by itself; "
                     "the shares add up to {}, and the answer loses {}",
                     LossText(sum), LossText(priced.total.epsilon()))});
  }
  if (!idle_strength.empty()) out.plan.notes.push_back({NoteKind::kMethod, idle_strength});
  out.noise = priced.noise;
  out.statements.push_back(plan.statement);
  std::optional<double> most_rows = LargestOf(FinestGroups()).most.units;
  if (most_rows) *most_rows *= static_cast<double>(max_rows);
  for (std::size_t k = 0; k < plan.statistics.size(); ++k) {
    const Statistic& statistic = plan.statistics[k];
    if (!statistic.quantile) continue;
    if (statistic.noisy()) AddRankNotes(statistic, k, priced, out.plan.notes, most_rows);
    out.statements.push_back(statistic.quantile->statement);
  }
  AddNotesOfRanks(plan, priced, out.plan.notes);
  CompareIntervals(plan, priced, out.noise, out.plan.notes);
  return out;
}

// One for each statistic that has its own noise; ranks that are read from one measurement are one. Where statistics
// are priced together, their total is one charge as well: the shorter of the two.
std::vector<PlainUnits> QuestionRelease::PureCharges() const {
  if (!priced.strata.empty() || priced.laws.size() != priced.shares.size()) return {priced.total};
  std::map<std::size_t, PlainUnits> by_law;
  long double squares = 0;
  for (std::size_t k = 0; k < priced.shares.size(); ++k) {
    if (priced.shares[k].count() == 0) continue;
    PlainUnits& charge = by_law[priced.laws[k].measured_with.value_or(k)];
    charge = PlainUnits::CutSum(charge, priced.shares[k]);
  }
  std::vector<PlainUnits> charges;
  for (const auto& [law, charge] : by_law) {
    charges.push_back(charge);
    squares += static_cast<long double>(charge.epsilon()) * static_cast<long double>(charge.epsilon());
  }
  const auto total = static_cast<long double>(priced.total.epsilon());
  if (IsJoint(priced) && total * total <= squares) return {priced.total};
  return charges;
}

Result<NoisyGroups> QuestionRelease::Noisy(const Exact& exact) const {
  BitSource& bits = SystemBits::ForThisThread();
  if (priced.strata.empty()) return AddNoise(plan, exact, priced.laws, bits);
  std::vector<GroupLaws> parts;
  for (const PricedStratum& stratum : priced.strata) parts.push_back({stratum.groups, stratum.priced.laws});
  return AddNoise(plan, exact, parts, bits);
}

Result<Answer> QuestionRelease::Compute(Desk& desk, const Call& call) {
  const auto exact = ReadExact(plan, desk.engine(), call.cancel);
  if (!exact) return exact.error();
  auto with_noise = Noisy(*exact);
  if (!with_noise) return with_noise.error();
  noisy = std::move(*with_noise);
  if (!plan.noisy().empty() && plan.of_unit_table)
    units = CountUnits(desk.curator(), desk.data(), desk.engine(), call.cancel);
  sizes = SizesOf(desk, call);
  Answer answer = ComposeAnswer(plan, noisy, priced, units, sizes, max_rows);
  if (bare.any_order && !plan.order_by.empty()) SortByGroup(answer);
  if (combines) AddCombined(*this, known, sizes, answer);
  if (IsJoint(priced)) {
    for (const char* claim : {"JOINT-1", "JOINT-2"}) answer.certificate.claims.emplace_back(claim);
  }
  if (!plan.more_tables.empty()) {
    for (const char* claim : {"TABLES-1", "TABLES-2"}) answer.certificate.claims.emplace_back(claim);
  }
  if (plan.of_pairs) answer.certificate.claims.emplace_back("TABLES-3");
  if (plan.per_unit) answer.certificate.claims.emplace_back("UNIT-1");
  if (plan.windows) answer.certificate.claims.emplace_back("UNIT-2");
  if (plan.of_groups) {
    for (const char* claim : {"GROUP-1", "GROUP-2", "GROUP-3"}) answer.certificate.claims.emplace_back(claim);
    if (level == UnitLevel::kHousehold) answer.certificate.claims.emplace_back("GROUP-4");
  }
  if (priced.presence) {
    for (const char* claim : {"ADDREM-1", "ADDREM-3"}) answer.certificate.claims.emplace_back(claim);
  }
  return answer;
}

std::optional<GroupSizes> QuestionRelease::SizesOf(const Desk& desk, const Call& call) const {
  const bool nobody = !open || (open->everybody && open->plan.statistics.size() == 1);
  if (plan.noisy().empty() || nobody || !units || *units > kMostCounted) return std::nullopt;
  const auto counted = CountGroups(*open, plan, desk.engine(), call.cancel);
  if (counted && open->plain)
    RememberGroups(desk.curator(), desk.data(), open->plan.normalised, {counted->most_units, counted->most_households});
  return counted;
}

Result<std::unique_ptr<Release>> MakeRelease(const QuestionRequest& request, const Price& price, const Ground& ground) {
  if (auto may = MayCharge(ground.policy, false); !may) return may.error();
  const auto asked =
      ground.asked != nullptr ? ground.asked->About(request.unit) : AskedPolicies(ground.policy).About(request.unit);
  if (!asked) return asked.error();
  const auto& about = asked->policy;
  auto question = BindQuestion(request.sql, *about, kMaxQuestionBytes);
  auto plan = question ? MakePlan(*question) : question.error();
  if (!plan) {
    if (plan.error().code != Code::kUnsupportedQuery) return plan.error();
    auto after = MakeAfterRelease(request, price, ground, *about);
    if (after && !*after) return plan.error();
    // A sub-select with GROUP BY the unit's key was meant for single units: what it lacks for that is said.
    if (!after && about->unit.key && IsOfEveryUnit(after.error())) return plan.error();
    return after;
  }
  if (!price.intervals) SetIntervals(*plan, false);
  const bool everybody = price.error_95 && request.unit == UnitLevel::kPerson && ground.policy.unit.max_rows == 1 &&
                         plan->of_unit_table && question->OfAllRows();
  const PlainUnits budget = ground.account.Budget(plan->charged, request.unit);
  const auto known = everybody ? ground.units : std::nullopt;
  const Pricing pricing{price, ground.policy.epsilon_total, budget, known, ground.account.counts_presence()};
  auto priced = PriceBoth(*plan, {}, pricing);
  if (!priced) return priced.error();
  std::vector<PlainUnits> apart = priced->shares;
  auto by_stratum = PriceByStratum(*plan, price, ground.policy, ground.account, request.unit);
  if (!by_stratum) return by_stratum.error();
  MovesOfBoth moves;
  if (*by_stratum) {
    priced = std::move(**by_stratum);
  } else if (!ground.policy.dependence.known) {
    moves = MovesOfBothFor(*question, *about, *plan);
    priced = PriceBoth(*plan, moves, pricing);
    if (!priced) return priced.error();
  }
  auto release = std::make_unique<QuestionRelease>();
  release->normalised = plan->normalised;
  release->bare = {question->bare, question->any_order};
  release->named_reads = asked->readings.Of(plan->normalised);
  const bool named = release->bare.text != plan->normalised;
  release->reads = named ? asked->readings.Of(release->bare.text) : release->named_reads;
  if (!named) release->bare.text.clear();
  release->readings = asked->readings;
  release->charged = plan->charged;
  release->level = request.unit;
  release->lacks_intervals = LacksIntervals(*plan);
  release->priced = std::move(*priced);
  release->max_rows = std::max(about->unit.max_rows, plan->unit_rows);
  // Who has rows in another table of the units is a secret, and they need not be in the unit's table.
  if (plan->of_unit_table) release->units = ground.units;
  release->units_public = plan->of_unit_table && UnitsArePublic(ground.policy);
  release->plan = std::move(*plan);
  release->open = PublicPartOf(*question, *about);
  release->groups = ground.groups;
  release->account = &ground.account;
  release->epsilon_total = ground.policy.epsilon_total;
  release->sql = request.sql;
  release->combines = !request.one_law;
  release->about = about;
  release->bound = std::make_shared<const Question>(std::move(*question));
  release->price = price;
  release->moves = std::move(moves);
  release->apart = std::move(apart);
  release->whole_policy = PolicyKey(ground.asked != nullptr ? ground.asked->fingerprint() : ground.policy.fingerprint(),
                                    ground.account.version());
  if (ground.explains && !ground.policy.dependence.known)
    release->idle_strength = IdleStrength(ground.policy.dependence.model, ground.policy.epsilon_total);
  if (const auto* group = std::get_if<Group>(&ground.policy.dependence.model)) release->group_size = group->size;
  return release;
}

}  // namespace kith
