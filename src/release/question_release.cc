// A question on its way out.
#include "release/question_release.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "kernel/ranks.h"
#include "loss/loss_text.h"
#include "policy/growth.h"
#include "release/allowed.h"
#include "release/average_error.h"
#include "release/compose_answer.h"
#include "release/free_answer.h"
#include "release/joint_price.h"
#include "release/levels.h"
#include "release/postprocess_release.h"
#include "release/strata.h"
#include "transfer/idle_strength.h"

namespace kith {

Result<Explanation> QuestionRelease::Explain(const Totals& so_far) const {
  Explanation out;
  out.plan = asked.plan;
  if (priced.strata.empty()) {
    out.averages = AverageErrors(asked.plan, priced);
    out.usefulness = UsefulnessIn(FinestGroups(), priced);
    for (Usefulness& worth : out.usefulness) {
      worth.group = asked.group_size;
      worth.beyond = BeyondOf(worth, so_far);
    }
  }
  for (const PricedStratum& stratum : priced.strata) AddBars(stratum, out);
  if (asked.units_public && !units && !asked.plan.noisy().empty())
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
  if (!asked.idle_strength.empty()) out.plan.notes.push_back({NoteKind::kMethod, asked.idle_strength});
  out.noise = priced.noise;
  out.statements.push_back(asked.plan.statement);
  std::optional<double> most_rows = LargestOf(FinestGroups()).most.units;
  if (most_rows) *most_rows *= static_cast<double>(asked.max_rows);
  for (std::size_t k = 0; k < asked.plan.statistics.size(); ++k) {
    const Statistic& statistic = asked.plan.statistics[k];
    if (!statistic.quantile) continue;
    if (statistic.noisy()) AddRankNotes(statistic, k, priced, out.plan.notes, most_rows);
    out.statements.push_back(statistic.quantile->statement);
  }
  AddNotesOfRanks(asked.plan, priced, out.plan.notes);
  CompareIntervals(asked.plan, priced, out.noise, out.plan.notes);
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

Result<NoisyGroups> QuestionRelease::Noisy(Pipeline& pipeline) const {
  const Plan& plan = checked->plan();
  const auto sealed = pipeline.vault().Run(*checked);
  if (!sealed) return sealed.error();
  if (!priced.strata.empty()) {
    std::vector<TermsOfCells> parts;
    for (const PricedStratum& stratum : priced.strata)
      parts.push_back({stratum.cells, stratum.groups, {.shares = stratum.priced.shares}});
    return pipeline.vault().Open(*sealed, pipeline.paid(), parts);
  }
  const NoiseTerms terms{.shares = priced.shares, .mu_shares = priced.mu_shares, .moves = &asked.moves};
  auto opened = pipeline.vault().Open(*sealed, pipeline.paid(), terms);
  if (opened) MakeConsistent(plan, *opened);
  return opened;
}

Result<Answer> QuestionRelease::Compute(Pipeline& pipeline, const Call&) {
  auto with_noise = Noisy(pipeline);
  if (!with_noise) return with_noise.error();
  noisy = std::move(*with_noise);
  if (!asked.plan.noisy().empty() && asked.plan.of_unit_table)
    units = CountUnits(pipeline.curator(), pipeline.data(), pipeline.vault());
  sizes = SizesOf(pipeline);
  Answer answer = ComposeAnswer(asked.plan, noisy, priced, units, sizes, asked.max_rows);
  if (asked.bound->any_order && !asked.plan.order_by.empty()) SortByGroup(answer);
  if (combines()) AddCombined(*this, known, sizes, answer);
  if (IsJoint(priced)) {
    for (const char* claim : {"JOINT-1", "JOINT-2"}) answer.certificate.claims.emplace_back(claim);
  }
  if (!asked.plan.more_tables.empty()) {
    for (const char* claim : {"TABLES-1", "TABLES-2"}) answer.certificate.claims.emplace_back(claim);
  }
  if (asked.plan.of_pairs) answer.certificate.claims.emplace_back("TABLES-3");
  if (asked.plan.per_unit) answer.certificate.claims.emplace_back("UNIT-1");
  if (asked.plan.windows) answer.certificate.claims.emplace_back("UNIT-2");
  if (asked.plan.of_groups) {
    for (const char* claim : {"GROUP-1", "GROUP-2", "GROUP-3"}) answer.certificate.claims.emplace_back(claim);
    if (level == UnitLevel::kHousehold) answer.certificate.claims.emplace_back("GROUP-4");
  }
  if (priced.presence) {
    for (const char* claim : {"ADDREM-1", "ADDREM-3"}) answer.certificate.claims.emplace_back(claim);
  }
  return answer;
}

std::optional<GroupSizes> QuestionRelease::SizesOf(const Pipeline& pipeline) const {
  const bool nobody = !asked.open || (asked.open->everybody && asked.open->plan.statistics.size() == 1);
  if (asked.plan.noisy().empty() || nobody || !units || *units > kMostCounted) return std::nullopt;
  const auto counted = CountGroups(*asked.open, asked.plan, pipeline.vault());
  if (counted && asked.open->plain)
    RememberGroups(pipeline.curator(), pipeline.data(), asked.open->plan.normalised,
                   {counted->most_units, counted->most_households});
  return counted;
}

Result<std::unique_ptr<Release>> MakeRelease(const QuestionRequest& request, const Price& price,
                                             const ReleaseContext& context) {
  if (auto may = MayCharge(context.policy, false); !may) return may.error();
  const auto asked =
      context.asked != nullptr ? context.asked->About(request.unit) : AskedPolicies(context.policy).About(request.unit);
  if (!asked) return asked.error();
  const auto& about = asked->policy;
  auto question = BindQuestion(request.sql, *about, kMaxQuestionBytes);
  auto plan = question ? MakePlan(*question) : question.error();
  if (!plan) {
    if (plan.error().code != Code::kUnsupportedQuery) return plan.error();
    auto after = MakePostprocessRelease(request, price, context, *about);
    if (after && !*after) return plan.error();
    // A sub-select with GROUP BY the unit's key was meant for single units: what it lacks for that is said.
    if (!after && about->unit.key && IsOfEveryUnit(after.error())) return plan.error();
    return after;
  }
  const Plan written = context.staged ? *plan : Plan();
  if (context.staged) TakeStatements(context.staged->AtLeast(), *plan);
  if (!price.intervals) SetIntervals(*plan, false);
  bool raised = false;
  auto checked = RaiseAndCheck(std::move(*plan), *about, raised);
  if (!checked) return checked.error();
  plan = checked->plan();
  if (context.staged) {
    TakeStatements(written, *plan);
    if (!price.intervals) SetIntervals(*plan, false);
  }
  const bool everybody = price.error_95 && request.unit == UnitLevel::kPerson && context.policy.unit.max_rows == 1 &&
                         plan->of_unit_table && question->OfAllRows();
  const PlainUnits budget = context.account.Budget(plan->charged, request.unit);
  const auto known = everybody ? context.units : std::nullopt;
  const Pricing pricing{price, context.policy.epsilon_total, budget, known, context.account.counts_presence()};
  auto by_stratum = PriceByStratum(*plan, price, context.policy, context.account, request.unit);
  if (!by_stratum) return by_stratum.error();
  MovesOfBoth moves;
  if (!*by_stratum && !context.policy.dependence.known && !raised) moves = MovesOfBothFor(*question, *about, *plan);
  auto priced = *by_stratum ? Result<Priced>(std::move(**by_stratum)) : PriceBoth(*plan, moves, pricing);
  if (!priced) return priced.error();
  const auto* group = std::get_if<Group>(&context.policy.dependence.model);
  const bool remarks = context.explains && !context.policy.dependence.known;
  auto open = PublicPartOf(*question, *about);
  auto release = std::make_unique<QuestionRelease>(PricedQuestion{
      .request = request,
      .price = price,
      .about = about,
      .bound = std::make_shared<const Question>(std::move(*question)),
      .plan = std::move(*plan),
      .readings = asked->readings,
      .moves = std::move(moves),
      .account = &context.account,
      .epsilon_total = context.policy.epsilon_total,
      .open = std::move(open),
      .groups = context.groups,
      .idle_strength = remarks ? IdleStrength(context.policy.dependence.model, context.policy.epsilon_total) : "",
      .group_size = group != nullptr ? group->size : 0});
  PricedQuestion& of = release->asked;
  release->checked = std::move(*checked);
  of.max_rows = std::max(about->unit.max_rows, of.plan.unit_rows);
  // Who has rows in another table of the units is a secret, and they need not be in the unit's table.
  if (of.plan.of_unit_table) {
    release->units = context.units;
    of.units_public = UnitsArePublic(context.policy);
  }
  release->normalised = of.plan.normalised;
  if (of.bound->bare != of.plan.normalised) release->key_name = of.bound->bare;
  release->reads = asked->readings.Of(of.bound->bare);
  release->charged = of.plan.charged;
  release->level = request.unit;
  release->lacks_intervals = LacksIntervals(of.plan);
  release->priced = std::move(*priced);
  return release;
}

}  // namespace kith
