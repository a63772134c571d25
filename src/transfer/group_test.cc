// independent, group, association, block: values, who won, errors, and the way back.
#include <gtest/gtest.h>
#include <malloc.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>

#include "tests/support/vectors.h"
#include "transfer/delta.h"
#include "transfer/gaussian/gaussian.h"
#include "transfer/transfer.h"

namespace kith {
namespace {

Transfer Groups(std::int64_t size, std::optional<double> odds_ratio) {
  return Transfer::Make(Group{size, {{"", odds_ratio}}}).value();
}

TEST(Group, MeetsTheVectors) {
  for (const auto& v : testing::Vectors("transfer", "transfer.group.odds.")) {
    const auto transfer = Groups(v.inputs.at("size"), v.inputs.at("odds_ratio").get<double>());
    const auto loss = transfer.Loss(v.inputs.at("plain")).value();
    std::string least;
    double least_value = std::numeric_limits<double>::infinity();
    for (const auto& bound : loss.bounds) {
      EXPECT_NEAR(bound.dependent, v.expected.at(bound.name).get<double>(), v.tolerance) << v.id << " " << bound.name;
      if (bound.dependent < least_value) std::tie(least, least_value) = std::pair(bound.name, bound.dependent);
    }
    EXPECT_EQ(loss.bounds.size(), 3U);
    EXPECT_NEAR(loss.dependent, v.expected.at("dependent").get<double>(), v.tolerance) << v.id;
    EXPECT_EQ(loss.bound, least) << v.id;
  }
}

Group NonNegative(std::int64_t size, double odds_ratio) {
  return {size, {{"", odds_ratio}}, "ill", Ties::kNonNegative};
}

/// How many vectors are above `value`, and how many more than their tolerance below it; to 18 digits.
template <class Value>
std::pair<int, int> Missed(const Value& value) {
  int above = 0, far = 0;
  for (const auto& v : testing::Vectors("sharper", "sharper.non_negative.")) {
    const long double found = value(v.inputs.at("size"), v.inputs.at("odds_ratio"), v.inputs.at("plain"));
    const long double truth = std::strtold(v.expected.get<std::string>().c_str(), nullptr);
    above += truth > found ? 1 : 0;
    far += found > truth * (1 + static_cast<long double>(v.tolerance)) ? 1 : 0;
  }
  return {above, far};
}

TEST(Group, NonNegativeTiesMeetTheVectorsFromAbove_ASSOCIATION4) {
  const auto [above, far] = Missed([](std::int64_t size, double odds_ratio, double plain) {
    const auto loss = Transfer::Make(NonNegative(size, odds_ratio))->Loss(plain).value();
    return loss.dependent;
  });
  EXPECT_EQ(above, 0);
  EXPECT_EQ(far, 0);
}

TEST(Group, NonNegativeTiesRoundedDownAreCaught) {
  const auto down = Missed([](std::int64_t size, double odds_ratio, double plain) {
    return Transfer::Make(NonNegative(size, odds_ratio))->Loss(plain)->dependent * (1 - 1e-12);
  });
  EXPECT_GT(down.first, 50);
  const auto weaker = Missed([](std::int64_t size, double odds_ratio, double plain) {
    return Transfer::Make(NonNegative(size, std::pow(odds_ratio, .999)))->Loss(plain)->dependent;
  });
  EXPECT_GT(weaker.first, 200);
}

TEST(Group, TiesOfEitherSignBetweenYesNoRecordsMeetTheVectors_ASSOCIATION5) {
  for (const auto& v : testing::Vectors("sharper", "sharper.either.")) {
    Group group{v.inputs.at("size"), {{"", v.inputs.at("odds_ratio").get<double>()}}};
    const double before = Transfer::Make(group)->Loss(v.inputs.at("plain"))->dependent;
    group.attribute = "ill";
    const auto loss = Transfer::Make(group)->Loss(v.inputs.at("plain")).value();
    EXPECT_NEAR(loss.dependent, v.expected.get<double>(), v.tolerance) << v.id;
    EXPECT_EQ(loss.bound, "association");
    EXPECT_LT(loss.dependent, before);
  }
}

TEST(Group, NonNegativeTiesAreNeverAboveWhatElseIsProved) {
  for (const std::int64_t size : {1, 2, 3, 7, 30, 300, 5'000}) {
    for (const double odds_ratio : {1.0, 1.001, 1.2, 4.0, 40.0, 1e9}) {
      double last = 0;
      for (const double plain : {1e-9, 1e-3, .1, 1., 20., 900.}) {
        const auto sharp = Transfer::Make(NonNegative(size, odds_ratio))->Loss(plain).value();
        EXPECT_LE(sharp.dependent, Groups(size, odds_ratio).Loss(plain)->dependent * (1 + 1e-9));
        EXPECT_GE(sharp.dependent, plain);
        EXPECT_GE(sharp.dependent, last);
        const auto reached = Transfer::Make(NonNegative(size, odds_ratio))->Reached(plain);
        ASSERT_TRUE(reached);
        EXPECT_LE(*reached, sharp.dependent);
        EXPECT_GE(*reached, sharp.dependent * (size > 10 ? 0.9 : 1 - 1e-6));
        last = sharp.dependent;
      }
    }
  }
}

// Pure losses only: with a delta nothing is sharper than without the facts.
TEST(Group, NonNegativeTiesSayNothingUnderADelta) {
  const auto sharp = Transfer::Make(NonNegative(8, 2)).value();
  const auto today = Groups(8, 2);
  EXPECT_LT(sharp.Loss(.1)->dependent, today.Loss(.1)->dependent);
  EXPECT_EQ(sharp.UnderDelta().Loss(.1)->dependent, today.Loss(.1)->dependent);
  EXPECT_EQ(sharp.UnderDelta().Loss(.1)->assumption, today.Loss(.1)->assumption);
  EXPECT_EQ(DependentDelta(sharp, .1, 1e-9).value(), DependentDelta(today, .1, 1e-9).value());
  const auto gaussian = GaussianTransfer::Make(sharp)->Budget(1, 1e-6).value();
  EXPECT_EQ(gaussian.mu, GaussianTransfer::Make(today)->Budget(1, 1e-6)->mu);
}

TEST(Group, ExactTotalsAreRefusedBesideNonNegativeTies) {
  const KnownTotals known{"the exact total", 1, false, true};
  ASSERT_TRUE(Transfer::Make(Group{2, {{"", 2.0}}}, known));
  const auto refused = Transfer::Make(NonNegative(2, 2), known);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().what.find("against each other"), std::string::npos);
}

TEST(Group, NonNegativeTiesAreSaidInWords) {
  Group group = NonNegative(4, 2);
  EXPECT_EQ(
      Transfer::Make(group)->Loss(.25)->assumption,
      "within a group of at most 4 records, given everybody else, having a relative with it never lowers the odds "
      "and multiplies them by at most 2; groups are independent; members depend on each other through ill alone, "
      "one yes or no of each that stays what it is, and all else about somebody, being in the data included, "
      "depends on their own");
  group.shared = SharedBy::kSd;
  group.classes = {{"", OddsRatioOf(SharedBy::kSd, .8), {}, .8}};
  const auto words = Transfer::Make(group)->Loss(.25)->assumption;
  EXPECT_NE(words.find("one cause that acts in the same direction on all, a normal term of their log odds with a "
                       "standard deviation of at most 0.8; groups"),
            std::string::npos)
      << words;
  EXPECT_NEAR(std::log(OddsRatioOf(SharedBy::kSd, .8)), .64, 1e-14);
  EXPECT_GE(OddsRatioOf(SharedBy::kSd, .8), std::exp(.64L));
  EXPECT_NEAR(std::log(OddsRatioOf(SharedBy::kRange, 1.6)), .64, 1e-14);
}

TEST(Group, ManyClassesOfLargeGroupsTakeLittleMemory) {
  Group group{10'000, {}};
  for (int k = 0; k < 20'000; ++k) group.classes.push_back({std::to_string(k), 2 + 1e-6 * k});
  const auto used = [] {
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
  };
  const std::size_t before = used();
  const auto transfer = Transfer::Make(group).value();
  EXPECT_LT(used() - before, std::size_t{64} << 20);
  EXPECT_EQ(transfer.classes(), 20'000U);
}

TEST(Group, ExplainsItself) {
  const auto loss = Groups(4, 2).Loss(0.25).value();
  EXPECT_NEAR(loss.dependent, 0.4347488069818571, 2e-15);
  EXPECT_EQ(loss.bound, "association");
  EXPECT_EQ(
      loss.assumption,
      "within a group of at most 4 records, given everybody else, having a relative with it multiplies the odds by at "
      "most 2; "
      "groups are independent");
}

TEST(Group, AnythingGoesIsTheSum) {
  const auto loss = Groups(4, std::nullopt).Loss(0.25).value();
  EXPECT_EQ(loss.dependent, 1.0);
  EXPECT_EQ(loss.bound, "group");
  ASSERT_EQ(loss.bounds.size(), 1U);
}

TEST(Group, OddsRatioOneIsIndependence) {
  const auto loss = Groups(1000, 1).Loss(0.25).value();
  EXPECT_EQ(loss.dependent, 0.25);
}

TEST(Group, ClassesHaveTheirOwnFunction) {
  const auto twins = Transfer::Make(Group{2, {{"mz", 40}, {"dz", 2.5}}}).value();
  ASSERT_EQ(twins.classes(), 2U);
  EXPECT_EQ(twins.Loss(0.5, 0)->dependent, Groups(2, 40).Loss(0.5)->dependent);
  EXPECT_EQ(twins.Loss(0.5, 1)->dependent, Groups(2, 2.5).Loss(0.5)->dependent);
  EXPECT_LT(twins.PlainBudget(1, 0).value(), twins.PlainBudget(1, 1).value());
}

TEST(Group, ClassesHaveTheirOwnSize_STRATA1) {
  const auto homes = Transfer::Make(Group{6, {{"1", 5, 1}, {"2", 5, 2}, {"6", 5, 6}, {"?", std::nullopt}}}).value();
  for (const double plain : {0.01, 0.2, 1.0, 3.0}) {
    EXPECT_EQ(homes.Loss(plain, 0)->dependent, plain);
    EXPECT_EQ(homes.Loss(plain, 1)->dependent, Groups(2, 5).Loss(plain)->dependent);
    EXPECT_EQ(homes.Loss(plain, 2)->dependent, Groups(6, 5).Loss(plain)->dependent);
    EXPECT_EQ(homes.Loss(plain, 3)->dependent, Groups(6, std::nullopt).Loss(plain)->dependent);
  }
  EXPECT_EQ(homes.PlainBudget(1, 0).value(), 1);
  // Six losses are given; in a class of pairs the one that loses most is the only relative.
  const std::vector<double> each = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
  EXPECT_EQ(homes.LossPerRecord(each, 0)->per_record, each);
  const auto pairs = homes.LossPerRecord(each, 1).value();
  EXPECT_NEAR(pairs.per_record[0], Groups(2, 5).LossPerRecord(std::vector<double>{0.1, 0.6})->per_record[0], 1e-12);
  EXPECT_LE(pairs.dependent, 1.1 + 1e-12);
  EXPECT_NE(homes.Loss(1, 0)->assumption.find("at most 1 record for 1, given"), std::string::npos);
  EXPECT_NE(homes.Loss(1, 1)->assumption.find("at most 2 records for 2, given"), std::string::npos);
  const auto both = Transfer::Make(Group{6, {{"2", 5, 2}, {"6", 2, 6}}}).value();
  EXPECT_NE(both.Loss(1, 0)->assumption.find("the odds by at most 5 among at most 2 records for 2; groups"),
            std::string::npos);
  EXPECT_FALSE(Transfer::Make(Group{6, {{"1", 5, 7}}}).has_value());
  EXPECT_FALSE(Transfer::Make(Group{6, {{"1", 5, 0}}}).has_value());
}

TEST(Group, HugeGroupsKeepBlockAndGroup) {
  const auto loss = Groups(1'000'000, 1.0000001).Loss(0.25).value();
  EXPECT_EQ(loss.bound, "block");
  EXPECT_LT(loss.dependent, 0.26 + 0.1);
}

TEST(Group, PlainLossPerMember) {
  const auto pair = Groups(2, 3);
  const std::vector<double> plain = {0.5, 0.125};
  const auto loss = pair.LossPerRecord(plain).value();
  ASSERT_EQ(loss.per_record.size(), 2U);
  EXPECT_NEAR(
      loss.per_record[0],
      0.5 + 2 * std::log1p(std::expm1(std::log(3.0) / 2) * std::expm1(0.0625) / (std::sqrt(3.0) + std::exp(0.0625))),
      1e-14);
  EXPECT_EQ(loss.bound, "block");  // association takes the largest plain loss for both
  EXPECT_FALSE(pair.LossPerRecord(std::vector<double>{0.5}).has_value());
}

TEST(Independent, LosesWhatWasSpent) {
  const auto transfer = Transfer::Make(Independent{}).value();
  EXPECT_EQ(transfer.Loss(0.3)->dependent, 0.3);
  EXPECT_EQ(transfer.Loss(0.3)->bound, "independent");
  EXPECT_EQ(transfer.PlainBudget(0.3).value(), 0.3);
  EXPECT_EQ(transfer.LossPerRecord(std::vector<double>{0.1, 0.7})->per_record, (std::vector<double>{0.1, 0.7}));
}

TEST(PlainBudget, ComesBackToTheTarget) {
  for (const double odds : {1.5, 2.0, 40.0}) {
    for (const std::int64_t size : {1, 2, 5, 50}) {
      for (const double target : {1e-6, 0.1, 1.0, 20.0}) {
        const auto transfer = Groups(size, odds);
        const double plain = transfer.PlainBudget(target).value();
        const double reached = transfer.Loss(plain)->dependent;
        EXPECT_LE(reached, target);
        EXPECT_GE(reached, target * (1 - 1e-9)) << odds << " " << size;
      }
    }
  }
  EXPECT_EQ(Groups(4, std::nullopt).PlainBudget(1).value(), 0.25);
  EXPECT_EQ(Groups(4, 2).PlainBudget(0).value(), 0);
}

TEST(Transfer, RefusesWhatIsNotALoss) {
  const auto transfer = Groups(2, 2);
  for (const double bad : {-0.1, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(transfer.Loss(bad).error().code, Code::kInvalidArgument);
    EXPECT_EQ(transfer.PlainBudget(bad).error().code, Code::kInvalidArgument);
    EXPECT_EQ(transfer.LossPerRecord(std::vector<double>{0.1, bad}).error().code, Code::kInvalidArgument);
  }
}

}  // namespace
}  // namespace kith
