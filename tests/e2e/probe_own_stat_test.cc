// The black-box tester on a person's own statistic, from the policy to the answer, where it must find nothing above its
// loss, and on the same with half of the noise, where it must. A false alarm has probability at most 1e-9 for each
// test.
#include <gtest/gtest.h>

#include "analysis/own/own.h"
#include "tests/e2e/probe_table.h"

namespace kith {
namespace {

using testing::ProbeTable;

const std::string kPolicy =
    "[unit]\ntable = \"t\"\nkey = \"id\"\nmax_rows = 1\npresence = \"public\"\n[columns.t]\n"
    "id = { type = \"integer\", public = true }\nx = { type = \"real\", lower = -10, upper = 10, required = true }\n";
std::string Rows(const std::string& first) { return "id,x\n1," + first + "\n2,0.5\n3,7\n"; }

/// The function returns a thousand times what it declared: kith has to cut it.
double Proven(double times) {
  const ProbeTable left("left", kPolicy, Rows("-10")), right("right", kPolicy, Rows("10"));
  OwnOptions options;
  options.name = "probe 1";
  options.values = {"x"};
  options.parts = {{.name = "sum", .low = -1, .high = 1, .step = 0.5, .most = {}}};
  const auto statistic = OwnStatistic::Make(
      options, [](std::span<const double> row, Contribution& out) { out.Add(0, 1000 * row[0]); }, left.policy());
  return testing::ProvenLoss(left, right, **statistic, 10000, times);
}

TEST(ProbeOwn, AStatisticStaysBelowItsLoss_OWN1) {
  const double found = Proven(1);
  EXPECT_LE(found, 1);
  EXPECT_GT(found, 0.5);  // and the noise is not much more than necessary
}

TEST(ProbeOwn, TheProbeSeesAStatisticWithTooLittleNoise) { EXPECT_GT(Proven(2), 1); }

}  // namespace
}  // namespace kith
