// delta under dependence: the published value, tightness, and what is refused.
#include "transfer/delta.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/vectors.h"

namespace kith {
namespace {

TEST(DependentDelta, MeetsTheVector) {
  for (const auto& v : testing::Vectors("transfer", "transfer.epsdelta")) {
    const double plain = v.inputs.at("plain");
    const double delta = v.inputs.at("delta");
    const auto result = DependentDelta(std::span(&plain, 1), std::span(&delta, 1), v.inputs.at("dependent"));
    EXPECT_NEAR(result.value(), v.expected.get<double>(), v.tolerance);
  }
}

// Two records that are always equal and the kernel K(x) = e^{e (x_1 + x_2)} - 1, which is (e, e^e - 1)-private: K(1,1)
// - e^{2e} K(0,0) is all that delta has to cover. It is attained; the plain delta would not do.
TEST(DependentDelta, IsAttainedByEqualRecords) {
  const auto pair = Transfer::Make(Group{2, {{"", std::nullopt}}}).value();
  const double e = 0.125;
  const double plain_delta = std::expm1(e);
  const auto kernel = [&](int ones) { return std::expm1(e * ones); };
  for (int ones = 0; ones < 2; ++ones) EXPECT_LE(kernel(ones + 1), std::exp(e) * kernel(ones) + plain_delta + 1e-15);
  const double needed = kernel(2) - std::exp(2 * e) * kernel(0);
  EXPECT_NEAR(DependentDelta(pair, e, plain_delta).value(), needed, 1e-15);
}

// The planted fault: dependent epsilon with the plain delta. The same kernel breaks it.
TEST(DependentDelta, ThePlainDeltaIsNotEnough) {
  const double e = 0.125;
  EXPECT_GT(std::expm1(2 * e), 2 * std::expm1(e));
}

TEST(DependentDelta, LargestDeltaWithLargestLossIsNotEnough) {
  const std::vector<double> plain = {1, 0.01};
  const std::vector<double> delta = {1e-6, 1e-6};
  const double naive = 1e-6 * std::expm1(1.01) / std::expm1(1);
  EXPECT_GT(DependentDelta(plain, delta, 1.01).value(), 50 * naive);
}

TEST(DependentDelta, Ends) {
  const auto of = [](double plain, double delta, double dependent) {
    return DependentDelta(std::span(&plain, 1), std::span(&delta, 1), dependent);
  };
  EXPECT_EQ(of(0.5, 0, 3).value(), 0);
  EXPECT_EQ(of(0, 0, 3).value(), 0);
  EXPECT_EQ(of(0, 1e-9, 3).value(), 1);
  EXPECT_EQ(of(0.001, 0.5, 100).value(), 1);
  EXPECT_GE(of(0.7, 1e-9, 0.7).value(), 1e-9);
  EXPECT_LE(of(0.7, 1e-9, 0.7).value(), 1e-9 * (1 + 1e-14));
}

TEST(DependentDelta, Refuses) {
  const auto of = [](double plain, double delta, double dependent) {
    return DependentDelta(std::span(&plain, 1), std::span(&delta, 1), dependent).has_value();
  };
  EXPECT_FALSE(of(-1, 0.1, 1));
  EXPECT_FALSE(of(1, 1.1, 1));
  EXPECT_FALSE(of(1, std::nan(""), 1));
  EXPECT_FALSE(of(1, 0.1, std::numeric_limits<double>::infinity()));
  EXPECT_FALSE(DependentDelta(std::vector<double>{1, 2}, std::vector<double>{0}, 1).has_value());
  EXPECT_FALSE(DependentDelta(Transfer::Make(Lipschitz{{{0}}, {}}).value(), 1, 0.1).has_value());
}

}  // namespace
}  // namespace kith
