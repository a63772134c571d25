#include "release/law.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace kith {
namespace {

Result<StatisticLaw> LawOf(const Statistic& statistic, PlainUnits share) {
  const auto noise = Noise::For(statistic.quantile ? Change::None() : statistic.change, share);
  if (!noise) return noise.error();
  if (!statistic.quantile) return StatisticLaw{*noise, std::nullopt};
  const auto choice = PermuteAndFlip::Make(statistic.change.l1(), share);
  if (!choice) return choice.error();
  return StatisticLaw{*noise, *choice};
}

void AddOnce(std::string claim, std::vector<std::string>& claims) {
  if (std::find(claims.begin(), claims.end(), claim) == claims.end()) claims.push_back(std::move(claim));
}

}  // namespace

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
  }
}

}  // namespace kith
