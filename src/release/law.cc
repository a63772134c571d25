#include "release/law.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "release/ranks.h"

namespace kith {
namespace {

// Of choices by rank: of the value, and of the ends of its interval if that is more.
RankErrors RanksByChoice(const Quantile& quantile, const StatisticLaw& law, std::size_t groups) {
  const RankErrors errors = RankErrorsOf(quantile, *law.choice, groups);
  const double ends = static_cast<double>(law.ends->Reach(OthersOfEnds(quantile))) / static_cast<double>(quantile.den);
  return {std::max(errors.one, ends), std::max(errors.all, ends)};
}

Result<StatisticLaw> LawOf(const Statistic& statistic, PlainUnits share) {
  const auto noise = Noise::For(statistic.quantile ? Change::None() : statistic.change, share);
  if (!noise) return noise.error();
  if (!statistic.quantile) return StatisticLaw{*noise, std::nullopt, std::nullopt};
  // The value and the ends of its interval are chosen one by one: their shares add up to what is charged.
  const auto ends = static_cast<std::int64_t>(EndsOf(*statistic.quantile).Chosen());
  const PlainUnits of_end = PlainUnits::Of(share.count() / (1 + ends));
  const auto choice =
      PermuteAndFlip::Make(statistic.change.l1(), PlainUnits::Of(share.count() - ends * of_end.count()));
  if (!choice) return choice.error();
  const auto end = PermuteAndFlip::Make(statistic.change.l1(), of_end);
  if (!end) return end.error();
  StatisticLaw law{*noise, *choice, *end};
  // By question, policy and price alone. Long curves are never the better ones.
  constexpr std::size_t kLongest = 1024;
  if (!statistic.noisy() || statistic.quantile->candidates.size() > kLongest) return law;
  const auto rows = RankCurve::ChangeOfRows(*statistic.quantile, statistic.change);
  if (!rows) return rows.error();
  const auto at_each = Noise::For(*rows, share);
  if (!at_each) return at_each.error();
  const RankCurve curve(*statistic.quantile, *at_each);
  if (curve.rank_error(1) < RanksByChoice(*statistic.quantile, law, 1).one) law.curve.emplace(curve);
  return law;
}

void AddOnce(std::string claim, std::vector<std::string>& claims) {
  if (std::find(claims.begin(), claims.end(), claim) == claims.end()) claims.push_back(std::move(claim));
}

}  // namespace

RankErrors RankErrorsOf(const Quantile& quantile, const StatisticLaw& law, std::size_t groups) {
  if (!law.curve) return RanksByChoice(quantile, law, groups);
  return {law.curve->rank_error(1), law.curve->rank_error(groups)};
}

Result<StatisticLaw> LawOfQuantile(const Statistic& statistic, PlainUnits share) { return LawOf(statistic, share); }

Result<std::vector<StatisticLaw>> LawsOf(const Plan& plan, std::span<const PlainUnits> shares) {
  KITH_CHECK(shares.size() == plan.statistics.size());
  std::vector<StatisticLaw> laws;
  for (std::size_t k = 0; k < shares.size(); ++k) {
    const auto law = LawOf(plan.statistics[k], shares[k]);
    if (!law) return law.error();
    laws.push_back(*law);
  }
  return laws;
}

void AddPlanClaims(std::span<const StatisticLaw> laws, std::vector<std::string>& claims) {
  for (const StatisticLaw& law : laws) AddOnce(law.noise.PlanClaim(), claims);
}

void AddClaims(std::span<const StatisticLaw> laws, std::vector<std::string>& claims) {
  for (const StatisticLaw& law : laws) {
    for (std::string& claim : law.noise.Claims()) AddOnce(std::move(claim), claims);
    if (!law.curve) continue;
    for (std::string& claim : law.curve->noise().Claims()) AddOnce(std::move(claim), claims);
  }
}

}  // namespace kith
