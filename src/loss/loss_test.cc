#include "loss/loss.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace kith {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(PlainUnits, FloorNeverRoundsUp) {
  for (const double epsilon : {0.0, 1e-12, 0x1p-32, 0x1.8p-32, 0.1, 1.0 / 3, 1.0, 2.5, 1048576.0}) {
    const PlainUnits units = PlainUnits::Floor(epsilon).value();
    EXPECT_LE(units.epsilon(), epsilon);
    EXPECT_GT(units.epsilon() + 0x1p-32, epsilon);
  }
  EXPECT_EQ(PlainUnits::Floor(1.0).value().count(), PlainUnits::kOne);
  EXPECT_EQ(PlainUnits::Floor(0x1p-33).value().count(), 0);
  EXPECT_EQ(PlainUnits::Floor(std::nextafter(1.0, 0.0)).value().count(), PlainUnits::kOne - 1);
  EXPECT_EQ(PlainUnits::Floor(1048576.0).value().count(), PlainUnits::kMax);
}

TEST(PlainUnits, TenTimesATenthFitsIntoOne) {
  EXPECT_LE(10 * PlainUnits::Floor(0.1).value().count(), PlainUnits::Floor(1.0).value().count());
  EXPECT_LE(3 * PlainUnits::Floor(1.0 / 3).value().count(), PlainUnits::Floor(1.0).value().count());
  EXPECT_LE(1000 * PlainUnits::Floor(0.001).value().count(), PlainUnits::Floor(1.0).value().count());
}

TEST(PlainUnits, FloorRefusesWhatIsNoLoss) {
  for (const double bad : {kNan, -1.0, -1e-300, kInfinity, -kInfinity, std::nextafter(1048576.0, kInfinity)}) {
    const auto units = PlainUnits::Floor(bad);
    ASSERT_FALSE(units);
    EXPECT_EQ(units.error().code, Code::kInvalidArgument);
  }
  EXPECT_EQ(PlainUnits::Floor(-0.0).value().count(), 0);
}

TEST(PlainUnits, OfAndBackIsExact) {
  for (const std::int64_t count : {std::int64_t{0}, std::int64_t{1}, (std::int64_t{1} << 52) - 1, PlainUnits::kMax}) {
    EXPECT_EQ(PlainUnits::Floor(PlainUnits::Of(count).epsilon()).value().count(), count);
  }
  EXPECT_LT(PlainUnits::Of(3), PlainUnits::Of(4));
  EXPECT_EQ(PlainUnits(), PlainUnits::Of(0));
  EXPECT_DEATH(PlainUnits::Of(-1), "count");
  EXPECT_DEATH(PlainUnits::Of(PlainUnits::kMax + 1), "count");
}

TEST(PlainUnits, SumsAreExactAndNeverPassTheLargest) {
  const auto of = [](std::int64_t count) { return PlainUnits::Of(count); };
  EXPECT_EQ(of(3) + of(4), of(7));
  EXPECT_EQ(of(7) - of(4), of(3));
  EXPECT_DEATH(of(PlainUnits::kMax) + of(1), "count");
  EXPECT_DEATH(of(3) - of(4), "count");
  EXPECT_EQ(PlainUnits::Sum({}).value(), PlainUnits());
  EXPECT_EQ(PlainUnits::Sum(std::vector{of(1), of(2), of(PlainUnits::kMax - 3)}).value(), of(PlainUnits::kMax));
  const auto beyond = PlainUnits::Sum(std::vector(5000, of(PlainUnits::kMax)));  // more than 64 bits hold, if unchecked
  ASSERT_FALSE(beyond);
  EXPECT_EQ(beyond.error().code, Code::kBudgetExhausted);
  EXPECT_EQ(PlainUnits::CutSum(of(3), of(4)), of(7));
  EXPECT_EQ(PlainUnits::CutSum(of(PlainUnits::kMax - 1), of(2)), of(PlainUnits::kMax));
}

