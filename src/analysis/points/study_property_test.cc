// What one unit can change, by brute force: places at random, on borders and across cells, moved by at most delta in
// every metric, put on the lattice as the engine does it, counted and released. No change exceeds the bound that the
// noise is made for, and planted faults are seen.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "analysis/points/grid_study.h"
#include "analysis/points/line_study.h"
#include "tests/support/small_laws.h"
#include "tests/support/stat.h"

namespace kith::points {
namespace {

using testing::Dice;
using Place = std::vector<double>;

struct World {
  Policy policy;
  std::string metric;
  Place low, high;
  double delta = 0;
};

std::string Numbered(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", x);
  return std::string(text).find_first_of(".e") == std::string::npos ? std::string(text) + ".0" : text;
}

World MakeWorld(Dice& dice, const std::string& metric, std::size_t dimensions, const std::string& sources = "",
                double largest_delta = 0.3, const std::string& dependence = "kind = \"independent\"") {
  World world;
  world.metric = metric;
  std::string columns, names;
  for (std::size_t k = 0; k < dimensions; ++k) {
    const bool circle = metric == "great-circle";
    const double low = circle ? (k == 0 ? dice.Between(-170, 100) : dice.Between(-80, 70)) : dice.Between(-50, 50);
    const double span = circle ? dice.Between(0.05, k == 0 ? 40 : 10) : std::exp(dice.Between(-2, 5));
    world.low.push_back(low);
    world.high.push_back(low + span);
    const std::string name(1, static_cast<char>('x' + k));
    columns += name + " = { type = \"real\", lower = " + Numbered(low) + ", upper = " + Numbered(low + span) +
               ", required = true }\n";
    names += (k == 0 ? "\"" : ", \"") + name + "\"";
  }
  const double part = std::exp(dice.Between(std::log(1e-6), std::log(largest_delta)));
  const double width = world.high[0] - world.low[0];
  world.delta = metric == "great-circle" ? part * width * 100'000 : part * width;
  const std::string delta = metric == "great-circle" ? "\"" + Numbered(world.delta) + " m\"" : Numbered(world.delta);
  auto policy = Policy::Parse("[data]\ntables.t = \"t.csv\"\n[unit]\ntable = \"t\"\nrow = true\npresence = \"" +
                                  std::string(sources.empty() ? "public" : "secret") + "\"\ndistance = { columns = [" +
                                  names + "], metric = \"" + metric + "\", delta = " + delta + sources +
                                  " }\n[columns.t]\n" + columns + "[dependence]\nsource = \"public\"\n" + dependence +
                                  "\n[budget]\nepsilon = 1\nledger = \"l\"\n",
                              "p.toml");
  EXPECT_TRUE(policy) << policy.error().Text();
  world.policy = std::move(*policy);
  return world;
}

double Far(const World& world, const Place& a, const Place& b) {
  if (world.metric == "great-circle") {
    constexpr double kDegree = std::numbers::pi / 180;
    const double up = std::sin((a[1] - b[1]) * kDegree / 2), across = std::sin((a[0] - b[0]) * kDegree / 2);
    return 2 * 6'371'008.8 *
           std::asin(std::min(
               1.0, std::sqrt(up * up + std::cos(a[1] * kDegree) * std::cos(b[1] * kDegree) * across * across)));
  }
  double l1 = 0, squares = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    l1 += std::abs(a[k] - b[k]);
    squares += (a[k] - b[k]) * (a[k] - b[k]);
  }
  return world.metric == "l1" ? l1 : std::sqrt(squares);
}

Place Inside(Dice& dice, const World& world, int log2_cells) {
  Place place;
  for (std::size_t k = 0; k < world.low.size(); ++k) {
    double part = dice.Uniform();
    if (dice.Chance(0.4)) part = dice.Below((1 << log2_cells) + 1) / std::ldexp(1.0, log2_cells);  // on a node
    if (dice.Chance(0.1)) part = dice.Below(2);
    place.push_back(world.low[k] + part * (world.high[k] - world.low[k]));
  }
  return place;
}

/// A place at distance at most `length`, often just that far.
Place Moved(Dice& dice, const World& world, const Place& from, double length) {
  const double angle = dice.Chance(0.4) ? dice.Below(8) * std::numbers::pi / 4 : dice.Between(0, 2 * std::numbers::pi);
  Place to = from;
  double reach = world.metric == "great-circle" ? length / 100'000 * 1.2 : length * 1.0000001;
  for (int shrink = 0; shrink < 400; ++shrink, reach *= 0.99) {
    const double stretch = world.metric == "great-circle" ? 1 / std::cos(from[1] * std::numbers::pi / 180) : 1;
    to[0] = from[0] + reach * stretch * (from.size() == 1 ? (std::cos(angle) < 0 ? -1 : 1) : std::cos(angle));
    if (from.size() == 2) to[1] = from[1] + reach * std::sin(angle);
    for (std::size_t k = 0; k < to.size(); ++k) to[k] = std::clamp(to[k], world.low[k], world.high[k]);
    if (Far(world, from, to) <= length) return to;
    if (shrink == 0) reach = std::min(reach, length * 1.0 / (world.metric == "great-circle" ? 100'000 : 1));
  }
  return from;
}

/// As kith_steps and Positions do it.
std::vector<std::int32_t> OnLattice(const Positions& positions, const Place& place) {
  std::vector<std::int32_t> out;
  for (std::size_t k = 0; k < place.size(); ++k) {
    const auto& axis = positions.axes()[k];
    const double middle = axis.low + (axis.high - axis.low) / 2;
    const double lattice = (axis.high - axis.low) / static_cast<double>(axis.span);
    const double inverse = std::exp2(-std::round(std::log2(lattice)));
    const double steps = std::nearbyint((std::clamp(place[k], axis.low, axis.high) - middle) * inverse);
    out.push_back(Positions::Of(static_cast<std::int64_t>(steps) - axis.first, axis.span));
  }
  return out;
}

std::vector<Int128> CountOf(const Ladder& ladder, int finest, int level, const std::vector<std::int32_t>& position) {
  Counts counts(ladder, finest);
  std::vector<std::span<const std::int32_t>> spans;
  for (const std::int32_t& p : position) spans.emplace_back(&p, 1);
  counts.Add(spans);
  std::vector<Int128> exact = counts.Take();
  for (int l = finest; l > level; --l) exact = CoarserCounts(ladder, exact, l);
  return exact;
}

double Change(const std::vector<Int128>& a, const std::vector<Int128>& b, int shift) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const auto gap = static_cast<double>((a[k] >> shift) - (b[k] >> shift));
    sum += std::abs(gap);
  }
  return sum;
}

enum class Fault { kNone, kHalfDelta, kNoRounding };

/// The largest change of released counts over the bound of their level.
double LargestGridChange(const std::string& metric, std::size_t dimensions, Fault fault, int trials) {
  Dice dice(stat::SeedForThisTest());
  double worst = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const World world = MakeWorld(dice, metric, dimensions);
    World believed = world;
    if (fault == Fault::kHalfDelta) believed.policy.unit.distance->delta /= 2;
    if (fault == Fault::kNoRounding) believed.policy.unit.distance->whole.assign(dimensions, true);
    std::vector<std::string> columns = world.policy.unit.distance->columns;
    const auto positions = Positions::Make(columns, "", believed.policy);
    EXPECT_TRUE(positions) << positions.error().Text();
    const Ladder ladder(Basis::kHats, static_cast<int>(dimensions));
    const int finest = 1 + dice.Below(5), level = dice.Below(finest + 1);
    const auto bound = GridStudy::LevelOf(*positions, ladder, level);
    EXPECT_TRUE(bound) << bound.error().Text();
    for (int move = 0; move < 20; ++move) {
      const Place from = Inside(dice, world, finest);
      const Place to = Moved(dice, world, from, world.delta * (dice.Chance(0.7) ? 1 : dice.Uniform()));
      const auto a = CountOf(ladder, finest, level, OnLattice(*positions, from));
      const auto b = CountOf(ladder, finest, level, OnLattice(*positions, to));
      worst = std::max(worst, Change(a, b, bound->shift) / static_cast<double>(bound->moves));
    }
  }
  return worst;
}

