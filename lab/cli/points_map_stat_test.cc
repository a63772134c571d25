// Ranges, and rows of tables, are within their bars as often as bars promise: every method, on the data of
// docs/guide/places.md.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "analysis/points/study.h"
#include "app/cli/points_map.h"
#include "base/json.h"
#include "base/text_file.h"
#include "experiment/world.h"
#include "tests/support/source_folder.h"
#include "tests/support/stat.h"

namespace kith::cli::lab {
namespace {

using experiment::World;
using points::Method;
using points::PointsOptions;

std::string Between(const std::string& text, const std::string& from, const std::string& to) {
  const auto begin = text.find(from) + from.size();
  return text.substr(begin, text.find(to, begin) - begin);
}

/// The guide's people, bounds and distance.
struct Guide {
  std::string csv, distance, columns;
  std::vector<std::vector<double>> people;
};
const Guide& OfTheGuide() {
  static const Guide guide = [] {
    Guide read;
    const std::string page = ReadTextFile((testing::SourceFolder() / "docs/guide/places.md").string()).value();
    const std::string program = Between(page, "```python file=make_people.py\n", "```");
    const std::unique_ptr<FILE, int (*)(FILE*)> made(popen(("python3 -c '" + program + "'").c_str(), "r"), pclose);
    char line[256];
    while (made && std::fgets(line, sizeof line, made.get())) {
      read.csv += line;
      double person = 0, lon = 0, lat = 0;
      if (std::sscanf(line, "%lf,%lf,%lf", &person, &lon, &lat) == 3) read.people.push_back({lon, lat});
    }
    read.distance = "distance" + Between(page, "\ndistance", "\n");
    read.columns = "person = { type = \"integer\" }\nlon" + Between(page, "\nlon", "[dependence]");
    return read;
  }();
  return guide;
}

struct Case {
  Method method;
  bool distance;
  std::size_t cells = 0;
  std::size_t groups = 0;
  std::vector<double> quantiles = {};
  std::string name;