TEST(Epsilon, IsPositiveAndFinite) {
  for (const double bad : {0.0, -0.0, -1.0, kNan, kInfinity, -kInfinity, 1048577.0}) {
    const auto epsilon = Epsilon::Make(bad);
    ASSERT_FALSE(epsilon);
    EXPECT_EQ(epsilon.error().code, Code::kInvalidArgument);
    EXPECT_FALSE(epsilon.error().next.empty());
  }
  for (const double good : {1e-300, 0.1, 1048576.0}) EXPECT_EQ(Epsilon::Make(good).value().value(), good);
}

TEST(Sensitivity, IsAWholeNumberUpTo2To31) {
  EXPECT_EQ(Sensitivity::Make(0).value().steps(), 0);
  EXPECT_EQ(Sensitivity::Make(Sensitivity::kMax).value().steps(), std::int64_t{1} << 31);
  EXPECT_FALSE(Sensitivity::Make(-1));
  EXPECT_FALSE(Sensitivity::Make(Sensitivity::kMax + 1));
}

TEST(Sensitivities, HasThreeBoundsThatFitEachOther) {
  const Sensitivities moved = Sensitivities::Make(2, 2, 2).value();  // a row leaves one group and enters another
  EXPECT_EQ(moved.l1().steps(), 2);
  EXPECT_EQ(moved.l2_squared(), 2);
  EXPECT_EQ(moved.groups(), 2);
  EXPECT_FALSE(moved.IsNone());
  EXPECT_TRUE(Sensitivities::Make(0, 0, 0).value().IsNone());
  EXPECT_EQ(Sensitivities::Make(0, 0, 0).value(), Sensitivities::None());
  for (const auto& [l1, l2_squared, groups] : std::vector<std::array<std::int64_t, 3>>{
           {-1, 1, 1}, {1, -1, 1}, {1, 1, -1}, {0, 1, 1}, {1, 0, 1}, {1, 1, 0}, {2, 5, 1}, {2, 4, 3}}) {
    EXPECT_FALSE(Sensitivities::Make(l1, l2_squared, groups)) << l1 << ' ' << l2_squared << ' ' << groups;
  }
  const auto largest = Sensitivity::kMax;
  EXPECT_TRUE(Sensitivities::Make(largest, largest * largest, largest));  // 2^62 fits
  EXPECT_FALSE(Sensitivities::Make(largest + 1, 1, 1));
}

TEST(Sensitivities, OfL1IsNeverTooSmall) {
  EXPECT_EQ(Sensitivities::OfL1(0).value(), Sensitivities::None());
  EXPECT_FALSE(Sensitivities::OfL1(-1));
  EXPECT_FALSE(Sensitivities::OfL1(Sensitivity::kMax + 1));
  // All whole vectors of four numbers in -3..3.
  for (int code = 0; code < 7 * 7 * 7 * 7; ++code) {
    std::int64_t l1 = 0, l2_squared = 0, groups = 0;
    for (int rest = code, k = 0; k < 4; ++k, rest /= 7) {
      const std::int64_t x = rest % 7 - 3;
      l1 += x < 0 ? -x : x;
      l2_squared += x * x;
      groups += x != 0 ? 1 : 0;
    }
    const Sensitivities change = Sensitivities::OfL1(l1).value();
    EXPECT_GE(change.l2_squared(), l2_squared);
    EXPECT_GE(change.groups(), groups);
    EXPECT_TRUE(Sensitivities::Make(l1, l2_squared, groups));
  }
}

TEST(Lattice, StepIsAPowerOfTwo) {
  EXPECT_EQ((Lattice{0}.step()), 1.0);
  EXPECT_EQ((Lattice{-3}.step()), 0.125);
  EXPECT_EQ((Lattice{10}.step()), 1024.0);
}

}  // namespace
}  // namespace kith
