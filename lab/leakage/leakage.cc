#include "leakage/leakage.h"

#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/check.h"
#include "leakage/entropy.h"

namespace kith::one_sided {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool Open(std::size_t state, std::size_t attribute) { return (state >> attribute & 1U) != 0; }

/// 0/0 is "no change": the observation is impossible either way and says nothing.
double Ratio(double above, double below) { return below > 0 ? above / below : above > 0 ? kInfinity : 1; }

}  // namespace

double Likelihood(const Observation& seen, bool open) {
  if (!open) return seen.released ? 0 : 1;
  // Not 0 times infinity: an infinite epsilon that was not tried says nothing.
  const double stays_away = seen.suppressed == 0 ? 1 : std::exp(-seen.epsilon * seen.suppressed);
  return seen.released ? stays_away * -std::expm1(-seen.epsilon) : stays_away;
}

namespace {

double PairFactor(const SensitivityLaw& law, const Observation& seen, std::size_t target) {
  if (seen.attribute == target) return Ratio(Likelihood(seen, false), Likelihood(seen, true));
  const auto pair = Dependence(law, seen.attribute, target);
  if (!pair) return 1;
  const double sensitive = pair->d1 * Likelihood(seen, false) + (1 - pair->d1) * Likelihood(seen, true);
  const double open = pair->d2 * Likelihood(seen, false) + (1 - pair->d2) * Likelihood(seen, true);
  return Ratio(sensitive, open);
}

Result<void> CheckSeen(const SensitivityLaw& law, std::size_t target, const std::vector<Observation>& seen) {
  std::vector<bool> met(law.attributes(), false);
  for (const Observation& one : seen) {
    if (one.attribute >= law.attributes())
      return InvalidArgument("an observation names an attribute that the law does not have");
    if (met[one.attribute])
      return InvalidArgument("an attribute is observed twice", {}, "put all its tries into one observation");
    met[one.attribute] = true;
    if (!(one.epsilon >= 0) || one.suppressed < 0)
      return InvalidArgument("an observation needs an epsilon of 0 or more and a number of tries of 0 or more");
  }
  if (target >= law.attributes()) return InvalidArgument("the target is not an attribute of the law");
  const double sensitive = law.Sensitive(target);
  if (!(sensitive > 0 && sensitive < 1))
    return InvalidArgument("the target is always or never sensitive: there is nothing to learn");
  return {};
}

}  // namespace

Result<SensitivityLaw> SensitivityLaw::Make(std::vector<double> law) {
  if (law.size() < 2 || !std::has_single_bit(law.size()))
    return InvalidArgument("a joint law of n attributes needs 2^n probabilities", {},
                           "list them with the first attribute varying fastest; 0 is sensitive, 1 is not");
  const auto attributes = static_cast<std::size_t>(std::countr_zero(law.size()));
  if (attributes > kMostAttributes)
    return InvalidArgument("a joint law of more than 20 attributes is too large", {}, "split it into parts");
  for (const double p : law) {
    if (!(p >= 0)) return InvalidArgument("a probability is negative or not a number");
  }
  const double sum = std::accumulate(law.begin(), law.end(), 0.0);
  if (!(std::abs(sum - 1) <= 1e-9)) return InvalidArgument("the probabilities do not add up to 1");
  for (double& p : law) p /= sum;
  return SensitivityLaw(std::move(law), attributes);
}

Result<SensitivityLaw> SensitivityLaw::FromCounts(const std::vector<double>& counts, double smoothing) {
  std::vector<double> law(counts.size());
  double sum = 0;
  for (std::size_t state = 0; state < counts.size(); ++state) {
    if (!(counts[state] >= 0) || !(smoothing >= 0)) return InvalidArgument("a count is negative or not a number");
    sum += law[state] = counts[state] + smoothing;
  }
  if (!(sum > 0)) return InvalidArgument("the sample is empty", {}, "give counts, or a law");
  for (double& p : law) p /= sum;
  return Make(std::move(law));
}

double SensitivityLaw::Sensitive(std::size_t attribute) const {
  double sum = 0;
  for (std::size_t state = 0; state < law_.size(); ++state) sum += Open(state, attribute) ? 0 : law_[state];
  return sum;
}

