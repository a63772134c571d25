// Attributes of occupied days by hand, and the figures that are made of them.
#include "experiment/occupancy.h"

#include <gtest/gtest.h>

#include <cmath>

#include "experiment/occupancy_figures.h"
#include "experiment/seeded_bits.h"
#include "experiment/stream_figures.h"

namespace kith::experiment {
namespace {

std::vector<std::uint8_t> Day(const std::vector<std::pair<int, int>>& there) {
  std::vector<std::uint8_t> minutes(kMinutes, 0);
  for (const auto& [from, to] : there) std::fill(minutes.begin() + from, minutes.begin() + to, std::uint8_t{1});
  return minutes;
}

TEST(Occupancy, AttributesOfADay) {
  // 8:30 to 12:00, 12:40 to 16:00, 16:20 to 17:00, out for two minutes at 9:00; and somebody up late before.
  auto day = Day({{0, 30}, {510, 540}, {542, 720}, {760, 960}, {980, 1020}});
  const auto values = AttributesOf(day, 5);
  ASSERT_TRUE(values);
  EXPECT_EQ((*values)[0], 510);
  EXPECT_EQ((*values)[1], 1020);
  EXPECT_EQ((*values)[2], 2);
  EXPECT_EQ((*values)[3], 30);
  EXPECT_DOUBLE_EQ((*values)[4], 450.0 / 540);
  EXPECT_EQ((*AttributesOf(day, 1))[2], 3);
  EXPECT_FALSE(AttributesOf(Day({{0, 200}}), 5));  // the evening before is not a day
  EXPECT_EQ((*AttributesOf(Day({{600, 700}}), 5))[3], 0);
}

TEST(Occupancy, QuartersAreSensitiveOnTheirSide) {
  std::vector<DayRecord> records;
  for (int k = 0; k < 8; ++k) records.push_back({0, k, {500.0 + k, 1000.0 + k, 1.0 * k, 10.0 * k, k / 10.0}});
  const SensitiveRule rule = QuartileRule(records);
  EXPECT_EQ(rule.limit[0], 506);
  EXPECT_EQ(rule.limit[1], 1002);
  EXPECT_TRUE(rule.Sensitive(records[7], 0));
  EXPECT_FALSE(rule.Sensitive(records[6], 0));
  EXPECT_TRUE(rule.Sensitive(records[0], 1));
  EXPECT_TRUE(rule.Sensitive(records[1], 4));
  EXPECT_FALSE(rule.Sensitive(records[2], 4));
  EXPECT_EQ(rule.Words(0), "a start after 8:26");
}

TEST(Occupancy, HoursCountPeopleAndStays) {
  const Building building{"b",
                          "",
                          1,
                          {{"one", {{3, Day({{60, 200}})}, {4, Day({{0, 30}})}}},
                           {"two", {{3, Day({{130, 140}, {1430, 1440}})}, {4, Day({{0, 130}})}}}}};
  const HourlyCounts counts = CountByHour(building);
  ASSERT_EQ(counts.people.size(), 48u);
  EXPECT_EQ(counts.people[1], 1);
  EXPECT_EQ(counts.people[2], 2);
  EXPECT_EQ(counts.people[3], 1);
  EXPECT_EQ(counts.people[24], 2);
  EXPECT_EQ(counts.longest_stay, (std::vector<std::int64_t>{3, 4}));  // past midnight as well
}

TEST(Occupancy, LightsFollowLateStartsAlone) {
  EXPECT_EQ(LightsOn({}), 480);
  EXPECT_EQ(LightsOn({500, 560}), 480);
  EXPECT_EQ(LightsOn({600, 640}), 620);
}

Settings Few() {
  Settings settings;
  settings.repetitions = 2;
  settings.epsilons = {0.5, 1};
  return settings;
}

const Point& PointOf(const Panel& panel, const std::string& method, double x) {
  for (const Point& point : panel.points) {
    if (point.method == method && point.x == x) return point;
  }
  ADD_FAILURE() << method << " has no point there";
  return panel.points.front();
}

TEST(Occupancy, FiguresAreRepeatableAndTellWhatTheySee) {
  Occupancy occupancy = InventedOccupancy(200, 1), few;
  few.buildings.push_back(occupancy.buildings.back());  // of three days
  const auto drawn = [&] {
    std::vector<Result<Figure>> figures;
    figures.push_back(LightingSchedule(occupancy, Few(), {}));
    figures.push_back(CancellingAndReinforcing(occupancy, Few(), {}));
    figures.push_back(ExclusionAttack(occupancy, Few(), {}));
    figures.push_back(StreamsFigure(few, Few(), {}));
    return figures;
  };
  auto figures = drawn();
  const auto again = drawn();
  for (std::size_t f = 0; f < figures.size(); ++f) {
    ASSERT_TRUE(figures[f] && again[f]);
    for (std::size_t p = 0; p < figures[f]->panels.size(); ++p)
      EXPECT_EQ(CsvOf(figures[f]->panels[p]), CsvOf(again[f]->panels[p])) << figures[f]->name;
  }
  figures.push_back(OccupancyPattern(occupancy));
  figures.push_back(LeakageCurves(occupancy));
  figures.push_back(ChosenEpsilons(occupancy));
  figures.push_back(ApplicationsDiagram(occupancy));
  for (const auto& figure : figures) {
    ASSERT_TRUE(figure) << figure.error().Text();
    EXPECT_FALSE(figure->panels.empty()) << figure->name;
    for (const Panel& panel : figure->panels) {
      for (const Point& point : panel.points) EXPECT_EQ(point.method.find(','), std::string::npos) << point.method;
    }
    EXPECT_FALSE(figure->published.empty() || figure->here.empty() || figure->why.empty()) << figure->name;
  }
  Settings other = Few();
  other.seed = 2;
  EXPECT_NE(CsvOf(LightingSchedule(occupancy, other, {})->panels[0]), CsvOf(figures[0]->panels[0]));
}

TEST(Occupancy, NaiveSuppressionTellsForSureAndOsdprrDoesNot) {
  const auto figure = ExclusionAttack(InventedOccupancy(2000, 1), Few(), {});
  ASSERT_TRUE(figure);
  const Panel& own = figure->panels[0];
  EXPECT_EQ(PointOf(own, "naive suppression", 1).y.mean, 1);
  const double seen = PointOf(own, "OSDPRR (seen)", 1).y.mean;
  EXPECT_NEAR(seen, PointOf(own, "e^epsilon on the odds (Theorem 1)", 1).y.mean, 0.02);
  EXPECT_GT(seen, PointOf(own, "before", 1).y.mean);
  EXPECT_LT(seen, 0.7);
}

TEST(Occupancy, CurvesBeginAtOneAndEndAtTheirLimits) {
  const auto figure = LeakageCurves(InventedOccupancy(2000, 1));
  ASSERT_TRUE(figure);
  for (const Point& point : figure->panels[0].points) {
    EXPECT_NEAR(point.x == 0 ? point.y.mean : 0, 0, 1e-12);
  }
  std::size_t seen = 0;
  for (const Point& point : figure->panels[1].points) {
    if (point.method.find("d1/d2") != std::string::npos || (point.x != 0 && point.x != 6)) continue;
    const double limit = PointOf(figure->panels[1], point.method + ": d1/d2", 6).y.mean;
    EXPECT_NEAR(point.y.mean, point.x == 0 ? 1 : limit, point.x == 0 ? 0 : 0.05 * limit);
    ++seen;
  }
  EXPECT_EQ(seen, 6u);
}

TEST(Occupancy, NoWindowOfAStreamLosesMoreThanItMay) {
  const std::vector<std::int64_t> counts = {3, 5, 9, 9, 9, 2, 0, 7, 7, 7, 8, 30, 31, 2, 2, 2, 4, 4, 4, 4};
  std::vector<std::int64_t> asked;
  for (std::int64_t hour = 0; hour < 20; ++hour) {
    if (hour % 7 != 3) asked.push_back(hour);
  }
  for (const char* name : {"offline", "slack", "harmonic", "rate", "uniform", "bd", "ba"}) {
    SeededBits bits(4);
    const auto terms = TermsOf(counts, asked, *stream::SharingOf(name), 5, 1);
    ASSERT_TRUE(terms) << name;
    const auto stream = PublishStream(counts, asked, *terms, bits);
    ASSERT_TRUE(stream) << name;
    EXPECT_LE(stream->window_spent, 1) << name;
    EXPECT_GT(stream->window_spent, 0.1) << name;
    EXPECT_GT(stream->published, 0u) << name;
    EXPECT_EQ(stream->values.size(), asked.size());
  }
  // A budget that hides nothing gives the counts themselves.
  SeededBits bits(4);
  const auto exact = PublishStream(counts, asked, *TermsOf(counts, asked, stream::Sharing::kUniform, 5, 1000), bits);
  for (std::size_t k = 0; k < asked.size(); ++k)
    EXPECT_EQ(exact->values[k], static_cast<double>(counts[static_cast<std::size_t>(asked[k])]));
}

}  // namespace
}  // namespace kith::experiment
