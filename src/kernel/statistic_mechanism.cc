#include "kernel/statistic_mechanism.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "kernel/ranks.h"

namespace kith {
namespace {

// Of choices by rank: of the value, and of the ends of its interval if that is more.
RankErrors RanksByChoice(const Quantile& quantile, const StatisticMechanism& law, std::size_t groups) {
  const RankErrors errors = RankErrorsOf(quantile, *law.choice, groups);
  if (!law.ends) return errors;
  const double ends = static_cast<double>(law.ends->Reach(OthersOfEnds(quantile))) / static_cast<double>(quantile.den);
  return {std::max(errors.one, ends), std::max(errors.all, ends)};
}

constexpr std::size_t kLongest = 1024;  // candidates; longer curves are never better

Result<StatisticMechanism> MechanismOf(const Statistic& statistic, PlainUnits share) {
  const auto noise = Noise::For(statistic.quantile ? Sensitivities::None() : statistic.change, share);
  if (!noise) return noise.error();
  if (!statistic.quantile) return StatisticMechanism{*noise, std::nullopt, std::nullopt};
  // The value and the ends of its interval are chosen one by one: their shares add up to what is charged. Without an
  // interval there is one choice, which has all of it.
  const auto ends = static_cast<std::int64_t>(EndsOf(*statistic.quantile).Chosen());
  const PlainUnits of_end = PlainUnits::Of(share.count() / (1 + ends));
  const auto choice =
      PermuteAndFlip::Make(statistic.change.l1(), PlainUnits::Of(share.count() - ends * of_end.count()));
  if (!choice) return choice.error();
  StatisticMechanism law{*noise, *choice, std::nullopt};
  if (statistic.quantile->interval) {
    const auto end = PermuteAndFlip::Make(statistic.change.l1(), of_end);
    if (!end) return end.error();
    law.ends = *end;
  }
  // Only by question, policy and price.
  if (!statistic.noisy() || statistic.quantile->candidates.size() > kLongest) return law;
  const auto rows = RankCurve::ChangeOfRows(*statistic.quantile, statistic.change);
  if (!rows) return rows.error();
  const auto at_each = Noise::For(*rows, share);
  if (!at_each) return at_each.error();
  const RankCurve curve(*statistic.quantile, *at_each);
  if (curve.rank_error(1) < RanksByChoice(*statistic.quantile, law, 1).one) law.curve.emplace(curve);
  return law;
}

// The largest error of some ranks, and whether one measurement is no worse for any of them.
struct Compared {
  double apart = 0, together = 0;
  bool none_worse = true;
};

Compared Compare(const Plan& plan, const std::vector<std::size_t>& ranks, const std::vector<StatisticMechanism>& laws,
                 const std::vector<StatisticMechanism>& measured) {
  Compared compared;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const Quantile& quantile = *plan.statistics[ranks[i]].quantile;
    const double apart = RankErrorsOf(quantile, laws[ranks[i]], 1).one;
    const double together = RankErrorsOf(quantile, measured[i], 1).one;
    compared.apart = std::max(compared.apart, apart);
    compared.together = std::max(compared.together, together);
    compared.none_worse = compared.none_worse && together <= apart;
  }
  return compared;
}

// Ranks with the same shares are as good as the worst of them; where they were weighted, none may become worse.
Result<void> MeasureTogether(const Plan& plan, std::span<const PlainUnits> shares,
                             std::vector<StatisticMechanism>& laws) {
  for (const auto& ranks : RanksOfOneColumn(plan)) {
    std::vector<PlainUnits> theirs;
    for (const std::size_t k : ranks) theirs.push_back(shares[k]);
    const auto [least, most] = std::minmax_element(theirs.begin(), theirs.end());
    const bool alike = most->count() - least->count() <= 16 + most->count() / 1'000'000;
    const auto sum = PlainUnits::Sum(theirs);
    if (!sum) return sum.error();
    const auto measured = MechanismsOfRanks(plan, ranks, *sum);
    if (!measured) return measured.error();
    const Compared compared = Compare(plan, ranks, laws, *measured);
    if (compared.together >= compared.apart || (!alike && !compared.none_worse)) continue;
    for (std::size_t i = 0; i < ranks.size(); ++i) laws[ranks[i]] = (*measured)[i];
  }
  return {};
}

void AddOnce(std::string claim, std::vector<std::string>& claims) {
  if (std::find(claims.begin(), claims.end(), claim) == claims.end()) claims.push_back(std::move(claim));
}

}  // namespace

// The truth is on the lattice: rounding moves the mean to a multiple that is no farther from it than the rounded bar.
double StatisticMechanism::ErrorBar(double confidence) const {
  if (mean_of.empty()) return noise.ErrorBar(confidence);
  constexpr double kRounding = 1 + 1e-9;  // of doubles
  return std::floor(BarOfSum(mean_of, confidence) * kRounding + 0.5);
}

