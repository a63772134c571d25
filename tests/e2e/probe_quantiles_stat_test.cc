// The black-box tester on quantiles, from the policy to the answer, where it must find nothing above their loss, and on
// the same with a quarter of the sensitivity, where it must. A false alarm has probability at most 1e-9 for each test.
#include <gtest/gtest.h>

#include "probe/probe.h"
#include "tests/e2e/probe_world.h"
#include "tests/support/stat.h"

namespace kith {
namespace {

using testing::ProbeWorld;

// With a quarter of the runs the twin sees too little noise; to prove most of a loss that is there takes all of them.
constexpr std::size_t kRuns = 20000, kFewer = kRuns / 4;

double Proven(const std::string& sql, const std::string& one, const std::string& other, double times = 1,
              bool intervals = true, std::size_t runs = kRuns) {
  stat::SeededBits bits(stat::SeedForThisTest());
  runs = stat::Runs(runs);
  const ProbeWorld left("left", one), right("right", other);
  const auto on_the_right =
      right.Ask(sql, runs, bits, times, intervals);  // not as arguments: compilers differ in order
  const auto proof = probe::ProvenLoss(left.Ask(sql, runs, bits, times, intervals), on_the_right, 0);
  EXPECT_TRUE(proof.has_value()) << proof.error().Text();
  EXPECT_LE(proof->false_alarm, 1.000001e-9);
  ::testing::Test::RecordProperty("loss_at_least", std::to_string(proof->loss_at_least));
  return proof->loss_at_least;
}

// The first person of six changes sides, or is counted or not, or moves from one group to another.
TEST(ProbeQuantiles, StayBelowTheirLoss_QUANTILE1) {
  const double median = Proven("SELECT median(div(age, 30)) FROM t", "no,0,0,A", "no,120,0,A");
  EXPECT_LE(median, 1);
  EXPECT_GT(median, 0.15);  // the runs prove a part of it
  const auto fewer = [](const char* sql, const char* one, const char* other) {
    return Proven(sql, one, other, 1, true, kFewer);
  };
  EXPECT_LE(fewer("SELECT min(div(age, 30)), max(div(age, 30)) FROM t WHERE ill = 'yes'", "no,0,0,A", "yes,120,0,A"),
            1);
  EXPECT_LE(fewer("SELECT ward, median(div(age, 30)) FROM t GROUP BY ward", "no,0,0,A", "no,120,0,B"), 1);
  EXPECT_LE(fewer("SELECT median(age) FROM t", "no,0,0,A", "no,120,0,A"), 1);  // chosen by rank, with its ends
}

// The whole share in one choice: the runs prove most of it.
TEST(ProbeQuantiles, StayBelowTheirLossWithoutIntervals_QUANTILE6) {
  const double median = Proven("SELECT median(age) FROM t", "no,0,0,A", "no,120,0,A", 1, false);
  EXPECT_LE(median, 1);
  EXPECT_GT(median, 0.4);
}

TEST(ProbeQuantiles, TheProbeSeesThreeTimesTheShareWithoutIntervals) {
  EXPECT_GT(Proven("SELECT median(age) FROM t", "no,0,0,A", "no,120,0,A", 3, false), 1);
}

TEST(ProbeQuantiles, TheProbeSeesAQuarterOfTheSensitivity) {
  EXPECT_GT(Proven("SELECT median(div(age, 30)) FROM t", "no,0,0,A", "no,120,0,A", 4, true, kFewer), 1);
}

}  // namespace
}  // namespace kith
