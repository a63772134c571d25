#include "mechanism/one_sided_laplace.h"

#include <cmath>
#include <numbers>
#include <numeric>

namespace kith {

Result<OneSidedLaplace> OneSidedLaplace::Make(PlainUnits epsilon) {
  const auto coin = RecordRelease::Make(epsilon);
  if (!coin) return coin.error();
  std::optional<LaplaceMagnitude> magnitude;
  if (epsilon.count() < PlainUnits::kOne / 2) {
    const std::int64_t common = std::gcd(PlainUnits::kOne, epsilon.count());
    magnitude.emplace(static_cast<std::uint64_t>(PlainUnits::kOne / common),
                      static_cast<std::uint64_t>(epsilon.count() / common));
  }
  return OneSidedLaplace(*coin, magnitude);
}

std::int64_t OneSidedLaplace::Median() const {
  return static_cast<std::int64_t>(std::ceil(std::numbers::ln2 / coin_.epsilon().epsilon())) - 1;
}

}  // namespace kith