RankErrors RankErrorsOf(const Quantile& quantile, const StatisticMechanism& law, std::size_t groups) {
  if (!law.curve) return RanksByChoice(quantile, law, groups);
  return {law.curve->rank_error(1), law.curve->rank_error(groups)};
}

StatisticMechanism WithoutInterval(const Quantile& without, const StatisticMechanism& law) {
  StatisticMechanism of_value = law;
  of_value.ends.reset();
  if (law.curve) of_value.curve.emplace(without, law.curve->noise());
  return of_value;
}

Result<StatisticMechanism> MechanismOfQuantile(const Statistic& statistic, PlainUnits share) {
  return MechanismOf(statistic, share);
}

std::vector<std::vector<std::size_t>> RanksOfOneColumn(const Plan& plan) {
  std::vector<std::vector<std::size_t>> sets;
  for (std::size_t k = 0; k < plan.statistics.size(); ++k) {
    const Statistic& statistic = plan.statistics[k];
    if (!statistic.quantile || !statistic.noisy() || !plan.levels.empty()) continue;
    if (statistic.quantile->candidates.size() > kLongest) continue;
    const auto same = [&](const std::vector<std::size_t>& set) {
      const Quantile &a = *plan.statistics[set.front()].quantile, &b = *statistic.quantile;
      return a.of == b.of && a.candidates == b.candidates &&
             plan.statistics[set.front()].lattice.exponent == statistic.lattice.exponent;
    };
    const auto found = std::find_if(sets.begin(), sets.end(), same);
    if (found == sets.end())
      sets.push_back({k});
    else
      found->push_back(k);
  }
  std::erase_if(sets, [](const auto& set) { return set.size() < 2; });
  return sets;
}

// Each change bounds by how much the same rows at all candidates can change: the least of them does as well.
Result<std::vector<StatisticMechanism>> MechanismsOfRanks(const Plan& plan, const std::vector<std::size_t>& ranks,
                                                          PlainUnits share) {
  std::optional<Sensitivities> rows;
  for (const std::size_t k : ranks) {
    const auto change = RankCurve::ChangeOfRows(*plan.statistics[k].quantile, plan.statistics[k].change);
    if (!change) return change.error();
    if (!rows || change->l1().steps() < rows->l1().steps()) rows = *change;
  }
  const auto none = Noise::For(Sensitivities::None(), share);
  if (!none) return none.error();
  const auto noise = Noise::For(*rows, share);
  if (!noise) return noise.error();
  std::vector<StatisticMechanism> laws;
  for (const std::size_t k : ranks) {
    laws.push_back({*none, std::nullopt, std::nullopt, RankCurve(*plan.statistics[k].quantile, *noise)});
    laws.back().measured_with = ranks.front();
  }
  return laws;
}

Result<std::vector<StatisticMechanism>> MechanismsOf(const Plan& plan, std::span<const PlainUnits> shares) {
  KITH_CHECK(shares.size() == plan.statistics.size());
  std::vector<StatisticMechanism> laws;
  for (std::size_t k = 0; k < shares.size(); ++k) {
    const auto law = MechanismOf(plan.statistics[k], shares[k]);
    if (!law) return law.error();
    laws.push_back(*law);
  }
  if (const auto done = MeasureTogether(plan, shares, laws); !done) return done.error();
  return laws;
}

Result<std::optional<std::vector<StatisticMechanism>>> NormalMechanismsOf(const Plan& plan,
                                                                          std::span<const std::int64_t> mu) {
  KITH_CHECK(mu.size() == plan.statistics.size());
  using Laws = std::optional<std::vector<StatisticMechanism>>;
  if (!plan.levels.empty()) return Laws();
  Laws laws(std::in_place);
  for (std::size_t k = 0; k < mu.size(); ++k) {
    if (plan.statistics[k].quantile) return Laws();
    const auto share = Loss::Of(LossKind::kMu, plan.statistics[k].noisy() ? mu[k] : 0);
    if (!share) return share.error();
    const auto noise = Noise::For(plan.statistics[k].change, *share);
    if (!noise) return noise.error();
    laws->push_back({*noise, std::nullopt, std::nullopt});
  }
  return laws;
}

void AddPlanClaims(std::span<const StatisticMechanism> laws, std::vector<std::string>& claims) {
  for (const StatisticMechanism& law : laws) AddOnce(law.noise.PlanClaim(), claims);
}

void AddClaims(std::span<const StatisticMechanism> laws, std::vector<std::string>& claims) {
  for (const StatisticMechanism& law : laws) {
    for (std::string& claim : law.noise.Claims()) AddOnce(std::move(claim), claims);
    if (!law.curve) continue;
    if (law.measured_with) AddOnce("QUANTILE-5", claims);
    for (std::string& claim : law.curve->noise().Claims()) AddOnce(std::move(claim), claims);
  }
}

}  // namespace kith
