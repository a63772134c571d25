// Counting degrees, and the star bound from them.
#include "transfer/star/star_degrees.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/support/small_laws.h"
#include "transfer/pair/pair.h"

namespace kith {
namespace {

TEST(StarDegrees, CountsBothEnds) {
  auto counter = DegreeCounter::Make(5).value();
  const std::vector<std::uint32_t> a{0, 0, 3, 2, 0};
  const std::vector<std::uint32_t> b{1, 2, 3, 1, 4};
  ASSERT_TRUE(counter.Count(a, b));
  EXPECT_EQ(counter.Of(0), 3u);
  EXPECT_EQ(counter.Of(1), 2u);
  EXPECT_EQ(counter.Of(2), 2u);
  EXPECT_EQ(counter.Of(3), 0u);  // an edge to itself says nothing
  EXPECT_EQ(counter.Of(4), 1u);
  EXPECT_EQ(counter.Largest(), 3u);
  EXPECT_EQ(counter.edges(), 5u);
}

TEST(StarDegrees, PartsAndThreadsGiveTheSame) {
  testing::Dice dice(13);
  std::vector<std::uint32_t> a;
  std::vector<std::uint32_t> b;
  for (int i = 0; i < 5000; ++i) {
    a.push_back(static_cast<std::uint32_t>(dice.Below(300)));
    b.push_back(static_cast<std::uint32_t>(dice.Below(300)));
  }
  std::vector<std::uint32_t> expected(300, 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    ++expected[a[i]];
    ++expected[b[i]];
  }
  auto whole = DegreeCounter::Make(300).value();
  ASSERT_TRUE(whole.Count(a, b));
  auto joined = DegreeCounter::Make(300).value();
  auto other = DegreeCounter::Make(300).value();
  const std::span<const std::uint32_t> as(a);
  const std::span<const std::uint32_t> bs(b);
  ASSERT_TRUE(joined.Count(as.first(1), bs.first(1)));
  ASSERT_TRUE(joined.Count(as.subspan(1, 1000), bs.subspan(1, 1000)));
  ASSERT_TRUE(other.Count(as.subspan(1001), bs.subspan(1001)));
  ASSERT_TRUE(joined.Join(other));
  for (std::uint32_t i = 0; i < 300; ++i) {
    EXPECT_EQ(whole.Of(i), expected[i]);
    EXPECT_EQ(joined.Of(i), expected[i]);
  }
}

TEST(StarDegrees, RefusesBadInput) {
  EXPECT_FALSE(DegreeCounter::Make(0));
  auto counter = DegreeCounter::Make(3).value();
  const std::vector<std::uint32_t> one{0};
  const std::vector<std::uint32_t> two{0, 1};
  const std::vector<std::uint32_t> outside{1, 3};
  EXPECT_FALSE(counter.Count(one, two));
  EXPECT_EQ(counter.Count(two, outside).error().where, "edge 1, counted from 0");
  EXPECT_FALSE(counter.Join(DegreeCounter::Make(4).value()));
}

// A hub whose spokes are not secrets: the star bound is what the hub loses through each of them.
TEST(StarDegrees, IsTheStarBoundRoundedUp_FL3) {
  const Law p{0.9, 0.1};
  const Law q{0.6, 0.4};
  const double of_neighbour = std::max(PairLoss(0.3, p, q), PairLoss(0.3, q, p));
  long double exact = 0.3L;
  for (int i = 0; i < 7; ++i) exact += of_neighbour;
  EXPECT_GE(static_cast<long double>(StarLoss(0.3, of_neighbour, 7)), exact);
  EXPECT_LE(static_cast<long double>(StarLoss(0.3, of_neighbour, 7)), exact * (1 + 1e-15L));
  EXPECT_EQ(StarLoss(0.5, 0.25, 1'000'000'000), 250'000'000.5);
}

/// True if the bound falls below the sum on one of these cases.
template <class Loss>
bool FallsBelow(const Loss& loss) {
  testing::Dice dice(17);
  for (int i = 0; i < 20'000; ++i) {
    const double plain = dice.Uniform();
    const double of_neighbour = plain * dice.Uniform();
    const auto degree = static_cast<std::uint64_t>(1 + dice.Below(1'000'000));
    const long double exact = static_cast<long double>(plain) + static_cast<long double>(of_neighbour) * degree;
    if (static_cast<long double>(loss(plain, of_neighbour, degree)) < exact) return true;
  }
  return false;
}

TEST(StarDegrees, NeverBelowTheSum_FL3) { EXPECT_FALSE(FallsBelow(StarLoss)); }

TEST(StarDegrees, TheCheckAboveSeesOrdinaryRounding) {
  EXPECT_TRUE(FallsBelow([](double plain, double of_neighbour, std::uint64_t degree) {
    return plain + of_neighbour * static_cast<double>(degree);
  }));
}

}  // namespace
}  // namespace kith
