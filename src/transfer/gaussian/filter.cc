#include "transfer/gaussian/filter.h"

#include <cmath>

#include "transfer/gaussian/probit.h"
#include "transfer/rounding.h"

namespace kith {

Result<GaussianFilter> GaussianFilter::Make(double cap) {
  const double units = std::floor(rounding::Narrow(cap * cap, 1) * 0x1p40);
  if (!(cap > 0) || !(units >= 1) || units > static_cast<double>(Loss::Largest(LossKind::kMu))) {
    return InvalidArgument("a cap of Gaussian loss must lie between 0.000001 and 64", "cap",
                           "state a number such as 0.2");
  }
  const auto most = Loss::Of(LossKind::kMu, static_cast<std::int64_t>(units));
  if (!most) return most.error();
  return GaussianFilter(cap, *most);
}

Result<void> GaussianFilter::Take(double mu) {
  if (!(mu >= 0) || !std::isfinite(mu)) {
    return InvalidArgument("a Gaussian loss must be a finite number that is not negative", "mu",
                           "state a number such as 0.2");
  }
  const auto exhausted = [] {
    return BudgetExhausted("the sum of squares would pass the cap of Gaussian loss", "mu",
                           "ask for less, or stop here");
  };
  const auto charge = Loss::Ceil(LossKind::kMu, rounding::MulUp(mu, mu));
  if (!charge) return exhausted();
  const Loss after = spent_ + *charge;
  if (after.amount(LossKind::kMu) > most_.amount(LossKind::kMu)) return exhausted();
  spent_ = after;
  return {};
}

Result<void> GaussianFilter::Take(PlainUnits pure) { return Take(MuOfPure(pure.epsilon())); }
Result<void> GaussianFilter::Take(const PureProfile& batch) { return Take(batch.Mu()); }

}  // namespace kith
