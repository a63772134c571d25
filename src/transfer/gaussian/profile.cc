#include "transfer/gaussian/profile.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "transfer/gaussian/probit.h"
#include "transfer/rounding.h"

namespace kith {
namespace {

using Real = long double;
constexpr Real kEpsilon = std::numeric_limits<Real>::epsilon();
constexpr std::size_t kMostCharges = 100'000;
constexpr std::int64_t kMostWork = std::int64_t{1} << 28;  // multiplications
constexpr std::int64_t kLargestGrid = std::int64_t{1} << 20;

/// In grid steps, rounded up. One step is `unit` units of PlainUnits.
struct Grid {
  std::int64_t unit = 1;
  std::vector<std::int64_t> charges;
  std::int64_t sum = 0;
};

Grid GridFor(std::span<const PlainUnits> charges, std::int64_t total) {
  Grid grid;
  std::int64_t common = 0;
  std::int64_t count = 0;
  for (const PlainUnits charge : charges) {
    common = std::gcd(common, charge.count());
    count += charge.count() > 0 ? 1 : 0;
  }
  if (count == 0) return grid;
  const std::int64_t most = std::clamp<std::int64_t>(kMostWork / count, 1 << 10, kLargestGrid);
  grid.unit = total / common <= most ? common : std::max(common, total / most + 1);
  for (const PlainUnits charge : charges) {
    if (charge.count() == 0) continue;
    grid.charges.push_back((charge.count() + grid.unit - 1) / grid.unit);
    grid.sum += grid.charges.back();
  }
  return grid;
}

}  // namespace

double GaussianProfile::Delta(double loss) const { return DeltaOfMu(mu_, loss); }

Result<PureProfile> PureProfile::Make(std::span<const PlainUnits> charges) {
  if (charges.size() > kMostCharges) {
    return InvalidArgument("there are more than 100,000 charges", "charges",
                           "count them one by one (their pure sum, or the sum of their squares)");
  }
  const auto total = PlainUnits::Sum(charges);
  if (!total) return total.error();
  const Grid grid = GridFor(charges, total->count());
  const double step = static_cast<double>(grid.unit) / static_cast<double>(PlainUnits::kOne);
  // A pure release of charge e is a function of one coin that tells the truth with odds e^e : 1: its loss is +e or -e.
  std::vector<Real> law(static_cast<std::size_t>(grid.sum) + 1, 0);
  law[0] = 1;
  std::size_t filled = 0;
  for (const std::int64_t charge : grid.charges) {
    const Real e = static_cast<Real>(charge) * static_cast<Real>(step);
    const Real lie = 1 / (1 + std::exp(e));
    const Real truth = 1 / (1 + std::exp(-e));
    const auto by = static_cast<std::size_t>(charge);
    for (std::size_t j = filled + by + 1; j-- > 0;) law[j] = truth * law[j] + (j >= by ? lie * law[j - by] : 0);
    filled += by;
  }
  double squares = 0;
  for (const PlainUnits charge : charges) {
    const double mu = MuOfPure(charge.epsilon());
    squares = rounding::AddUp(squares, rounding::MulUp(mu, mu));
  }
  // Each charge: two probabilities right to 8 units in the last place, two products and a sum.
  const auto doubt = static_cast<double>(12 * kEpsilon * static_cast<Real>(grid.charges.size() + 1));
  return PureProfile(std::move(law), step, doubt, rounding::NextUp(std::sqrt(squares)));
}

// delta = sum over j of P(j) (1 - e^{loss - L_j}) where the loss L_j exceeds `loss`. Masses that vanished are covered
// by the smallest double.
double PureProfile::Delta(double loss) const {
  const auto last = static_cast<double>(law_.size() - 1);
  Real sum = 0;
  for (std::size_t j = 0; j < law_.size(); ++j) {
    const Real own = static_cast<Real>(last - 2 * static_cast<double>(j)) * static_cast<Real>(step_);
    if (own <= loss) break;
    const Real beyond = own - loss + 2 * kEpsilon * own;
    sum += law_[j] * -std::expm1(-beyond);
  }
  if (sum == 0) return loss < last * step_ ? std::numeric_limits<double>::min() : 0;
  const Real wide =
      sum * (1 + doubt_ + 4 * kEpsilon * static_cast<Real>(law_.size() + 4)) + std::numeric_limits<double>::min();
  return std::min(1.0, rounding::NextUp(static_cast<double>(wide)));
}

// Corners of the trade-off function: reject where at most k steps are negative. A test is right with probability P_k
// and wrong with Q_k, and Gaussian noise does as well if mu >= Phi^-1(P_k) - Phi^-1(Q_k). With the tail T_k = P[j >= k]
// both are tails: 1 - P_k = T_{k+1}, and Q_k = T_{last-k} because the law of the loss given the other value is the
// mirror image.
double PureProfile::Mu() const {
  const std::size_t last = law_.size() - 1;
  if (last == 0) return 0;
  const Real doubt = doubt_ + 4 * kEpsilon * static_cast<Real>(law_.size() + 4);
  std::vector<Real> heads(law_.size(), 0);  // P[j < k]
  for (std::size_t k = 1; k <= last; ++k) heads[k] = heads[k - 1] + law_[k - 1];
  std::vector<double> quantile(law_.size() + 1, 0);
  Real tail = 0;
  for (std::size_t k = last; k >= 1; --k) {
    tail += law_[k];
    if (!(std::min(tail, heads[k]) > std::numeric_limits<Real>::min() / kEpsilon)) return each_;
    quantile[k] = UpperQuantileUp(tail * (1 - doubt), heads[k] * (1 + doubt));
  }
  double mu = 0;
  for (std::size_t k = 0; k < last; ++k) mu = std::max(mu, rounding::AddUp(quantile[k + 1], quantile[last - k]));
  return std::min(mu, each_);
}

}  // namespace kith
