#include "tests/support/exact_laws.h"

#include <cmath>
#include <memory>
#include <vector>

#include "base/check.h"

namespace kith::testing {
namespace {
// exp(-60) is below what a long double can add to one.
std::int64_t Reach(long double scale) { return static_cast<std::int64_t>(60 * scale) + 60; }
}  // namespace

DiscreteLaplaceLaw::DiscreteLaplaceLaw(long double scale) : scale_(scale), total_(0) {
  KITH_CHECK(scale > 0 && scale <= 10000);
  for (std::int64_t z = Reach(scale); z >= 1; --z) total_ += 2 * std::exp(-static_cast<long double>(z) / scale_);
  total_ += 1;
}

long double DiscreteLaplaceLaw::Mass(std::int64_t z) const {
  return std::exp(-std::abs(static_cast<long double>(z)) / scale_) / total_;
}

long double DiscreteLaplaceLaw::Cdf(std::int64_t z) const {
  long double sum = 0;
  for (std::int64_t y = -Reach(scale_); y <= z; ++y) sum += Mass(y);
  return sum;
}

std::function<double(std::int64_t)> DiscreteLaplaceCdf(double scale) {
  const DiscreteLaplaceLaw law(scale);
  const std::int64_t reach = Reach(scale);
  auto table = std::make_shared<std::vector<double>>();
  long double sum = 0;
  for (std::int64_t z = -reach; z <= reach; ++z) table->push_back(static_cast<double>(sum += law.Mass(z)));
  return [table, reach](std::int64_t z) {
    if (z < -reach) return 0.0;
    return z > reach ? 1.0 : (*table)[static_cast<std::size_t>(z + reach)];
  };
}

}  // namespace kith::testing