std::optional<double> SensitivityLaw::OpenGiven(std::size_t attribute, std::size_t given, bool given_open) const {
  double both = 0;
  double all = 0;
  for (std::size_t state = 0; state < law_.size(); ++state) {
    if (Open(state, given) != given_open) continue;
    all += law_[state];
    if (Open(state, attribute)) both += law_[state];
  }
  if (!(all > 0)) return std::nullopt;
  return std::min(1.0, both / all);
}

std::optional<PairDependence> Dependence(const SensitivityLaw& law, std::size_t i, std::size_t j) {
  const auto when_sensitive = law.OpenGiven(i, j, false);
  const auto when_open = law.OpenGiven(i, j, true);
  if (!when_sensitive || !when_open) return std::nullopt;
  return PairDependence{1 - *when_sensitive, 1 - *when_open};
}

double SuppressedFactor(const PairDependence& pair, double epsilon) {
  KITH_CHECK(epsilon >= 0);
  // Both sides divided by e^epsilon, so that a large epsilon does no harm.
  const double away = std::exp(-epsilon);
  return Ratio(pair.d1 + (1 - pair.d1) * away, pair.d2 + (1 - pair.d2) * away);
}

double ReleasedFactor(const PairDependence& pair) { return Ratio(1 - pair.d1, 1 - pair.d2); }

double LargestEpsilon(const PairDependence& pair, double kappa) {
  KITH_CHECK(kappa >= 0);
  const double excess = pair.d1 - std::exp(kappa) * pair.d2;
  if (excess <= 0) return kInfinity;
  return std::log1p(std::expm1(kappa) / excess);
}

Result<Odds> OddsAfter(const SensitivityLaw& law, std::size_t target, const std::vector<Observation>& seen) {
  const auto checked = CheckSeen(law, target, seen);
  if (!checked) return checked.error();
  double sensitive = 0;
  double open = 0;
  for (std::size_t state = 0; state < law.law().size(); ++state) {
    double weight = law.law()[state];
    for (const Observation& one : seen) weight *= Likelihood(one, Open(state, one.attribute));
    (Open(state, target) ? open : sensitive) += weight;
  }
  if (!(sensitive + open > 0))
    return InvalidArgument("this cannot be observed: the law gives it probability 0", {},
                           "a sensitive record is never released; check the law and what was seen");
  Odds odds;
  const double theta = law.Sensitive(target);
  odds.prior = theta / (1 - theta);
  odds.posterior = Ratio(sensitive, open);
  odds.factor = odds.posterior / odds.prior;
  odds.pairwise = 1;
  for (const Observation& one : seen) odds.pairwise *= PairFactor(law, one, target);
  odds.product_holds = odds.pairwise == odds.factor || std::abs(odds.pairwise - odds.factor) <= 1e-9 * odds.factor;
  return odds;
}

double Information(const SensitivityLaw& law, std::size_t i, std::size_t j, double rate) {
  const double theta = law.Sensitive(j);
  const double open = 1 - law.Sensitive(i);
  double noise = 0;
  for (const bool state : {false, true}) {
    const auto given = law.OpenGiven(i, j, state);
    if (given) noise += (state ? 1 - theta : theta) * Coin(rate * *given);
  }
  return std::max(0.0, Coin(rate * open) - noise);
}

double JointInformation(const SensitivityLaw& law, std::size_t target, const std::vector<double>& rates) {
  KITH_CHECK(rates.size() == law.attributes() && target < rates.size());
  // For each value of the target: the law of which records are released. A released record is open; so send each
  // open bit to "stays away" with probability 1 - rate, one attribute at a time.
  const auto released = [&](bool target_open) {
    std::vector<double> seen(law.law().size(), 0.0);
    for (std::size_t state = 0; state < seen.size(); ++state) {
      if (Open(state, target) == target_open) seen[state] = law.law()[state];
    }
    for (std::size_t a = 0; a < rates.size(); ++a) {
      for (std::size_t state = 0; state < seen.size(); ++state) {
        if (!Open(state, a)) continue;
        seen[state ^ (std::size_t{1} << a)] += (1 - rates[a]) * seen[state];
        seen[state] *= rates[a];
      }
    }
    return seen;
  };
  const auto sensitive = released(false);
  const auto open = released(true);
  double information = Coin(law.Sensitive(target));
  for (std::size_t m = 0; m < open.size(); ++m) {
    const double all = sensitive[m] + open[m];
    if (all > 0) information -= all * Coin(open[m] / all);
  }
  return std::max(0.0, information);
}

}  // namespace kith::one_sided
