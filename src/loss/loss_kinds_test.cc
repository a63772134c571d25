#include "loss/loss_kinds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kith {
namespace {

Loss Of(LossKind kind, std::int64_t amount) { return Loss::Of(kind, amount).value(); }

TEST(LossKind, NumbersAndNamesAreThoseOfLedgers) {
  EXPECT_EQ(static_cast<int>(LossKind::kPure), 1);
  EXPECT_EQ(static_cast<int>(LossKind::kMu), 2);
  EXPECT_EQ(static_cast<int>(LossKind::kRho), 3);
  EXPECT_EQ(static_cast<int>(LossKind::kDelta), 4);
  EXPECT_EQ(NameOf(LossKind::kPure), "pure");
  EXPECT_EQ(NameOf(LossKind::kMu), "mu");
  EXPECT_EQ(NameOf(LossKind::kRho), "rho");
  EXPECT_EQ(NameOf(LossKind::kDelta), "delta");
  for (const LossKind kind : kLossKinds) EXPECT_EQ(LossKindFrom(NameOf(kind)), kind);
  EXPECT_EQ(LossKindFrom("epsilon"), std::nullopt);
}

TEST(Loss, PureIsThatOfPlainUnits) {
  const Loss loss = Loss::Pure(PlainUnits::Floor(0.1).value());
  EXPECT_EQ(loss.amount(LossKind::kPure), PlainUnits::Floor(0.1).value().count());
  EXPECT_EQ(loss.value(LossKind::kPure), PlainUnits::Floor(0.1).value().epsilon());
  EXPECT_TRUE(loss.IsPure());
  EXPECT_TRUE(Loss().IsPure());
  EXPECT_FALSE((loss + Of(LossKind::kDelta, 1)).IsPure());
}

TEST(Loss, AmountsStayWithinTheirKind) {
  for (const LossKind kind : kLossKinds) {
    EXPECT_TRUE(Loss::Of(kind, 0));
    EXPECT_TRUE(Loss::Of(kind, Loss::Largest(kind)));
    EXPECT_FALSE(Loss::Of(kind, Loss::Largest(kind) + 1));
    EXPECT_FALSE(Loss::Of(kind, -1));
  }
  EXPECT_EQ(Of(LossKind::kDelta, Loss::Largest(LossKind::kDelta)).value(LossKind::kDelta), 1);
  EXPECT_EQ(Of(LossKind::kRho, Loss::Largest(LossKind::kRho)).value(LossKind::kRho), 4096);
}

TEST(Loss, RoundsUp) {
  for (const LossKind kind : kLossKinds) {
    for (const double value : {0.0, 5e-324, 1e-30, 1e-12, 1.0 / 3, std::nextafter(0.5, 1.0), 0.999, 1.0}) {
      const Loss loss = Loss::Ceil(kind, value).value();
      EXPECT_GE(loss.value(kind), value) << NameOf(kind) << ' ' << value;
      const auto one = static_cast<long double>(Loss::Ceil(kind, 1).value().amount(kind));  // a power of two: exact
      EXPECT_GE(static_cast<long double>(loss.amount(kind)), value * one) << NameOf(kind) << ' ' << value;
      EXPECT_LT(static_cast<long double>(loss.amount(kind) - 1), value * one) << NameOf(kind) << ' ' << value;
    }
    for (const double bad : {-1e-300, -1.0, std::nan(""), HUGE_VAL, 1e300}) EXPECT_FALSE(Loss::Ceil(kind, bad)) << bad;
  }
  EXPECT_FALSE(Loss::Ceil(LossKind::kDelta, std::nextafter(1.0, 2.0)));
  // More digits than a double has: the next double above.
  const std::int64_t odd = (std::int64_t{1} << 58) + 1;
  EXPECT_EQ(Of(LossKind::kDelta, odd).value(LossKind::kDelta), std::nextafter(0.25, 1.0));
}

TEST(Loss, AddsUpKindByKind) {
  const Loss some = Of(LossKind::kPure, 3) + Of(LossKind::kMu, 5);
  const Loss more = some + Of(LossKind::kMu, 1) + Of(LossKind::kDelta, 2);
  EXPECT_EQ(more.amount(LossKind::kPure), 3);
  EXPECT_EQ(more.amount(LossKind::kMu), 6);
  EXPECT_EQ(more.amount(LossKind::kRho), 0);
  EXPECT_EQ(more.amount(LossKind::kDelta), 2);
}

TEST(Loss, ASumBeyondTheLargestIsWithinNoLimit) {
  for (const LossKind kind : kLossKinds) {
    const Loss limit = Of(kind, Loss::Largest(kind));
    EXPECT_TRUE(limit <= limit);
    Loss sum = limit + Of(kind, 1);
    for (int again = 0; again < 100; ++again) sum = sum + limit;
    EXPECT_FALSE(sum <= limit) << NameOf(kind);
    EXPECT_EQ(sum.amount(kind), Loss::Largest(kind) + 1);
  }
}

TEST(Loss, IsLessOnlyIfLessInEveryKind) {
  const Loss pure = Of(LossKind::kPure, 3), delta = Of(LossKind::kDelta, 3);
  EXPECT_TRUE(pure <= pure + delta);
  EXPECT_TRUE(pure < pure + delta);
  EXPECT_TRUE(pure + delta > delta);
  EXPECT_TRUE(pure == Of(LossKind::kPure, 3));
  EXPECT_FALSE(pure <= delta);  // each has something that the other lacks
  EXPECT_FALSE(delta <= pure);
  EXPECT_EQ(pure <=> delta, std::partial_ordering::unordered);
  EXPECT_EQ(Loss() <=> Loss(), std::partial_ordering::equivalent);
}

}  // namespace
}  // namespace kith
