// Where two bounds are nearly equal, the one that covers the stronger adversary is used.
#include <gtest/gtest.h>

#include "transfer/transfer.h"
#include "transfer/transfer_function.h"

namespace kith {
namespace {

const Chain kSlow = {{{.8, .2}, {.3, .7}}, {.6, .4}, 100};      // odds ratio 9.3: tree and field nearly agree at 1
const Chain kRare = {{{.99, .01}, {.9, .1}}, {.99, .01}, 100};  // rare: the tables say far more than their strength

/// What TRANSFER-3 promises.
bool KeepsItsWord(const Transfer& all, const Transfer& chosen, double target) {
  const double before = *all.PlainBudget(target);
  const double after = *chosen.PlainBudget(target);
  if (!(after <= before && after >= 0.99 * before)) return false;
  double last = 0;
  for (int k = 0; k <= 40; ++k) {
    const double plain = 2 * before * k / 40;
    const auto least = *all.Loss(plain);
    const auto loss = *chosen.Loss(plain);
    if (loss.dependent < least.dependent || loss.dependent < last) return false;
    last = loss.dependent;
  }
  return true;
}

TEST(StrongerAdversary, WinsWhereItCostsLessThanAHundredth_TRANSFER3) {
  const auto all = *Transfer::Make(kSlow);
  const auto chosen = *all.ForBudget(1);
  EXPECT_EQ(all.Loss(*all.PlainBudget(1))->bound, "tree");
  const auto at = *chosen.Loss(*chosen.PlainBudget(1));
  EXPECT_EQ(at.bound, "field");
  EXPECT_EQ(at.adversary, Words(Adversary::kEvidence));
  EXPECT_EQ(at.bounds.size(), 3U);  // what was put aside is still shown
  EXPECT_TRUE(KeepsItsWord(all, chosen, 1));
}

TEST(StrongerAdversary, LosesWhereItCostsMore) {
  const auto all = *Transfer::Make(kRare);
  const auto chosen = *all.ForBudget(1);
  EXPECT_EQ(chosen.Loss(*chosen.PlainBudget(1))->bound, "tree");
  EXPECT_EQ(*chosen.PlainBudget(1), *all.PlainBudget(1));
  EXPECT_TRUE(KeepsItsWord(all, chosen, 1));
}

// The planted fault: the bound against the stronger adversary, whatever it costs.
TEST(StrongerAdversary, TheCheckAboveSeesAStrongerAdversaryAtAnyPrice) {
  const auto all = *Transfer::Make(kRare);
  EXPECT_FALSE(KeepsItsWord(all, *Transfer::Make(Group{100, {{}}}), 1));
}

TEST(StrongerAdversary, ModelsWithOneBoundStayAsTheyAre) {
  const auto all = *Transfer::Make(Independent{});
  EXPECT_EQ(*all.ForBudget(1)->PlainBudget(1), *all.PlainBudget(1));
  EXPECT_FALSE(all.ForBudget(-1));
}

TEST(StrongerAdversary, EachClassForItself) {
  const auto all = *Transfer::Make(Group{2, {{"mz", 40.0}, {"dz", 2.5}}});
  const auto chosen = *all.ForBudget(1);
  for (const std::size_t c : {0U, 1U}) EXPECT_GE(*chosen.PlainBudget(1, c), 0.99 * *all.PlainBudget(1, c));
}

}  // namespace
}  // namespace kith
