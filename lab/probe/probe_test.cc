#include "probe/probe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "probe/features.h"

namespace kith::probe {
namespace {

Outcome Of(std::vector<double> numbers) {
  Outcome outcome;
  for (const double n : numbers) outcome.text += std::to_string(n) + " ";
  outcome.numbers = std::move(numbers);
  return outcome;
}

TEST(Probe, RefusesTooFewRunsAndABadDelta) {
  const std::vector<Outcome> few(99, Of({1})), enough(100, Of({1}));
  EXPECT_FALSE(ProvenLoss(few, enough, 0));
  EXPECT_FALSE(ProvenLoss(enough, few, 0));
  EXPECT_TRUE(ProvenLoss(enough, enough, 0));
  for (const double delta : {-0.1, 1.0, std::nan("")}) EXPECT_FALSE(ProvenLoss(enough, enough, delta));
}

TEST(Probe, EqualSidesProveNothingAndSayWhy) {
  const std::vector<Outcome> side(1000, Of({1, 2}));
  const auto proof = ProvenLoss(side, side, 0);
  EXPECT_EQ(proof->loss_at_least, 0);
  EXPECT_LE(proof->false_alarm, kFalseAlarm * (1 + 1e-12));
  ASSERT_EQ(proof->notes.size(), 2u);
  EXPECT_NE(proof->notes[0].find("{run}"), std::string::npos);
}

TEST(Probe, FailuresAreOutcomes) {
  std::vector<Outcome> left(2000, Of({1})), right(2000, Of({1}));
  for (std::size_t i = 0; i < left.size(); i += 4) left[i] = {"exit code 3", {}};
  const auto proof = ProvenLoss(left, right, 0);
  EXPECT_GT(proof->loss_at_least, 1);
  const bool named = std::any_of(proof->events.begin(), proof->events.end(), [](const TestedEvent& e) {
    return e.event == "the output is \"exit code 3\"" && e.left_likelier && e.likelier.hits == 250 && e.other.hits == 0;
  });
  EXPECT_TRUE(named);
  EXPECT_EQ(proof->notes.size(), 1u + 1u);  // the right side is constant; the left has runs without a number
}

// Randomised response: true with probability 3/4. The loss is ln 3; at delta 1/4, ln 2; at delta 1/2, nothing.
TEST(Probe, LossAtADelta) {
  std::vector<Outcome> left, right;
  for (int i = 0; i < 40000; ++i) {
    left.push_back({i % 4 != 0 ? "yes" : "no", {}});
    right.push_back({i % 4 == 0 ? "yes" : "no", {}});
  }
  for (const auto& [delta, truth] : {std::pair{0.0, std::log(3)}, {0.25, std::log(2)}}) {
    const double proven = ProvenLoss(left, right, delta)->loss_at_least;
    EXPECT_LT(proven, truth);
    EXPECT_GT(proven, truth - 0.2);
  }
  EXPECT_EQ(ProvenLoss(left, right, 0.5)->loss_at_least, 0);
}

TEST(Probe, LowestDigits) {
  EXPECT_EQ(LowestDigit(1), 0);
  EXPECT_EQ(LowestDigit(-12), 2);
  EXPECT_EQ(LowestDigit(0.75), -2);
  EXPECT_EQ(LowestDigit(std::nextafter(1.0, 2)), -52);
  EXPECT_EQ(LowestDigit(5e-324), -1074);
  EXPECT_TRUE(std::isnan(LowestDigit(0)));
  EXPECT_TRUE(std::isnan(LowestDigit(INFINITY)));
}

// Infinite numbers, missing numbers and many of them: nothing breaks, and the promise holds on equal laws.
TEST(Probe, AwkwardOutcomes) {
  std::mt19937 engine(7);
  std::vector<Outcome> sides[2];
  for (auto& side : sides) {
    for (int i = 0; i < 600; ++i) {
      std::vector<double> numbers(engine() % 90);
      for (double& n : numbers)
        n = engine() % 5 == 0 ? INFINITY : engine() % 5 == 0 ? -1e308 : static_cast<double>(engine() % 7);
      side.push_back(Of(numbers));
    }
  }
  const auto proof = ProvenLoss(sides[0], sides[1], 0);
  ASSERT_TRUE(proof);
  EXPECT_EQ(proof->loss_at_least, 0);
}

}  // namespace
}  // namespace kith::probe
