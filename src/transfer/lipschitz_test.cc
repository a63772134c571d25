// lipschitz: displacements, caps, and the published example.
#include <gtest/gtest.h>

#include "tests/support/small_laws.h"
#include "tests/support/stat.h"
#include "tests/support/vectors.h"
#include "transfer/transfer.h"

namespace kith {
namespace {

TEST(Lipschitz, MeetsTheVector) {
  for (const auto& v : testing::Vectors("transfer", "transfer.lipschitz.")) {
    const auto transfer = Transfer::Make(Lipschitz{v.inputs.at("influence"), {}}).value();
    const auto loss = transfer.Loss(v.inputs.at("plain")).value();
    const auto expected = v.expected.get<std::vector<double>>();
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(loss.per_record.at(i), expected[i], v.tolerance);
    EXPECT_EQ(loss.bound, "lipschitz");
    EXPECT_EQ(loss.bounds.size(), 1U);  // without diameters there is no group bound
  }
}

// X_j = X_i / 2 + U / 2: the influence of i on j is 1/2, of j on i it is 2 (MODEL section 3, the example of the paper).
TEST(Lipschitz, BothEndsOfAPairDiffer) {
  const auto unbounded = Transfer::Make(Lipschitz{{{0, 0.5}, {2, 0}}, {}}).value();
  EXPECT_EQ(unbounded.Loss(1)->per_record, (std::vector<double>{1.5, 3}));
  const auto range = Transfer::Make(Lipschitz{{{0, 0.5}, {2, 0}}, {1, 1}}).value();
  EXPECT_EQ(range.Loss(1)->per_record, (std::vector<double>{1.5, 2}));
  EXPECT_EQ(range.Loss(1)->bounds.size(), 2U);
}

TEST(Lipschitz, NoInfluenceIsIndependence) {
  const auto transfer = Transfer::Make(Lipschitz{{{0, 0}, {0, 0}}, {}}).value();
  EXPECT_EQ(transfer.LossPerRecord(std::vector<double>{0.3, 0.7})->per_record, (std::vector<double>{0.3, 0.7}));
}

TEST(Lipschitz, BarelyContractingIsRefusedOrBounded) {
  const double c = 0.5 - 1e-10;
  const auto transfer = Transfer::Make(Lipschitz{{{0, c, c, c}, {c, 0, c, c}, {c, c, 0, c}, {c, c, c, 0}}, {}}).value();
  const auto loss = transfer.Loss(1);
  if (loss) {
    EXPECT_GE(loss->dependent, 1e9);
  } else {
    EXPECT_EQ(loss.error().code, Code::kInvalidArgument);
  }
}

// Walk sums written out: g_i = plain_i + sum over walks from i that do not return to i. Partial sums are below, the
// bound above.
TEST(Lipschitz, CoversAllWalks) {
  testing::Dice dice(stat::SeedForThisTest());
  for (int trial = 0; trial < 200; ++trial) {
    const std::size_t n = 2 + static_cast<std::size_t>(dice.Below(4));
    std::vector<std::vector<double>> c(n, std::vector<double>(n, 0));
    std::vector<double> plain(n);
    for (std::size_t i = 0; i < n; ++i) {
      plain[i] = dice.Between(0, 1);
      for (std::size_t j = 0; j < n; ++j) {
        if (i != j && dice.Chance(0.7)) c[i][j] = dice.Between(0, 0.9 / static_cast<double>(n - 1));
      }
    }
    const auto loss = Transfer::Make(Lipschitz{c, {}})->LossPerRecord(plain).value();
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<double> moved(n, 0);
      moved[i] = 1;
      double sum = plain[i];
      for (int length = 1; length < 600; ++length) {
        std::vector<double> next(n, 0);
        for (std::size_t j = 0; j < n; ++j) {
          for (std::size_t k = 0; k < n && j != i; ++k) next[j] += c[k][j] * moved[k];
          sum += plain[j] * next[j];
        }
        moved = next;
      }
      EXPECT_GE(loss.per_record[i], sum * (1 - 1e-13));
      EXPECT_LE(loss.per_record[i], sum * (1 + 1e-12));
    }
  }
}

}  // namespace
}  // namespace kith
