// The black-box tester on maps and curves of points, from the policy to the answer: one point moves by delta, or
// appears at a source. It must find nothing above the loss, and must see the same with too little noise. A false alarm
// has probability at most 1e-9 for each test.
#include <gtest/gtest.h>

#include "analysis/points/study.h"
#include "tests/e2e/probe_table.h"

namespace kith {
namespace {

using testing::ProbeTable;

std::string PolicyOf(const std::string& unit, bool plane) {
  return "[unit]\ntable = \"t\"\nrow = true\n" + unit +
         "\n[columns.t]\nx = { type = \"real\", lower = 0, upper = 1, required = true }\n" +
         (plane ? "y = { type = \"real\", lower = 0, upper = 1, required = true }\n" : "");
}

double Proven(const std::string& unit, const std::string& one, const std::string& other,
              const points::PointsOptions& options, std::size_t runs, double times) {
  const std::string policy = PolicyOf(unit, one.starts_with("x,y"));
  const ProbeTable left("left", policy, one), right("right", policy, other);
  const auto study = points::MakePoints(options, left.policy());
  EXPECT_TRUE(study) << study.error().Text();
  return testing::ProvenLoss(left, right, **study, runs, times);
}

constexpr std::size_t kMaps = 3000, kAppearances = 6000, kCurves = 600;

const std::string kMoves =
    "presence = \"public\"\ndistance = { columns = [\"x\", \"y\"], metric = \"euclidean\", delta = 0.25 }";
std::string Square(const std::string& first) { return "x,y\n" + first + "0.9,0.9\n0.1,0.6\n0.3,0.3\n"; }

double Map(points::Method method, double times) {
  // One point from a node along the diagonal, by delta.
  return Proven(kMoves, Square("0.5,0.5\n"), Square("0.6767,0.6767\n"), {{"x", "y"}, method, 4, 0, {}, ""}, kMaps,
                times);
}

TEST(ProbePoints, MapsStayBelowTheirLoss_POINTS8) {
  EXPECT_LE(Map(points::Method::kHat, 1), 1);
  EXPECT_LE(Map(points::Method::kPyramid, 1), 1);
  EXPECT_LE(Map(points::Method::kQuadtree, 1), 1);
}

TEST(ProbePoints, TheProbeSeesMapsWithTooLittleNoise) {
  EXPECT_GT(Map(points::Method::kHat, 9), 1);
  EXPECT_GT(Map(points::Method::kPyramid, 14), 1);
}

const std::string kAppear =
    "presence = \"secret\"\ndistance = { columns = [\"x\", \"y\"], metric = \"euclidean\", delta = 0.01, sources = "
    "[[0.5, 0.5]] }";

double Appearance(const std::string& policy, std::size_t runs) {
  return Proven(policy, Square(""), Square("0.5,0.5\n"), {{"x", "y"}, points::Method::kHat, 4, 0, {}, ""}, runs, 1);
}

TEST(ProbePoints, PointsThatAppearAtSourcesStayBelowTheirLoss_POINTS8) {
  const double proven = Appearance(kAppear, kAppearances);
  EXPECT_LE(proven, 1);
  EXPECT_GT(proven, 0.03);  // what is printed is fitted, which hides a little of it
}

TEST(ProbePoints, TheProbeSeesAppearancesWithoutSources) {
  // The planted fault: a policy that says nobody can appear there.
  std::string elsewhere = kAppear;
  elsewhere.replace(elsewhere.find("[[0.5, 0.5]]"), 12, "[[0.0, 0.0]]");
  EXPECT_GT(Appearance(elsewhere, kAppearances / 4), 1);
}

const std::string kLine = "presence = \"public\"\ndistance = { columns = [\"x\"], metric = \"l1\", delta = 0.125 }";
std::string Line(const std::string& first) { return "x\n" + first + "0.9\n0.1\n0.3\n0.62\n"; }

double Curve(const points::PointsOptions& options, double times) {
  return Proven(kLine, Line("0.45\n"), Line("0.575\n"), options, kCurves, times);
}

const points::PointsOptions kPrefix{{"x"}, points::Method::kCumulative, 4, 0, {}, ""},
    kMedian{{"x"}, points::Method::kQuantiles, 0, 0, {0.5}, ""};

TEST(ProbePoints, CurvesStayBelowTheirLoss_POINTS9) {
  EXPECT_LE(Curve(kPrefix, 1), 1);
  EXPECT_LE(Curve(kMedian, 1), 1);
}

TEST(ProbePoints, TheProbeSeesCurvesWithTooLittleNoise) {
  EXPECT_GT(Curve(kPrefix, 4), 1);
  EXPECT_GT(Curve(kMedian, 4), 1);
}

}  // namespace
}  // namespace kith
