#include "transfer/idle_strength.h"

#include <gtest/gtest.h>

namespace kith {
namespace {

std::string Remark(std::int64_t size, std::optional<double> odds_ratio) {
  return IdleStrength(Group{size, {{"", odds_ratio}}}, 1.0);
}

TEST(IdleStrength, AnOddsRatioThatBuysNothingIsRemarkedOn) {
  EXPECT_NE(Remark(12, 20).find("an odds ratio of 20 in groups of 12 buys nothing"), std::string::npos);
  EXPECT_EQ(Remark(2, 2), "");
  EXPECT_EQ(Remark(12, 1.5), "");
}

TEST(IdleStrength, WhatHasNoStrengthHasNoRemark) {
  EXPECT_EQ(Remark(12, std::nullopt), "");
  EXPECT_EQ(IdleStrength(Independent{}, 1.0), "");
}

}  // namespace
}  // namespace kith
