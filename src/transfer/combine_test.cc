// The minimum of bounds: for each record separately, and whom it covers.
#include <gtest/gtest.h>

#include <limits>

#include "transfer/transfer_function.h"

namespace kith {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Combine, TakesTheSmallestForEachRecord) {
  const auto result = Combine({{"tree", Adversary::kNothing, {1, 5, 3}}, {"group", Adversary::kEvidence, {4}}}, "x");
  EXPECT_EQ(result.per_record, (std::vector<double>{1, 4, 3}));
  EXPECT_EQ(result.dependent, 4);
  EXPECT_EQ(result.bound, "group");
  ASSERT_EQ(result.bounds.size(), 2U);
  EXPECT_EQ(result.bounds[0].dependent, 5);
  EXPECT_EQ(result.assumption, "x");
}

// The worst record is covered against everybody, but the others only against somebody who knows nothing.
TEST(Combine, NamesTheWeakestAdversaryAmongThoseUsed) {
  const auto result = Combine({{"tree", Adversary::kNothing, {1, 5, 3}}, {"group", Adversary::kEvidence, {4}}}, "x");
  EXPECT_EQ(result.adversary, Words(Adversary::kNothing));
}

TEST(Combine, AWeakerBoundThatDoesNotWinDoesNotCount) {
  const auto result = Combine({{"tree", Adversary::kNothing, {5, 4}}, {"group", Adversary::kEvidence, {4}}}, "x");
  EXPECT_EQ(result.adversary, Words(Adversary::kEvidence));  // at equal values the stronger adversary is covered
  EXPECT_EQ(result.bound, "group");
}

TEST(Combine, LeavesOutWhatSaysNothing) {
  const auto result =
      Combine({{"association", Adversary::kEvidence, {kInfinity}}, {"group", Adversary::kEvidence, {4}}}, "x");
  ASSERT_EQ(result.bounds.size(), 1U);
  EXPECT_EQ(result.bounds[0].name, "group");
  EXPECT_TRUE(result.per_record.empty());  // one value for all is not a list of records
}

TEST(Combine, LongListsKeepTheWorstOnly) {
  std::vector<double> many(1001, 1);
  many[500] = 2;
  const auto result = Combine({{"field", Adversary::kEvidence, many}}, "x");
  EXPECT_EQ(result.dependent, 2);
  EXPECT_TRUE(result.per_record.empty());
}

}  // namespace
}  // namespace kith
