#include "probe/bounds.h"

#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <limits>

#include "base/check.h"

namespace kith::probe {
namespace {

// The library's inverse is good to far more digits than this; what it may be off is taken on the safe side.
constexpr double kSlack = 1e-9;
using Binomial = boost::math::binomial_distribution<>;

}  // namespace

double LowerBound(Hits seen, double alpha) {
  KITH_CHECK(seen.trials >= 1 && seen.hits <= seen.trials && alpha > 0 && alpha < 1);
  if (seen.hits == 0) return 0;
  return Binomial::find_lower_bound_on_p(static_cast<double>(seen.trials), static_cast<double>(seen.hits), alpha) *
         (1 - kSlack);
}

double UpperBound(Hits seen, double alpha) {
  KITH_CHECK(seen.trials >= 1 && seen.hits <= seen.trials && alpha > 0 && alpha < 1);
  if (seen.hits == seen.trials) return 1;
  const double bound =
      Binomial::find_upper_bound_on_p(static_cast<double>(seen.trials), static_cast<double>(seen.hits), alpha);
  return std::fmin(1, bound * (1 + kSlack));
}

double LossLowerBound(Hits seen, Hits other, double delta, double alpha) {
  const double likely = LowerBound(seen, alpha / 2) - delta;
  if (!(likely > 0)) return -std::numeric_limits<double>::infinity();
  return std::log(likely / UpperBound(other, alpha / 2)) - kSlack;
}

}  // namespace kith::probe