  bool line() const { return method == Method::kCumulative || groups > 0 || !quantiles.empty(); }
};

struct Misses {
  std::uint64_t draws = 0, ranges = 0, rows = 0, truths = 0;
};

// What would be wrong: counts as they were before, seven tenths of those without negative ones.
Answer Mixed(Answer answer) {
  Json details = *answer.details;
  const auto shown = details["grid"]["not_negative"].get<std::vector<double>>();
  auto counts = details["grid"]["counts"].get<std::vector<double>>();
  Json mixed = Json::array();
  for (std::size_t k = 0; k < counts.size(); ++k) mixed.push_back(0.7 * shown[k] + 0.3 * counts[k]);
  details["grid"]["counts"] = std::move(mixed);
  answer.details = JsonValue(std::move(details));
  return answer;
}

/// A draw of the noise for each of as many ranges and rows, at epsilon 1.
Misses MissesOf(const Case& of, std::size_t draws, bool mixed) {
  const Guide& guide = OfTheGuide();
  EXPECT_EQ(guide.people.size(), 20'000u);
  std::string unit = "key = \"person\"\nmax_rows = 1\npresence = \"public\"\n";
  if (of.line())
    unit += "distance = { columns = [\"lat\"], metric = \"l1\", delta = 0.0045 }\n";
  else if (of.distance)
    unit += guide.distance + "\n";
  const std::uint64_t seed = stat::SeedForThisTest();
  const CancelFlag never;
  const auto world = World::Make(guide.csv, unit, guide.columns, seed, never);
  EXPECT_TRUE(world) << world.error().Text();
  PointsOptions options;
  options.columns = of.line() ? std::vector<std::string>{"lat"} : std::vector<std::string>{"lon", "lat"};
  options.method = of.method;
  options.cells = of.cells;
  options.groups = of.groups;
  options.quantiles = of.quantiles;
  const auto study = points::MakePoints(options, world->policy());
  EXPECT_TRUE(study) << study.error().Text();
  constexpr double kNoNoise = 1e6;
  const Answer exact = world->Run(**study, kNoNoise, never).value();
  const auto exact_map = PointsMap::Of(exact);
  std::mt19937_64 dice(seed);
  std::uniform_real_distribution<double> half(0.03, 0.25);
  Misses misses;
  for (std::size_t draw = 0; draw < draws; ++draw) {
    Answer answer = world->Run(**study, 1, never).value();
    if (mixed) answer = Mixed(std::move(answer));
    ++misses.draws;
    const std::size_t row = dice() % answer.rows.size();
    const auto &cell = answer.rows[row].back(), &right = exact.rows[row].back();
    EXPECT_TRUE(cell.error_95);
    const double off = std::abs(NumberIn(cell.value).value() - NumberIn(right.value).value());
    misses.rows += off <= *cell.error_95 ? 0 : 1;
    const auto map = PointsMap::Of(answer);
    if (!map || !exact_map) continue;
    RangeOfPoints range;
    const auto& middle = guide.people[dice() % guide.people.size()];
    const double wide[] = {half(dice) * 0.5585, half(dice) * 0.4402};  // parts of the region
    const std::size_t first = of.line() ? 1 : 0;
    for (const double sign : {-1.0, 1.0})
      for (std::size_t axis = first; axis < 2; ++axis) range.push_back(middle[axis] + sign * wide[axis]);
    const RangeCount counted = map->Count(range).value(), noiseless = exact_map->Count(range).value();
    if (!counted.error_95) continue;
    misses.ranges += std::abs(counted.points - noiseless.points) <= *counted.error_95 ? 0 : 1;
    double truth = 0;
    for (const auto& person : guide.people) {
      bool inside = true;
      for (std::size_t axis = first; axis < 2; ++axis)
        inside = inside && std::abs(person[axis] - middle[axis]) <= wide[axis];
      truth += inside ? 1 : 0;
    }
    misses.truths += std::abs(counted.points - truth) <= *counted.error_95 + counted.blur ? 0 : 1;
  }
  return misses;
}

std::vector<Case> Grids() {
  std::vector<Case> all;
  for (const bool distance : {true, false})
    for (const auto& [name, method] : points::Methods())
      if (method != Method::kCumulative && method != Method::kGroups && method != Method::kQuantiles)
        all.push_back({method, distance, 64, 0, {}, name + (distance ? ", with a distance" : ", without")});
  return all;
}

constexpr double kMissed = 0.05;

TEST(RangesOfMaps, AreWithinTheirBarsWithEveryMethod) {
  for (const Case& of : Grids()) {
    const Misses misses = MissesOf(of, stat::Runs(40), false);
    EXPECT_LE(stat::LowerBound(misses.ranges, misses.draws), kMissed) << of.name;
    EXPECT_LE(stat::LowerBound(misses.rows, misses.draws), kMissed) << of.name;
    EXPECT_LE(stat::LowerBound(misses.truths, misses.draws), kMissed) << of.name;
  }
}

TEST(RangesOfMaps, OnALineTooAndSoAreGroupsAndQuantiles) {
  const Misses curve = MissesOf({Method::kCumulative, true, 0, 0, {}, "cumulative"}, stat::Runs(40), false);
  EXPECT_LE(stat::LowerBound(curve.truths, curve.draws), kMissed);
  const Misses groups = MissesOf({Method::kGroups, true, 0, 100, {}, "groups"}, stat::Runs(40), false);
  EXPECT_LE(stat::LowerBound(groups.rows, groups.draws), kMissed);
  const Misses ranks =
      MissesOf({Method::kQuantiles, true, 0, 0, {0.1, 0.25, 0.5, 0.75, 0.9}, "quantiles"}, stat::Runs(40), false);
  EXPECT_LE(stat::LowerBound(ranks.rows, ranks.draws), kMissed);
}

// The twin: counts that are nearer to the truth one by one, and whose sums are many bars off.
TEST(RangesOfMaps, TheCheckSeesSumsOfABiasedFit) {
  for (const Case& of : Grids()) {
    if (of.method != Method::kHat && of.method != Method::kEquiWidth) continue;
    const Misses misses = MissesOf(of, 40, true);
    EXPECT_GT(stat::LowerBound(misses.ranges, misses.draws), kMissed) << of.name;
  }
}

}  // namespace
}  // namespace kith::cli::lab
