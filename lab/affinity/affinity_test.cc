// The affinity join on profiles whose similarities are known, and what it refuses.
#include "affinity/affinity.h"

#include <gtest/gtest.h>

#include <mutex>
#include <set>

namespace kith {
namespace {

using Pairs = std::set<std::pair<std::uint32_t, std::uint32_t>>;

Pairs Found(const Profiles& profiles, Similarity similarity, Threshold threshold) {
  Pairs pairs;
  std::mutex mutex;
  const auto join = Affinity::Make(profiles, similarity, threshold).value();
  const auto done = join.ForEach(
      [&](unsigned, std::uint32_t record, std::span<const std::uint32_t> later) {
        const std::scoped_lock lock(mutex);
        for (const std::uint32_t other : later) pairs.emplace(record, other);
      },
      2, {});
  EXPECT_TRUE(done);
  return pairs;
}

// Records 0 and 1 agree in five of five attributes, 0 and 2 in four, 0 and 3 in three.
Profiles FiveAttributes() { return {{{1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}, {4, 4, 4, 9}, {5, 5, 9, 8}}, {}, 1}; }

TEST(Affinity, ExactlyTheThresholdIsNotAboveIt) {
  EXPECT_EQ(Found(FiveAttributes(), Similarity::kCosine, {4, 5}), (Pairs{{0, 1}}));
  EXPECT_EQ(Found(FiveAttributes(), Similarity::kCosine, {799, 1000}), (Pairs{{0, 1}, {0, 2}, {1, 2}}));
}

TEST(Affinity, ThePrintedFormulaIsAtMostOneOverTheNumberOfCategories) {
  EXPECT_TRUE(Found(FiveAttributes(), Similarity::kPrinted, {4, 5}).empty());
  EXPECT_TRUE(Found(FiveAttributes(), Similarity::kPrinted, {1, 5}).empty());
  EXPECT_EQ(Found(FiveAttributes(), Similarity::kPrinted, {199, 1000}), (Pairs{{0, 1}}));
}

TEST(Affinity, OneLargeNumberMakesEverybodySimilarUnderBothFormulas) {
  const Profiles profiles{{}, {{200000, 90000, 1400000}, {39, 17, 90}}, 1};
  EXPECT_EQ(Found(profiles, Similarity::kPrinted, {4, 5}).size(), 3u);
  EXPECT_EQ(Found(profiles, Similarity::kCosine, {4, 5}).size(), 3u);
}

TEST(Affinity, ARecordWithoutEntriesIsSimilarToNobody) {
  EXPECT_TRUE(Found({{}, {{0, 0, 5}}, 1}, Similarity::kCosine, {1, 1000}).empty());
  EXPECT_TRUE(Found({{}, {{0, 0, 5}}, 1}, Similarity::kPrinted, {1, 1000}).empty());
}

TEST(Affinity, SummaryCountsDegreesAndConnectedParts) {
  const auto join = Affinity::Make(FiveAttributes(), Similarity::kCosine, {3, 4}).value();
  const auto graph = Summarise(join, 1, {}).value();
  EXPECT_EQ(graph.edges, 3u);
  EXPECT_EQ(graph.degrees, (std::vector<std::uint32_t>{2, 2, 2, 0}));
  EXPECT_EQ(graph.component, (std::vector<std::uint32_t>{0, 0, 0, 3}));
  EXPECT_EQ(graph.largest_degree, 2u);
  EXPECT_EQ(graph.largest_component, 3u);
}

TEST(Affinity, OneRecordHasNoPartner) {
  const auto graph = Summarise(Affinity::Make({{{7}}, {}, 1}, Similarity::kCosine, {4, 5}).value(), 2, {}).value();
  EXPECT_EQ(graph.edges, 0u);
  EXPECT_EQ(graph.largest_component, 1u);
}

TEST(Affinity, RefusesWhatItCannotCompare) {
  const auto refused = [](const Profiles& profiles, Threshold threshold) {
    const auto made = Affinity::Make(profiles, Similarity::kCosine, threshold);
    return !made && made.error().code == Code::kInvalidArgument;
  };
  EXPECT_TRUE(refused({}, {4, 5}));
  EXPECT_TRUE(refused({{{}}, {}, 1}, {4, 5}));
  EXPECT_TRUE(refused({{{1, 2}, {1}}, {}, 1}, {4, 5}));
  EXPECT_TRUE(refused({{{1, 2}}, {}, 0}, {4, 5}));
  EXPECT_TRUE(refused({{}, {{Affinity::kMaxSteps + 1}}, 1}, {4, 5}));
  EXPECT_TRUE(refused({{{1, 2}}, {}, 1}, {0, 5}));
  EXPECT_TRUE(refused({{{1, 2}}, {}, 1}, {4, 1001}));
}

TEST(Affinity, StopsWhenAsked) {
  CancelFlag cancel;
  cancel.Cancel();
  const auto join = Affinity::Make(FiveAttributes(), Similarity::kCosine, {4, 5}).value();
  EXPECT_EQ(join.ForEach([](unsigned, std::uint32_t, std::span<const std::uint32_t>) {}, 1, cancel).error().code,
            Code::kCancelled);
}

}  // namespace
}  // namespace kith
