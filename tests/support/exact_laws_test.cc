#include "tests/support/exact_laws.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kith::testing {
namespace {

TEST(ExactLaws, AddingUpAgreesWithTheClosedForm) {
  for (const double scale : {0.3, 1.0, 6.0, 250.0}) {
    const DiscreteLaplaceLaw law(scale);
    const auto cdf = DiscreteLaplaceCdf(scale);
    const double q = std::exp(-1 / scale);
    for (const int z : {-90, -7, -1, 0, 1, 2, 40}) {
      const double mass = (1 - q) / (1 + q) * std::pow(q, std::abs(z));
      EXPECT_NEAR(static_cast<double>(law.Mass(z)) / mass, 1, 1e-11);
      const double below = z < 0 ? std::pow(q, -z) / (1 + q) : 1 - std::pow(q, z + 1) / (1 + q);
      EXPECT_NEAR(cdf(z), below, 1e-13);
      EXPECT_NEAR(static_cast<double>(law.Cdf(z)), below, 1e-13);
    }
    EXPECT_EQ(cdf(1000000), 1.0);
    EXPECT_EQ(cdf(-1000000), 0.0);
  }
}

}  // namespace
}  // namespace kith::testing
