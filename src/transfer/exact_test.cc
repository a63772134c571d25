// exact: published values, and kernels that only joint dependence explains.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/vectors.h"
#include "transfer/kernel_lp.h"
#include "transfer/transfer.h"

namespace kith {
namespace {

Joint FlipChain(int n, double flip) {
  Joint joint{std::vector<std::int64_t>(static_cast<std::size_t>(n), 2), {}};
  for (unsigned x = 0; x < 1U << n; ++x) {
    double p = 0.5;
    for (int k = 0; k + 1 < n; ++k) p *= ((x >> k ^ x >> (k + 1)) & 1U) != 0 ? flip : 1 - flip;
    joint.law.push_back(p);
  }
  return joint;
}

TEST(Exact, MeetsTheChainVectors) {
  for (const auto& v : testing::Vectors("transfer", "transfer.exact.chain")) {
    const auto transfer = Transfer::Make(FlipChain(v.inputs.at("n"), v.inputs.at("flip"))).value();
    const auto loss = transfer.Loss(v.inputs.at("plain")).value();
    const auto expected = v.expected.get<std::vector<double>>();
    ASSERT_EQ(loss.per_record.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(loss.per_record[i], expected[i], v.tolerance) << v.id;
    EXPECT_EQ(loss.bound, "exact");
  }
}

TEST(Exact, SeesThroughExclusiveOr) {
  for (const auto& v : testing::Vectors("transfer", "transfer.exact.xor")) {
    const auto transfer = Transfer::Make(Joint{{2, 2, 2}, {.25, 0, 0, .25, 0, .25, .25, 0}}).value();
    const auto loss = transfer.Loss(v.inputs.at("plain")).value();
    EXPECT_NEAR(loss.dependent, v.expected.at("universal").get<double>(), v.tolerance);
    EXPECT_EQ(loss.bound, "exact");
    EXPECT_EQ(loss.adversary, "somebody who knows how records depend on each other, but no other record");
  }
}

TEST(Exact, SimpleLaws) {
  const auto independent = Transfer::Make(Joint{{2, 2}, {.06, .14, .24, .56}}).value();
  EXPECT_NEAR(independent.Loss(0.7)->dependent, 0.7, 1e-14);
  const auto equal = Transfer::Make(Joint{{2, 2}, {.3, 0, 0, .7}}).value();
  EXPECT_NEAR(equal.Loss(0.7)->dependent, 1.4, 1e-14);
  EXPECT_EQ(equal.Loss(0)->dependent, 0);
  EXPECT_EQ(equal.LossPerRecord(std::vector<double>{0.5, 0})->per_record[1], 0.5);
  const auto constant =
      Transfer::Make(Joint{{2, 2}, {0.4, 0, 0.6, 0}}).value();  // the second record has one possible value
  EXPECT_NEAR(constant.Loss(0.7)->per_record[1], 0.7, 1e-14);
}

// A dependent triple with six independent fair records: 512 rows. What is exact for the triple is exact here.
TEST(Exact, LargeLawsGetARangeInsteadOfAProgramme) {
  const Joint triple{{2, 2, 2}, {.3, .05, .05, .1, .02, .08, .1, .3}};
  Joint large{std::vector<std::int64_t>(9, 2), {}};
  for (const double p : triple.law) large.law.insert(large.law.end(), 64, p / 64);
  for (const double plain : {0.1, 0.5, 2.0}) {
    const auto exact = Transfer::Make(triple)->Loss(plain).value();
    const auto range = Transfer::Make(large)->Loss(plain).value();
    EXPECT_EQ(exact.bound, "exact");
    EXPECT_EQ(range.bound, "range");
    for (std::size_t i = 0; i < 3; ++i) EXPECT_GE(range.per_record[i], exact.per_record[i]);
    EXPECT_LT(range.dependent, 9 * plain);
  }
}

TEST(LargestLogRatio, StrongKernelsAndTinyProbabilities) {
  // K(1)/K(0) <= e^20: log(1 + (e^20 - 1) p) - log(1 + (e^20 - 1) q)
  const double factor = std::exp(20);
  const auto truth = [&](double p, double q) { return std::log1p((factor - 1) * p) - std::log1p((factor - 1) * q); };
  for (const double q : {1e-3, 1e-9, 1e-15}) {
    const double value = LargestLogRatio(Law{0.5, 0.5}, Law{1 - q, q}, {{0, 1, factor}, {1, 0, factor}});
    EXPECT_GE(value, truth(0.5, q) - 1e-13);
    EXPECT_NEAR(value, truth(0.5, q), 1e-6) << q;
  }
}

}  // namespace
}  // namespace kith
