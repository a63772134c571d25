// A person's own statistic: what is added up, what is cut, what is refused.
#include "analysis/own/own.h"

#include <gtest/gtest.h>

#include "analysis/own/own_test_tools.h"
#include "tests/support/stat.h"
#include "tests/support/unbooked_study.h"

namespace kith {
namespace {

using testing::HandedRows;
using testing::OwnPolicy;
using testing::TwoParts;

/// x goes into the sum, y says which count rises.
void Plainly(std::span<const double> row, Contribution& out) {
  out.Add(0, row[0]);
  out.Add(1 + static_cast<std::size_t>(row[1]), 1);
}

std::vector<std::int64_t> SumsOf(const OwnOptions& options, RowFunction function,
                                 std::vector<std::vector<std::int64_t>> rows) {
  const Policy policy = OwnPolicy();
  const auto statistic = OwnStatistic::Make(options, function, policy);
  EXPECT_TRUE(statistic) << statistic.error().Text();
  const auto exact = FoldRows(HandedRows(std::move(rows)), (*statistic)->fold(), {});
  EXPECT_TRUE(exact);
  std::vector<std::int64_t> sums;
  for (const Int128 sum : *exact) sums.push_back(static_cast<std::int64_t>(sum));
  return sums;
}

/// Steps of x for a number: its lattice is the policy's.
std::int64_t X(double x) {
  const Policy policy = OwnPolicy();
  return static_cast<std::int64_t>(x / PlanRows({"x"}, {}, policy).value().values[0].lattice.step());
}

TEST(OwnStatistic, AddsUpInWholeStepsAndCutsToTheBounds) {
  EXPECT_EQ(SumsOf(TwoParts(), Plainly, {{X(0.5), 0}, {X(1), 1}, {X(6), 1}, {X(-2), 3}}),
            (std::vector<std::int64_t>{2 + 4 + 8 - 4, 1, 2, 0, 1, 0}));
}

TEST(OwnStatistic, WhatARowMayAddInAllIsSharedInOrder) {
  const RowFunction all = [](std::span<const double>, Contribution& out) {
    for (std::size_t k = 1; k < 6; ++k) out.Add(k, 1);
  };
  EXPECT_EQ(SumsOf(TwoParts(), all, {{0, 0}}), (std::vector<std::int64_t>{0, 1, 1, 0, 0, 0}));
}

TEST(OwnStatistic, NoReturnedNumberAndNoExceptionBreaksASum) {
  const RowFunction wild = [](std::span<const double> row, Contribution& out) {
    out.Add(77, 1);
    out.Add(1, std::nan(""));
    if (row[1] == 1) out.Add(0, -std::numeric_limits<double>::infinity());
    if (row[1] > 1) out.Add(0, std::numeric_limits<double>::infinity());
    if (row[1] == 3) throw std::runtime_error("secret");
  };
  EXPECT_EQ(SumsOf(TwoParts(), wild, {{0, 0}, {0, 2}, {0, 3}}), (std::vector<std::int64_t>{8, 0, 0, 0, 0, 0}));
  EXPECT_EQ(SumsOf(TwoParts(), wild, {{0, 1}, {0, 3}}), (std::vector<std::int64_t>{-4, 0, 0, 0, 0, 0}));
}

TEST(OwnStatistic, AContributionOfOneRowDoesNotReachTheNext) {
  const RowFunction first = [](std::span<const double> row, Contribution& out) {
    if (row[1] == 0) out.Add(0, 1);
  };
  EXPECT_EQ(SumsOf(TwoParts(), first, {{0, 0}, {0, 5}, {0, 5}})[0], 4);
}

TEST(OwnStatistic, SensitivitiesAreThoseOfTheBounds) {
  const auto statistic = OwnStatistic::Make(TwoParts(), Plainly, OwnPolicy()).value();
  EXPECT_TRUE(statistic->SensitivityOf(0) == 2 * 12);  // two rows, from -1 to 2 by quarters
  EXPECT_TRUE(statistic->SensitivityOf(1) == 2 * 4);   // two rows, two counts each, before and after
  auto options = TwoParts();
  options.parts[0].low = 1;  // a row may be missing: then it adds 0
  EXPECT_TRUE(OwnStatistic::Make(options, Plainly, OwnPolicy()).value()->SensitivityOf(0) == 2 * 8);
}

TEST(OwnStatistic, NoiseIsForTheShareOfEachPart) {
  const auto statistic = OwnStatistic::Make(TwoParts(), Plainly, OwnPolicy()).value();
  EXPECT_EQ(statistic->Weights(), (std::vector<double>{1, 3}));
  const std::vector<PlainUnits> shares = {PlainUnits::Of(PlainUnits::kOne / 4), PlainUnits::Of(PlainUnits::kOne)};
  const auto outline = statistic->Outline(shares).value();
  EXPECT_DOUBLE_EQ(outline.noise[0].scale, 24 * 0.25 * 4);
  EXPECT_DOUBLE_EQ(outline.noise[1].scale, 8);
  stat::SeededBits bits(stat::SeedForThisTest());
  const auto findings = RunOn(*statistic, HandedRows({{X(1), 0}}), shares, bits).value();
  ASSERT_EQ(findings.rows.size(), 6u);
  EXPECT_EQ(std::get<std::string>(findings.rows[5][0]), "counts");
  EXPECT_EQ(std::get<std::int64_t>(findings.rows[5][1]), 4);
  EXPECT_EQ(findings.claims, (std::vector<std::string>{"OWN-1", "ROWS-1"}));
}

TEST(OwnStatistic, ALimitCutsTheBoundsOfItsRow) {
  auto options = TwoParts();
  options.limit = "quarters / 4.0";
  const Policy policy = OwnPolicy("public", 1);
  const auto made = OwnStatistic::Make(options, Plainly, policy);
  ASSERT_TRUE(made) << made.error().Text();
  const std::int64_t one =
      static_cast<std::int64_t>(1 / PlanRows({"quarters / 4.0"}, {}, policy).value().values[0].lattice.step());
  const auto sum = [&](std::int64_t limit) {
    return static_cast<std::int64_t>(FoldRows(HandedRows({{X(6), 0, limit}}), (*made)->fold(), {}).value()[0]);
  };
  EXPECT_EQ(sum(0), 0);
  EXPECT_EQ(sum(one / 2), 4);
  EXPECT_EQ(sum(one), 8);
}

TEST(OwnStatistic, TheNameIsPartOfWhatIsAsked) {
  auto other = TwoParts();
  other.name = "test 2";
  OwnOptions limited = TwoParts(), unlimited = TwoParts();
  limited.limit = "quarters / 4.0";
  unlimited.values.emplace_back("quarters / 4.0");
  const Policy policy = OwnPolicy("public", 1);
  EXPECT_NE(OwnStatistic::Make(limited, Plainly, policy).value()->Normalised(),
            OwnStatistic::Make(unlimited, Plainly, policy).value()->Normalised());
  EXPECT_NE(OwnStatistic::Make(TwoParts(), Plainly, OwnPolicy()).value()->Normalised(),
            OwnStatistic::Make(other, Plainly, OwnPolicy()).value()->Normalised());
}

TEST(OwnStatistic, RefusesWhatItCannotBound) {
  const auto refused = [](const std::function<void(OwnOptions&)>& change, const Policy& policy = OwnPolicy()) {
    OwnOptions options = TwoParts();
    change(options);
    const auto made = OwnStatistic::Make(options, Plainly, policy);
    return !made && (made.error().code == Code::kInvalidArgument || made.error().code == Code::kUnsupportedQuery);
  };
  EXPECT_TRUE(refused([](OwnOptions& o) { o.name.clear(); }));
  EXPECT_TRUE(refused([](OwnOptions& o) { o.values.clear(); }));
  EXPECT_TRUE(refused([](OwnOptions& o) { o.values = {"secret_column"}; }));
  EXPECT_TRUE(refused([](OwnOptions& o) { o.parts.clear(); }));
  EXPECT_TRUE(refused([](OwnOptions& o) { o.parts[0].step = 0.3; }));
  EXPECT_TRUE(refused([](OwnOptions& o) { o.parts[0].low = 3; }));
  EXPECT_TRUE(refused([](OwnOptions& o) { o.parts[0].high = std::nan(""); }));
  EXPECT_TRUE(refused([](OwnOptions& o) { o.parts[0].high = std::numeric_limits<double>::infinity(); }));
  EXPECT_TRUE(refused([](OwnOptions& o) { o.parts[0].high = 0x1p31; }));
  EXPECT_TRUE(refused([](OwnOptions& o) { o.parts[0].weight = 0; }));
  EXPECT_TRUE(refused([](OwnOptions& o) { o.parts[1].size = OwnOptions::kMaxNumbers; }));
  EXPECT_TRUE(refused([](OwnOptions& o) { o.limit = "quarters"; }));  // up to 4
  EXPECT_TRUE(refused([](OwnOptions& o) { o.limit = "y / 9"; }));     // not public
  EXPECT_TRUE(refused([](OwnOptions& o) { o.limit = "quarters / 4.0"; }, OwnPolicy("secret")));
  EXPECT_FALSE(OwnStatistic::Make(TwoParts(), nullptr, OwnPolicy()));
}

}  // namespace
}  // namespace kith
