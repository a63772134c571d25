// The black-box tester on every mechanism of kith, where it must find nothing, and on planted faults, where it must
// find each. A false alarm has probability at most 1e-9 for each test.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "probe/probe.h"
#include "tests/e2e/planted_faults.h"
#include "tests/e2e/probe_world.h"
#include "tests/support/stat.h"

namespace kith {
namespace {

using faults::Numbers;
using probe::Outcome;
using probe::Proof;
using testing::ProbeWorld;

constexpr std::size_t kRuns = 20000;

std::vector<Outcome> Repeat(const std::function<Outcome()>& run, std::size_t runs = kRuns) {
  std::vector<Outcome> outcomes(runs);
  for (Outcome& outcome : outcomes) outcome = run();
  return outcomes;
}

Proof Prove(const std::vector<Outcome>& left, const std::vector<Outcome>& right, double delta = 0) {
  const auto proof = probe::ProvenLoss(left, right, delta);
  EXPECT_TRUE(proof.has_value()) << proof.error().Text();
  EXPECT_LE(proof->false_alarm, 1.000001e-9);
  EXPECT_EQ(proof->false_alarm > 0, !proof->events.empty());
  ::testing::Test::RecordProperty("loss_at_least", std::to_string(proof->loss_at_least));
  return *proof;
}

// --- kith's mechanisms: the loss is 1, and the runs prove most of it but never more ---

struct Question {
  const char* name;
  const char* sql;
  const char* one;    // the record of the first person ...
  const char* other;  // ... and what replaces it
  double seen;        // the runs should prove this much of the loss
};

class Mechanism : public ::testing::TestWithParam<Question> {};

TEST_P(Mechanism, StaysBelowItsLoss_PROBE1) {
  const Question& question = GetParam();
  const ProbeWorld left("left", question.one), right("right", question.other);
  stat::SeededBits bits(stat::SeedForThisTest());
  const Proof proof = Prove(left.Ask(question.sql, kRuns, bits), right.Ask(question.sql, kRuns, bits));
  EXPECT_LE(proof.loss_at_least, 1);
  EXPECT_GT(proof.loss_at_least, question.seen);
}

// The more answers share the loss, the less of it the same number of runs can prove.
const Question kQuestions[] = {
    {"Count", "SELECT count(*) FROM t WHERE ill = 'yes'", "yes,1,1,A", "no,1,1,A", 0.8},
    {"LatticeSum", "SELECT sum(dose) FROM t", "no,1,4,A", "no,1,0,A", 0.75},
    {"IntegerSum", "SELECT sum(age) FROM t", "no,120,1,A", "no,0,1,A", 0.75},
    {"Average", "SELECT avg(age) FROM t", "no,120,1,A", "no,0,1,A", 0.2},
    {"Histogram", "SELECT ward, count(*) FROM t GROUP BY ward", "no,1,1,A", "no,1,1,B", 0.6},
    {"HistogramOfSums", "SELECT ward, sum(age) FROM t GROUP BY ward", "no,120,1,A", "no,120,1,B", 0.5},
    {"Rollup", "SELECT ward, count(*) FROM t GROUP BY ROLLUP(ward)", "no,1,1,A", "no,1,1,B", 0.3},
    {"SeveralAggregates", "SELECT count(*) FILTER (WHERE ill = 'yes'), sum(age), avg(dose) FROM t", "yes,120,4,A",
     "no,0,0,A", 0.2}};
INSTANTIATE_TEST_SUITE_P(Probe, Mechanism, ::testing::ValuesIn(kQuestions),
                         [](const auto& tested) { return std::string(tested.param.name); });

// --- planted faults: each claims a loss of 1 ---

TEST(ProbeFault, HalfSensitivity_PROBE1) {
  stat::SeededBits bits(stat::SeedForThisTest());
  const auto noise = faults::Noise(60);  // an age changes a sum by up to 120
  const auto sum = [&](Int128 exact) {
    return Repeat([&] { return Numbers({static_cast<double>(noise.Release(exact, bits))}); });
  };
  EXPECT_GT(Prove(sum(326), sum(206)).loss_at_least, 1);
}

TEST(ProbeFault, ForgottenDependence) {
  stat::SeededBits bits(stat::SeedForThisTest());
  const auto noise = faults::Noise(1);  // right for one person; but two records are always equal
  const auto count = [&](Int128 exact) {
    return Repeat([&] { return Numbers({static_cast<double>(noise.Release(exact, bits))}); });
  };
  EXPECT_GT(Prove(count(2), count(0)).loss_at_least, 1);
  EXPECT_LE(Prove(count(1), count(0)).loss_at_least, 1);  // the same mechanism where it is right
}

// A count and its total, each with enough noise by itself.
TEST(ProbeFault, LevelsThatAreNotAddedUp) {
  stat::SeededBits bits(stat::SeedForThisTest());
  const auto levels = [&](Int128 exact, std::int64_t scale) {
    const auto noise = faults::Noise(scale);
    return Repeat([&, noise] {
      return Numbers(
          {static_cast<double>(noise.Release(exact, bits)), static_cast<double>(noise.Release(exact, bits))});
    });
  };
  EXPECT_GT(Prove(levels(3, 1), levels(2, 1)).loss_at_least, 1);
  EXPECT_LE(Prove(levels(3, 2), levels(2, 2)).loss_at_least, 1);
}

// Two answers, each with enough noise for half of the loss; but it is the same noise.
TEST(ProbeFault, ReusedNoise) {
  stat::SeededBits bits(stat::SeedForThisTest());
  const auto noise = faults::Noise(2);
  const auto two = [&](Int128 first, Int128 second, bool reused) {
    return Repeat([&, first, second, reused] {
      const Int128 z = noise.Noise(bits), other = reused ? z : noise.Noise(bits);
      return Numbers({static_cast<double>(first + z), static_cast<double>(second + other)});
    });
  };
  const Proof proof = Prove(two(5, 3, true), two(4, 3, true));
  EXPECT_GT(proof.loss_at_least, 5);
  EXPECT_EQ(proof.events[0].family, "pair of answers");
  EXPECT_LE(Prove(two(5, 3, false), two(4, 3, false)).loss_at_least, 1);
}

// The same, when the second answer is on another scale: a sum whose noise is 120 times that of a count.
TEST(ProbeFault, ReusedNoiseAtAnotherScale) {
  stat::SeededBits bits(stat::SeedForThisTest());
  const auto noise = faults::Noise(2);
  const auto two = [&](Int128 count, Int128 sum) {
    return Repeat([&, count, sum] {
      const Int128 z = noise.Noise(bits);
      return Numbers({static_cast<double>(count + z), static_cast<double>(sum + 120 * z)});
    });
  };
  const Proof proof = Prove(two(5, 320), two(4, 240));
  EXPECT_GT(proof.loss_at_least, 5);
  EXPECT_EQ(proof.events[0].family, "pair of answers");
}

TEST(ProbeFault, FloatRounding) {
  faults::NaiveLaplace noise(1, stat::SeedForThisTest());
  const auto answers = [&](double exact) { return Repeat([&, exact] { return Numbers({noise(exact)}); }); };
  const Proof proof = Prove(answers(0), answers(1));
  EXPECT_GT(proof.loss_at_least, 3);
  EXPECT_EQ(proof.events[0].family, "low-order digits");
}

// Groups without people are left out instead of getting noise.
TEST(ProbeFault, EmptyGroupsAreLeftOut) {
  stat::SeededBits bits(stat::SeedForThisTest());
  const auto noise = faults::Noise(2);
  const auto histogram = [&](std::vector<Int128> exact) {
    return Repeat([&, exact] {
      std::vector<double> shown;
      for (const Int128 cell : exact) {
        if (cell > 0) shown.push_back(static_cast<double>(noise.Release(cell, bits)));
      }
      return Numbers(shown);
    });
  };
  EXPECT_GT(Prove(histogram({4, 1}), histogram({5, 0})).loss_at_least, 5);
  EXPECT_LE(Prove(histogram({4, 2}), histogram({5, 1})).loss_at_least, 1);
}

// An error that only one record can cause, once in twenty runs.
TEST(ProbeFault, ErrorsThatTell) {
  stat::SeededBits bits(stat::SeedForThisTest());
  const auto noise = faults::Noise(1);
  const auto count = [&](Int128 exact, bool fails) {
    return Repeat([&, exact, fails] {
      if (fails && bits.Bits(16) < 3277) return Outcome{"exit code 5: value out of range", {}};
      return Numbers({static_cast<double>(noise.Release(exact, bits))});
    });
  };
  EXPECT_GT(Prove(count(1, true), count(1, false)).loss_at_least, 1);
}

// The published way to make k-means private, on 24 places. One person moves to a corner, and the two clusters, lower
// and upper so far, become left and right.
TEST(ProbeFault, PublishedKmeans) {
  const std::vector<faults::Point> points = {
      {0.46, 0.02}, {0.16, 0.90}, {0.01, 0.99}, {0.13, 0.05}, {0.89, 0.11}, {0.98, 0.89}, {0.54, 0.98}, {0.30, 0.31},
      {0.44, 0.44}, {1.00, 0.26}, {0.80, 0.15}, {0.63, 0.93}, {0.68, 0.83}, {0.46, 0.69}, {0.15, 0.41}, {0.25, 0.71},
      {0.32, 0.74}, {0.05, 0.78}, {0.19, 0.08}, {0.99, 0.88}, {0.93, 0.07}, {0.13, 0.08}, {0.87, 0.56}, {0.34, 0.67}};
  auto moved = points;
  moved[0] = {0, 0};
  const std::vector<faults::Point> start = {{0.25, 0.25}, {0.75, 0.75}};
  std::mt19937_64 engine(stat::SeedForThisTest());
  const faults::PublishedKmeans here(points, start), there(moved, start);
  const auto release = [&](const faults::PublishedKmeans& kmeans) {
    return Repeat([&] { return Numbers(kmeans.Release(1, engine)); });
  };
  EXPECT_GT(Prove(release(here), release(there)).loss_at_least, 2);
}

// --- false alarms ---

// Runs on each side that follow one and the same law.
std::vector<Outcome> Uniform(BitSource& bits) {
  return Repeat([&] { return Numbers({static_cast<double>(Below(20, bits))}); }, 400);
}

TEST(ProbeAlarms, NoneOnEqualLaws_PROBE1) {
  stat::SeededBits bits(stat::SeedForThisTest());
  for (int round = 0; round < 50; ++round) EXPECT_EQ(Prove(Uniform(bits), Uniform(bits)).loss_at_least, 0);
}

// The twin: if the event is chosen on the same runs that are counted, bounds that should be wrong in one round of five
// are wrong more often.
TEST(ProbeAlarms, ChoosingAndCountingOnTheSameRunsWouldAlarm) {
  stat::SeededBits bits(stat::SeedForThisTest());
  constexpr int kRounds = 200;
  int alarms = 0;
  for (int round = 0; round < kRounds; ++round) {
    const auto left = Uniform(bits), right = Uniform(bits);
    double best = 0;
    for (int value = 0; value < 20; ++value) {
      const auto hits = [&](const std::vector<Outcome>& side) {
        const auto equal = [&](const Outcome& outcome) { return outcome.numbers[0] == value; };
        return probe::Hits{static_cast<std::uint64_t>(std::count_if(side.begin(), side.end(), equal)), side.size()};
      };
      best = std::max({best, probe::LossLowerBound(hits(left), hits(right), 0, 0.2),
                       probe::LossLowerBound(hits(right), hits(left), 0, 0.2)});
    }
    alarms += best > 0 ? 1 : 0;
  }
  EXPECT_GT(alarms, kRounds / 5);
}

// --- loss at a delta ---

// A correct mechanism that gives up with probability 0.1: private for (1, 0.1) but for no smaller delta at any loss.
TEST(ProbeDelta, GivingUpIsCoveredByDeltaAndOnlyByIt) {
  stat::SeededBits bits(stat::SeedForThisTest());
  const auto noise = faults::Noise(1);
  const auto count = [&](Int128 exact) {
    return Repeat([&, exact] {
      if (bits.Bits(20) < 104857) return Numbers({static_cast<double>(1000 + exact)});  // the exact answer
      return Numbers({static_cast<double>(noise.Release(exact, bits))});
    });
  };
  const auto left = count(1), right = count(0);
  EXPECT_GT(Prove(left, right).loss_at_least, 2);
  EXPECT_GT(Prove(left, right, 0.01).loss_at_least, 2);
  EXPECT_LE(Prove(left, right, 0.1).loss_at_least, 1);
}

}  // namespace
}  // namespace kith