TEST(PointsStudyProperty, NoMoveChangesAGridMoreThanItsBound_POINTS6) {
  for (const char* metric : {"euclidean", "l1", "great-circle"}) {
    const double worst = LargestGridChange(metric, 2, Fault::kNone, 150);
    EXPECT_LE(worst, 1) << metric;
    EXPECT_GT(worst, 0.9) << metric;
  }
  const double line = LargestGridChange("l1", 1, Fault::kNone, 300);
  EXPECT_LE(line, 1);
  EXPECT_GT(line, 0.98);
}

TEST(PointsStudyProperty, TheGridCheckSeesADeltaThatIsTooSmall) {
  for (const char* metric : {"euclidean", "l1", "great-circle"})
    EXPECT_GT(LargestGridChange(metric, 2, Fault::kHalfDelta, 60), 1.5) << metric;
  EXPECT_GT(LargestGridChange("l1", 1, Fault::kHalfDelta, 60), 1.5);
}

/// A grid that was chosen: the worst loss of a move, by the shares that its levels get, over the share of all. The
/// fault: every level gets all of it.
double LargestChosenLoss(bool forget_to_share) {
  Dice dice(stat::SeedForThisTest());
  double worst = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const World world = MakeWorld(dice, "euclidean", 2);
    const auto positions = Positions::Make({"x", "y"}, "", world.policy);
    const Ladder ladder(dice.Chance(0.7) ? Basis::kHats : Basis::kCells, 2);
    const auto made = GridStudy::Make(*positions, ladder, std::nullopt, true);
    EXPECT_TRUE(made) << made.error().Text();
    const auto& study = static_cast<const GridStudy&>(**made);
    const PlainUnits share = PlainUnits::Of(1 + static_cast<std::int64_t>(std::exp(dice.Between(5, 22))));
    const int finest = study.FinestFor(std::exp(dice.Between(0, 13)), share);
    const auto plan = study.PlanFor(std::min(finest, 6), share);
    std::int64_t sum = 0;
    for (const PlainUnits part : plan.shares) sum += part.count();
    EXPECT_LE(sum, share.count());
    for (int move = 0; move < 10; ++move) {
      const int last = plan.levels.back().log2_cells;
      const Place from = Inside(dice, world, last), to = Moved(dice, world, from, world.delta);
      double loss = 0;
      for (std::size_t l = 0; l < plan.levels.size(); ++l) {
        const GridStudy::Level& level = plan.levels[l];
        const auto a = CountOf(ladder, last, level.log2_cells, OnLattice(*positions, from));
        const auto b = CountOf(ladder, last, level.log2_cells, OnLattice(*positions, to));
        const auto part = static_cast<double>((forget_to_share ? share : plan.shares[l]).count());
        loss += Change(a, b, level.shift) / static_cast<double>(level.moves) * part;
      }
      worst = std::max(worst, loss / static_cast<double>(share.count()));
    }
  }
  return worst;
}

