#include "mechanism/discrete_laplace.h"

#include <cmath>
#include <numbers>
#include <numeric>

#include "base/check.h"

namespace kith {
namespace {

// Relative errors of the long double arithmetic below stay under 2^-56; this is what we allow for.
constexpr long double kDoubt = 0x1p-50L;

/// ln P[|Z| > k] = ln(2 q^(k+1) / (1 + q)) with q = exp(-rate).
long double LogTail(long double k, long double rate) {
  return std::numbers::ln2_v<long double> - std::log1p(std::exp(-rate)) - (k + 1) * rate;
}

/// ln of the largest probability of an error in one cell that leaves all cells together with the given confidence;
/// down.
long double LogAllowed(double confidence, std::uint64_t cells) {
  KITH_CHECK(confidence > 0 && confidence < 1 && cells >= 1);
  const long double allowed =
      cells == 1 ? 1 - static_cast<long double>(confidence)
                 : -std::expm1(std::log(static_cast<long double>(confidence)) / static_cast<long double>(cells));
  return std::log(allowed) - kDoubt;
}

}  // namespace

Result<DiscreteLaplace> DiscreteLaplace::Make(Sensitivity sensitivity, PlainUnits share) {
  if (sensitivity.steps() == 0) return DiscreteLaplace(std::nullopt);
  if (share.count() == 0) {
    return InvalidArgument("the share of the privacy budget rounds to zero, and no noise is enough for that", {},
                           "offer at least a plain loss of 2^-32 for each statistic");
  }
  const std::uint64_t num = static_cast<std::uint64_t>(sensitivity.steps()) << 32;
  const auto den = static_cast<std::uint64_t>(share.count());
  const std::uint64_t common = std::gcd(num, den);
  return DiscreteLaplace(LaplaceMagnitude(num / common, den / common));
}

double DiscreteLaplace::scale() const { return static_cast<double>(num()) / static_cast<double>(den()); }

double DiscreteLaplace::ErrorBarAll(double confidence, std::uint64_t cells) const {
  const long double allowed = LogAllowed(confidence, cells);
  if (!magnitude_) return 0;
  const long double rate = static_cast<long double>(den()) / static_cast<long double>(num());
  const long double guess = (LogTail(-1, rate) - allowed) / rate - 1;
  if (guess > 0x1p52L) {  // a double can no longer distinguish single lattice steps
    return std::ceil(std::nextafter(static_cast<double>(guess * (1 + kDoubt)), HUGE_VAL));
  }
  long double k = std::fmax(std::floor(guess) - 1, 0);
  while (LogTail(k, rate) > allowed) ++k;  // three rounds at most
  return static_cast<double>(k);
}

Result<PlainUnits> DiscreteLaplace::ShareForError(Sensitivity sensitivity, double error_in_steps, double confidence,
                                                  std::uint64_t cells) {
  if (!(error_in_steps >= 0)) {
    return InvalidArgument("an error must be zero or more", {}, "name the largest error that is still useful");
  }
  if (sensitivity.steps() == 0) return PlainUnits();
  const auto reaches = [&](std::int64_t share) {
    return Make(sensitivity, PlainUnits::Of(share)).value().ErrorBarAll(confidence, cells) <= error_in_steps;
  };
  std::int64_t enough = PlainUnits::kMax;
  if (!reaches(enough)) {
    return InvalidArgument("no privacy budget reaches an error this small", {}, "allow a larger error");
  }
  std::int64_t too_small = 0;
  while (enough - too_small > 1) {
    const std::int64_t middle = too_small + (enough - too_small) / 2;
    (reaches(middle) ? enough : too_small) = middle;
  }
  return PlainUnits::Of(enough);
}

}  // namespace kith
