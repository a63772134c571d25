// Metric units: what a policy may say, what it means for moves of any size, and every refusal.
#include "policy/distance.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "policy/policy.h"
#include "tests/support/vectors.h"

namespace kith {
namespace {

std::string PolicyText(const std::string& unit, const std::string& columns) {
  return "[data]\ntables.t = \"t.csv\"\n[unit]\ntable = \"t\"\nrow = true\n" + unit + "\n[columns.t]\n" + columns +
         "\n[dependence]\nsource = \"public\"\nkind = \"independent\"\n[budget]\nepsilon = 1\nledger = \"t.ledger\"\n";
}

const std::string kUnitSquare =
    "x = { type = \"real\", lower = 0, upper = 1, required = true }\n"
    "y = { type = \"real\", lower = 0, upper = 1, required = true }\n"
    "k = { type = \"integer\", lower = 0, upper = 100, required = true }\n"
    "loose = { type = \"real\", lower = 0, upper = 1 }\n"
    "known = { type = \"real\", lower = 0, upper = 1, required = true, public = true }\n"
    "word = { type = \"text\" }";
const std::string kCity =
    "lon = { type = \"real\", lower = -74.26, upper = -73.70, required = true }\n"
    "lat = { type = \"real\", lower = 40.48, upper = 40.92, required = true }\n"
    "far = { type = \"real\", lower = -90, upper = 90, required = true }";

Result<Policy> Read(const std::string& unit, const std::string& columns = kUnitSquare) {
  return Policy::Parse(PolicyText(unit, columns), "p.toml");
}

const std::string kPublic = "presence = \"public\"\n", kSecret = "presence = \"secret\"\n";

TEST(Distance, TimesArePlacesOnALine_DISTANCE5) {
  const std::string times =
      "seen = { type = \"timestamp\", lower = 2026-03-02T06:30:00, upper = 2026-03-03T18:00:59, required = true }\n"
      "day = { type = \"date\", lower = 2026-03-02, upper = 2026-03-31, required = true }\n"
      "x = { type = \"real\", lower = 0, upper = 1, required = true }";
  const auto unit = [](const std::string& columns, const std::string& delta, const std::string& metric = "l1") {
    return kPublic + "distance = { columns = [" + columns + "], metric = \"" + metric + "\", delta = " + delta + " }";
  };
  const auto seen = Read(unit("\"seen\"", "\"15 min\""), times).value().unit.distance.value();
  EXPECT_EQ(seen.delta, 15);
  EXPECT_EQ(seen.region.low[0], 390);
  EXPECT_EQ(seen.region.high[0], 1440 + 1080);
  EXPECT_EQ(seen.Length(seen.delta), "15 minutes");
  EXPECT_NE(NeighboursText(seen).find("by at most 15 minutes (time distance of seen)"), std::string::npos);
  EXPECT_EQ(StandardStepsOf(seen).replace, 142);  // 2130 minutes
  const auto day = Read(unit("\"day\"", "\"1 week\""), times).value().unit.distance.value();
  EXPECT_EQ(day.Length(day.delta), "7 days");
  EXPECT_EQ(StandardStepsOf(day).replace, 5);
  for (const std::string& wrong :
       {unit("\"seen\"", "\"90 seconds\""), unit("\"seen\"", "15"), unit("\"day\"", "\"12 hours\""),
        unit("\"seen\", \"x\"", "\"15 minutes\""), unit("\"x\", \"seen\"", "\"15 minutes\"", "great-circle")})
    EXPECT_FALSE(Read(wrong, times)) << wrong;
}

TEST(Distance, ReadsEveryMetricAndUnit) {
  const auto plane =
      Read(kPublic + "distance = { columns = [\"x\", \"y\"], metric = \"euclidean\", delta = 0.25 }").value();
  ASSERT_TRUE(plane.unit.distance);
  EXPECT_EQ(plane.unit.distance->metric, DistanceMetric::kEuclidean);
  EXPECT_EQ(plane.unit.distance->delta, 0.25);
  EXPECT_EQ(plane.unit.distance->sources.kind, Sources::Kind::kNone);
  const auto line = Read(kPublic + "distance = { columns = [\"k\"], metric = \"l1\", delta = 3 }").value();
  EXPECT_TRUE(line.unit.distance->whole[0]);
  for (const auto& [text, metres] : {std::pair<std::string, double>{"500 m", 500}, {"0.5km", 500}, {"2 km", 2000}}) {
    const auto city = Read(
        kPublic + "distance = { columns = [\"lon\", \"lat\"], metric = \"great-circle\", delta = \"" + text + "\" }",
        kCity);
    ASSERT_TRUE(city) << city.error().Text();
    EXPECT_DOUBLE_EQ(city->unit.distance->delta, metres);
  }
  const auto degrees =
      Read(kPublic + "distance = { columns = [\"lon\", \"lat\"], metric = \"great-circle\", delta = \"0.01 degrees\" }",
           kCity)
          .value();
  EXPECT_GE(degrees.unit.distance->delta, 0.01 * 111'694);
}

TEST(Distance, ReadsSources) {
  const std::string start = kSecret + "distance = { columns = [\"x\", \"y\"], metric = \"l1\", delta = 0.1, sources = ";
  EXPECT_EQ(Read(start + "\"everywhere\" }")->unit.distance->sources.kind, Sources::Kind::kEverywhere);
  const auto points = Read(start + "[[0, 0.5], [1, 1]] }").value();
  ASSERT_EQ(points.unit.distance->sources.places.size(), 2U);
  EXPECT_EQ(points.unit.distance->sources.places[0].low, (std::vector{0, 0.5}));
  const auto box = Read(start + "{ low = [0, 0], high = [0.5, 1] } }").value();
  EXPECT_EQ(box.unit.distance->sources.places[0].high, (std::vector{0.5, 1.0}));
  const auto folder = std::filesystem::temp_directory_path() / ("kith_distance_test" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "doors.csv") << "x,y\n0.1,0.2\n\n0.3, 0.4\r\n";
  const auto file = Policy::Parse(PolicyText(start + "\"doors.csv\" }", kUnitSquare), folder / "p.toml");
  ASSERT_TRUE(file) << file.error().Text();
  ASSERT_EQ(file->unit.distance->sources.places.size(), 2U);
  EXPECT_EQ(file->unit.distance->sources.places[1].low, (std::vector{0.3, 0.4}));
  std::ofstream(folder / "doors.csv") << "x,y\n0.1,high\n";
  EXPECT_FALSE(Policy::Parse(PolicyText(start + "\"doors.csv\" }", kUnitSquare), folder / "p.toml"));
  std::filesystem::remove_all(folder);
}

TEST(Distance, RefusesWhatItCannotMean) {
  const auto place = [](const std::string& inside) { return "distance = { " + inside + " }"; };
  const std::string xy = "columns = [\"x\", \"y\"], ", l1 = "metric = \"l1\", ", delta = "delta = 0.1";
  const struct {
    std::string unit, what;
  } refused[] = {
      {kPublic + place(xy + "metric = \"l1\""), "does not say 'delta'"},
      {kPublic + place(xy + delta), "does not say 'metric'"},
      {kPublic + place(l1 + delta), "does not say 'columns'"},
      {kPublic + place(xy + l1 + delta + ", radius = 3"), "unknown key 'radius'"},
      {kPublic + place(xy + "metric = \"manhattan\", " + delta), "unknown metric"},
      {kPublic + place(xy + l1 + "delta = 0"), "positive number"},
      {kPublic + place(xy + l1 + "delta = \"500 m\""), "positive number"},
      {kPublic + place(xy + l1 + "delta = 1e-300"), "far smaller"},
      {kPublic + place("columns = [], " + l1 + delta), "one or two"},
      {kPublic + place("columns = [\"x\", \"x\"], " + l1 + delta), "are the same"},
      {kPublic + place("columns = [\"x\", \"z\"], " + l1 + delta), "no column 'z'"},
      {kPublic + place("columns = [\"word\"], " + l1 + delta), "number with bounds"},
      {kPublic + place("columns = [\"loose\"], " + l1 + delta), "must not be missing"},
      {kPublic + place("columns = [\"known\"], " + l1 + delta), "is public"},
      {kSecret + place(xy + l1 + delta), "nobody can appear"},
      {kPublic + place(xy + l1 + delta + ", sources = \"everywhere\""), "presence is public"},
      {kSecret + place(xy + l1 + delta + ", sources = [[2, 0]]"), "outside the bounds"},
      {kSecret + place(xy + l1 + delta + ", sources = [[0.5]]"), "list of 2 numbers"},
      {kSecret + place(xy + l1 + delta + ", sources = [[0.5, \"x\"]]"), "list of 2 numbers"},
      {kSecret + place(xy + l1 + delta + ", sources = 3"), "are not places"},
      {kSecret + place(xy + l1 + delta + ", sources = { low = [0, 0] }"), "does not say 'high'"},
      {kSecret + place(xy + l1 + delta + ", sources = \"none.csv\""), "there is no such file"},
  };
  for (const auto& [unit, what] : refused) {
    const auto policy = Read(unit);
    ASSERT_FALSE(policy) << unit;
    EXPECT_NE(policy.error().what.find(what), std::string::npos) << policy.error().Text();
    EXPECT_FALSE(policy.error().next.empty());
  }
  for (const std::string wrong :
       {"columns = [\"lon\"], delta = \"5 m\"", "columns = [\"lon\", \"lat\"], delta = 5",
        "columns = [\"lon\", \"lat\"], delta = \"5 miles\"", "columns = [\"lon\", \"far\"], delta = \"5 m\"",
        "columns = [\"lon\", \"lat\"], delta = \"9000 km\""}) {
    EXPECT_FALSE(Read(kPublic + place("metric = \"great-circle\", " + wrong), kCity)) << wrong;
  }
  std::string many = PolicyText(kPublic + place(xy + l1 + delta), kUnitSquare + "\nid = { type = \"text\" }");
  many.replace(many.find("row = true"), 10, "key = \"id\"\nmax_rows = 3");
  EXPECT_NE(Policy::Parse(many, "p.toml").error().what.find("one place"), std::string::npos);
}

// What a ledger's charges mean depends on the distance; a policy without one keeps its fingerprint.
TEST(Distance, IsPartOfTheIdentity) {
  const std::string start = "distance = { columns = [\"x\", \"y\"], ";
  const auto a = Read(kPublic + start + "metric = \"l1\", delta = 0.1 }").value();
  const auto b = Read(kPublic + start + "metric = \"l1\", delta = 0.2 }").value();
  const auto c = Read(kPublic + start + "metric = \"euclidean\", delta = 0.1 }").value();
  const auto none = Read(kPublic).value();
  EXPECT_NE(a.identity_fingerprint(), b.identity_fingerprint());
  EXPECT_NE(a.identity_fingerprint(), c.identity_fingerprint());
  EXPECT_NE(a.identity_fingerprint(), none.identity_fingerprint());
  EXPECT_NE(a.identity_words().find("distance: move one unit by at most 0.1"), std::string::npos);
  EXPECT_EQ(none.identity_words().find("distance:"), std::string::npos);
}

// On the earth a place outside the bounds may be read as one far away; on a plane never.
TEST(Distance, SaysThatPlacesOutsideAreNotCoveredOnTheEarth_DISTANCE1) {
  const std::string outside = "a place outside is read as the nearest bound";
  const auto city =
      Read(kPublic + "distance = { columns = [\"lon\", \"lat\"], metric = \"great-circle\", delta = \"500 m\" }", kCity)
          .value();
  for (const std::string& text : {NeighboursText(*city.unit.distance), MovesText(*city.unit.distance, 1, 0)}) {
    EXPECT_NE(text.find(outside), std::string::npos) << text;
    EXPECT_NE(text.find("lon from -74.26 to -73.7, lat from 40.48 to 40.92"), std::string::npos) << text;
    EXPECT_NE(text.find("are not covered"), std::string::npos) << text;
  }
  for (const std::string metric : {"l1", "euclidean"}) {
    const auto plane =
        Read(kPublic + "distance = { columns = [\"x\", \"y\"], metric = \"" + metric + "\", delta = 0.1 }").value();
    EXPECT_EQ(NeighboursText(*plane.unit.distance).find("outside"), std::string::npos);
    EXPECT_EQ(MovesText(*plane.unit.distance, 1, 0).find("outside"), std::string::npos);
  }
}

// Why planes need no such words: every step of a walk over the bounds is read as one that is no longer.
TEST(Distance, ReadingAPlaceAsTheNearestBoundMovesNobodyFartherOnAPlane_DISTANCE1) {
  const auto read = [](double v) { return std::clamp(v, 0.0, 1.0); };
  for (int a = 0; a < 625; ++a) {
    for (int b = 0; b < 625; ++b) {
      const double ax = (a % 25) / 8.0 - 1, ay = (a / 25) / 8.0 - 1;
      const double bx = (b % 25) / 8.0 - 1, by = (b / 25) / 8.0 - 1;
      const double dx = std::abs(ax - bx), dy = std::abs(ay - by);
      const double rx = std::abs(read(ax) - read(bx)), ry = std::abs(read(ay) - read(by));
      ASSERT_LE(rx + ry, dx + dy);
      ASSERT_LE(std::hypot(rx, ry), std::hypot(dx, dy));
    }
  }
}

TEST(Distance, StandardStepsVector) {
  for (const auto& v : testing::Vectors("papers", "delta.lemma1")) {
    const double delta = v.inputs["delta"], epsilon = v.inputs["eps"];
    EXPECT_EQ(StepsFor(v.inputs["R"], delta), v.expected["replace_steps"].get<std::int64_t>());
    EXPECT_EQ(StepsFor(v.inputs["max_dist_to_source"], delta), v.expected["add_steps"].get<std::int64_t>());
    // The same through a policy: a line of length R with one source.
    const double source = v.inputs["R"].get<double>() - v.inputs["max_dist_to_source"].get<double>();
    const auto policy =
        Read(kSecret + "distance = { columns = [\"x\"], metric = \"l1\", delta = " + std::to_string(delta) +
             ", sources = { low = [0.35], high = [" + std::to_string(source) + "] } }")
            .value();
    const StandardSteps steps = StandardStepsOf(*policy.unit.distance);
    EXPECT_EQ(steps.replace, v.expected["replace_steps"].get<std::int64_t>());
    EXPECT_EQ(steps.appear, v.expected["add_steps"].get<std::int64_t>());
    EXPECT_NEAR(static_cast<double>(*steps.replace) * epsilon, v.expected["eps_standard"].get<double>(), v.tolerance);
  }
}

TEST(Distance, StepsAreRoundedUpExactly) {
  EXPECT_EQ(StepsFor(0, 1), 1);
  EXPECT_EQ(StepsFor(1, 1), 1);
  EXPECT_EQ(StepsFor(3, 1), 3);
  EXPECT_EQ(StepsFor(std::nextafter(3, 4), 1), 4);
  EXPECT_EQ(StepsFor(0.3, 0.1), 3);        // 0.3 is below three times 0.1, as doubles
  EXPECT_EQ(StepsFor(0.1 + 0.2, 0.1), 4);  // and this sum is above
}

TEST(Distance, SaysWhenThereIsNoStandardGuarantee) {
  const auto gap = Read(kPublic + "distance = { columns = [\"k\"], metric = \"l1\", delta = 0.5 }").value();
  const StandardSteps none = StandardStepsOf(*gap.unit.distance);
  EXPECT_FALSE(none.replace);
  EXPECT_NE(none.reason.find("gap"), std::string::npos);
  const auto hops = Read(kPublic + "distance = { columns = [\"k\"], metric = \"l1\", delta = 2.5 }").value();
  EXPECT_EQ(StandardStepsOf(*hops.unit.distance).replace, 50);  // hops of 2 through 0 .. 100
  EXPECT_FALSE(StandardStepsOf(*hops.unit.distance).appear);
  EXPECT_NE(MovesText(*hops.unit.distance, 0.2, 0).find("50 x 0.2 = 10"), std::string::npos);
}

}  // namespace
}  // namespace kith