TEST(PointsStudyProperty, ChosenGridsLoseNoMoreThanTheirShare_POINTS11) {
  const double worst = LargestChosenLoss(false);
  EXPECT_LE(worst, 1);
  EXPECT_GT(worst, 0.9);
}

TEST(PointsStudyProperty, TheCheckSeesLevelsThatAllTakeTheWholeShare) { EXPECT_GT(LargestChosenLoss(true), 1.5); }

/// One point moves among a few: the change of what LineStudy adds noise to, over its bound.
double LargestLineChange(Method method, bool half, bool forget_rounding) {
  Dice dice(stat::SeedForThisTest());
  double worst = 0;
  for (int trial = 0; trial < 15; ++trial) {
    const World world = MakeWorld(dice, "l1", 1, "", forget_rounding ? 3e-6 : 0.3);
    World believed = world;
    if (half) believed.policy.unit.distance->delta /= 2;
    const auto positions = Positions::Make({"x"}, "", believed.policy);
    PointsOptions options{{"x"}, method, method == Method::kCumulative ? std::size_t{1} << (1 + dice.Below(12)) : 0,
                          0,     {},     ""};
    if (method == Method::kGroups) options.groups = static_cast<std::size_t>(1 + dice.Below(6));
    if (method == Method::kQuantiles) options.quantiles = {0.1, 0.11, 0.5, 0.9};
    const auto made = LineStudy::Make(*positions, method, options);
    EXPECT_TRUE(made) << made.error().Text();
    const auto& study = static_cast<const LineStudy&>(**made);
    LineStudy::Histogram others(static_cast<std::size_t>(kPositions) + 1, 0);
    const int points = dice.Below(12);
    for (int k = points; k > 0; --k)
      ++others[static_cast<std::size_t>(OnLattice(*positions, Inside(dice, world, 4))[0])];
    for (int move = 0; move < 8; ++move) {
      const Place from = Inside(dice, world, 1 + dice.Below(12));
      const Place to = Moved(dice, world, from, world.delta);
      // The histogram is large: one point is put in and taken out again.
      const auto with = [&](const Place& place) {
        std::int64_t& count = others[static_cast<std::size_t>(OnLattice(*positions, place)[0])];
        ++count;
        auto exact = study.Exact(others, points + 1);
        --count;
        return exact;
      };
      const auto x = with(from), y = with(to);
      EXPECT_EQ(x.size(), y.size());
      double sum = 0;
      for (std::size_t k = 0; k < x.size(); ++k) sum += static_cast<double>(std::abs(x[k] - y[k]));
      const double bound =
          static_cast<double>(study.sensitivity()) - (forget_rounding ? positions->reach().slack[0] : 0);
      worst = std::max(worst, sum / std::max(bound, 1e-9));
    }
  }
  return worst;
}

