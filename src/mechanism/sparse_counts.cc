#include "mechanism/sparse_counts.h"

#include <fmt/format.h>

#include <cmath>

namespace kith {
namespace {

/// ln of how many of `cells` empty cells reach the threshold on average. For people and for the choice of a threshold:
/// the loss does not rest on it.
double LogOfFalse(double scale, UInt128 cells, double threshold) {
  return std::log(static_cast<double>(cells)) - threshold / scale - std::log1p(std::exp(-1 / scale));
}

constexpr double kSlack = 1e-9;

}  // namespace

Result<SparseCounts> SparseCounts::Make(Sensitivity change, PlainUnits share, UInt128 cells, std::int64_t threshold) {
  if (cells < 1 || cells > kMostCells)
    return InvalidArgument("the declared values make more than 2^100 cells", {}, "group by fewer columns");
  if (threshold < 1 || threshold > kMostThreshold)
    return InvalidArgument("a threshold is a whole number from 1 to 2^53", {}, "choose a number in this range")
        .For("cells.threshold");
  const auto noise = DiscreteLaplace::Make(change, share);
  if (!noise) return noise.error();
  if (noise->num() == 0) return InvalidArgument("no unit can change these counts: they need no noise and no threshold");
  int digits = 1;
  while (UInt128{1} << digits < cells) ++digits;
  return SparseCounts(
      *noise, GeometricBits::OfMisses(noise->num(), noise->den(), static_cast<std::uint64_t>(threshold), digits),
      GeometricBits::OfDecay(noise->num(), noise->den(), GeometricBits::kMostDigits), cells, threshold);
}

Result<std::int64_t> SparseCounts::ThresholdFor(Sensitivity change, PlainUnits share, UInt128 cells,
                                                double expected_false) {
  if (!(expected_false > 0) || !std::isfinite(expected_false))
    return InvalidArgument("how many empty cells may be shown on average must be above 0", {}, "write 1, or 0.01")
        .For("cells.false");
  const auto noise = DiscreteLaplace::Make(change, share);
  if (!noise) return noise.error();
  const double scale = noise->scale();
  const double least = scale * (LogOfFalse(scale, cells, 0) - std::log(expected_false));
  if (!(least < static_cast<double>(kMostThreshold)))
    return InvalidArgument("no threshold would be high enough at this price", {}, "offer more").For("price");
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(least - kSlack * std::abs(least))));
}

double SparseCounts::ExpectedFalse() const {
  return std::exp(LogOfFalse(noise_.scale(), cells_, static_cast<double>(threshold_))) * (1 + kSlack);
}

double SparseCounts::ShownWith(double confidence) const {
  // Hidden with probability P[Z < threshold - count] = q^(count - threshold + 1) / (1 + q).
  const double scale = noise_.scale();
  const double above = -scale * (std::log1p(-confidence) + std::log1p(std::exp(-1 / scale))) - 1;
  return static_cast<double>(threshold_) + std::max(0.0, std::ceil(above - kSlack));
}

}  // namespace kith
