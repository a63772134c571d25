#include <gtest/gtest.h>

#include <limits>

#include "document/law_audits.h"

namespace kith::document {
namespace {

TEST(TestedClaimTest, AnEventThatProvesNothingHasNoLoss) {
  TestedClaim tested;
  tested.proof.events.emplace_back().loss_at_least = -std::numeric_limits<double>::infinity();
  tested.claimed = 1;
  EXPECT_FALSE(ToJson(tested).at("events").at(0).contains("loss_at_least"));
  EXPECT_EQ(ToJson(tested).at("refuted"), false);
}

}  // namespace
}  // namespace kith::document