TEST(PointsStudyProperty, NoMoveChangesOrderedPointsMoreThanTheirBound_POINTS9) {
  for (const Method method : {Method::kCumulative, Method::kGroups, Method::kQuantiles}) {
    const double worst = LargestLineChange(method, false, false);
    EXPECT_LE(worst, 1) << static_cast<int>(method);
    EXPECT_GT(worst, 0.9) << static_cast<int>(method);
  }
}

TEST(PointsStudyProperty, TheOrderedCheckSeesADeltaThatIsTooSmallOrForgottenRounding) {
  for (const Method method : {Method::kCumulative, Method::kGroups, Method::kQuantiles})
    EXPECT_GT(LargestLineChange(method, true, false), 1.5) << static_cast<int>(method);
  EXPECT_GT(LargestLineChange(Method::kGroups, false, true), 1);
}

/// Loss of a point that comes or goes near a source, by the scales of the counts that it changes, over the share.
double LargestAppearance(bool forget_sources) {
  Dice dice(stat::SeedForThisTest());
  double worst = 0;
  for (int trial = 0; trial < 60; ++trial) {
    Dice look = dice;
    const World outline = MakeWorld(look, "euclidean", 2);
    const Place source = Inside(dice, outline, 3);
    World world = outline;
    world.policy.unit.presence = Presence::kSecret;
    world.policy.unit.distance->sources.kind = Sources::Kind::kPlaces;
    world.policy.unit.distance->sources.places = {{source, source}};
    const auto positions = Positions::Make({"x", "y"}, "", world.policy);
    EXPECT_TRUE(positions) << positions.error().Text();
    EXPECT_FALSE(positions->TotalKnown());
    const Ladder ladder(dice.Chance(0.7) ? Basis::kHats : Basis::kCells, 2);
    const int level = 1 + dice.Below(4);
    const auto made = GridStudy::Make(*positions, ladder, level, false);
    const auto& study = static_cast<const GridStudy&>(**made);
    const GridStudy::Level bound = study.levels()[0];
    auto near = study.NearSources(level);
    if (forget_sources) near.assign(near.size(), false);
    for (int k = 0; k < 20; ++k) {
      const Place place = Moved(dice, world, source, world.delta * (dice.Chance(0.5) ? 1 : dice.Uniform()));
      const auto counts = CountOf(ladder, level, level, OnLattice(*positions, place));
      double loss = 0;
      for (std::size_t c = 0; c < counts.size(); ++c) {
        const auto scale = static_cast<double>(near[c] ? std::max(bound.moves, bound.appears) : bound.moves);
        loss += static_cast<double>(counts[c] >> bound.shift) / scale;
      }
      worst = std::max(worst, loss);
    }
  }
  return worst;
}

TEST(PointsStudyProperty, PointsThatComeAndGoNearSourcesAreCovered_POINTS8) {
  EXPECT_LE(LargestAppearance(false), 1);
  EXPECT_GT(LargestAppearance(false), 0.9);
}

TEST(PointsStudyProperty, TheCheckSeesForgottenSourcesOnAGrid) { EXPECT_GT(LargestAppearance(true), 1.5); }

/// By distance: the change of a move by d, over bound (d / delta + slack).
double LargestSlope(bool capped) {
  Dice dice(stat::SeedForThisTest());
  double worst = 0;
  for (int trial = 0; trial < 120; ++trial) {
    const World world =
        MakeWorld(dice, trial % 2 == 0 ? "euclidean" : "great-circle", 2, "", 0.3,
                  capped ? "kind = \"independent\"" : "kind = \"lipschitz\"\ninfluence = [[0.0, 0.5], [0.5, 0.0]]");
    const auto positions = Positions::Make({"x", "y"}, "", world.policy);
    const Ladder ladder(Basis::kHats, 2);
    const int level = 1 + dice.Below(5);
    const auto bound = GridStudy::LevelOf(*positions, ladder, level);
    if (!bound) continue;  // delta too small: refused
    for (int k = 0; k < 20; ++k) {
      const double times = std::exp(dice.Between(-8, 1.5));
      const Place from = Inside(dice, world, level), to = Moved(dice, world, from, world.delta * times);
      const auto a = CountOf(ladder, level, level, OnLattice(*positions, from));
      const auto b = CountOf(ladder, level, level, OnLattice(*positions, to));
      const double far = Far(world, from, to) / world.delta;
      worst =
          std::max(worst, Change(a, b, bound->shift) / (static_cast<double>(bound->moves) * (far + Study::kMoveSlack)));
    }
  }
  return worst;
}

TEST(PointsStudyProperty, ByDistanceLossesAreInProportion_POINTS10) { EXPECT_LE(LargestSlope(false), 1); }

TEST(PointsStudyProperty, TheSlopeCheckSeesBoundsThatAreOnlyForDelta) { EXPECT_GT(LargestSlope(true), 1.2); }

}  // namespace
}  // namespace kith::points
