// The loss of a stream of maps about a track by trying everything: one unit's places at every step of its stay, among
// places less and more than delta apart. The engine reads each step's places; how far they move the counts of the map,
// times what the step spends, adds up to at most ceil(distance / delta) times what each step spends.
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/points/hat.h"
#include "analysis/points/study.h"
#include "analysis/stream/shares.h"
#include "policy/one_step.h"
#include "tests/support/policies.h"
#include "tests/support/tiny_db_engine.h"

namespace kith::testing {
namespace {

constexpr std::int64_t kSteps = 4, kWindow = 3, kUnits = 900'000;
constexpr double kDelta = 0.1;
constexpr std::size_t kCells = 8;

struct Place {
  double x, y;
};
// Less than delta from the first, a little more, and far away.
constexpr Place kPlaces[] = {{0.41, 0.52}, {0.47, 0.59}, {0.41, 0.63}, {0.79, 0.27}};

Policy TrackPolicy(double delta) {
  return MakePolicy(
      "[data]\ntables.t = \"t.csv\"\n[unit]\ntable = \"t\"\nkey = \"id\"\nmax_rows = 1\npresence = \"public\"\n"
      "distance = { columns = [\"x\", \"y\"], metric = \"euclidean\", delta = " +
      std::to_string(delta) +
      " }\n[columns.t]\nat = { type = \"integer\" }\nx = { type = \"real\", lower = 0, upper = 1, required = true }\n"
      "y = { type = \"real\", lower = 0, upper = 1, required = true }\n[dependence]\nsource = \"public\"\nkind = "
      "\"independent\"\n[stream]\ntime = \"at\"\nstep = 10\nstart = 5\nwindow = 3\n[budget]\nepsilon = 1\nledger = "
      "\"l\"\n");
}

using Track = std::vector<std::size_t>;  // a place for each step

// Rows of unit 1 along the track, sometimes two in a step whose mean is the place, and of two that do not move.
TinyTable TableOf(const Track& track) {
  TinyTable table{"t",
                  {"id", "at", "x", "y"},
                  {ColumnType::kInteger, ColumnType::kInteger, ColumnType::kReal, ColumnType::kReal},
                  {}};
  const auto add = [&](int id, std::int64_t tick, std::int64_t into, double x, double y) {
    table.rows.push_back({IntegerDatum(id), IntegerDatum(5 + 10 * tick + into), RealDatum(x), RealDatum(y)});
  };
  for (std::int64_t tick = 0; tick < kSteps; ++tick) {
    add(2, tick, 3, 0.2, 0.2);
    const Place& place = kPlaces[track[static_cast<std::size_t>(tick)]];
    if (tick % 2 == 0) {
      add(1, tick, 0, place.x, place.y);
    } else {
      add(1, tick, 1, place.x - 0.0625, place.y + 0.125);
      add(1, tick, 9, place.x + 0.0625, place.y - 0.125);
    }
    add(3, tick, 7, 0.9, 0.6);
  }
  return table;
}

// Every track that is at place 0 outside the window from `first` on.
std::vector<Track> Tracks(std::size_t first, std::size_t window) {
  std::vector<Track> tracks;
  std::size_t ways = 1;
  for (std::size_t k = 0; k < window; ++k) ways *= std::size(kPlaces);
  for (std::size_t way = 0; way < ways; ++way) {
    Track track(kSteps, 0);
    for (std::size_t k = 0, rest = way; k < window; ++k, rest /= std::size(kPlaces))
      track[first + k] = rest % std::size(kPlaces);
    tracks.push_back(std::move(track));
  }
  return tracks;
}

// Exact counts of every step's map, as the engine reads the places of this step.
std::vector<std::vector<double>> CountsOf(const Track& track, const std::vector<points::Positions>& steps,
                                          SqlRunner& runner) {
  runner.Load(TableOf(track));
  std::vector<std::vector<double>> counts;
  for (const points::Positions& positions : steps) {
    std::vector<points::Point> found;
    for (const auto& row : runner.Run(positions.StatementOf())) {
      const auto part = [&](std::size_t k) {
        return static_cast<double>(
                   points::Positions::Of(static_cast<std::int64_t>(*row.at(k)), positions.axes()[k].span)) /
               static_cast<double>(points::kPositions);
      };
      found.push_back({part(0), part(1)});
    }
    EXPECT_EQ(found.size(), 3U) << "a unit is one point, whatever its rows";
    counts.push_back(points::HatCounts2(found, kCells));
  }
  return counts;
}

std::int64_t Hops(std::size_t a, std::size_t b) {
  if (a == b) return 0;
  const double apart = std::hypot(kPlaces[a].x - kPlaces[b].x, kPlaces[a].y - kPlaces[b].y);
  return static_cast<std::int64_t>(std::ceil(apart / kDelta));
}

struct Found {
  double beyond = -INFINITY;  // the most that a pair of tracks loses more than is said, in units
  double near = 0;            // the largest loss of tracks that are never more than delta apart
};

// All pairs of tracks; `delta` is what the map's noise is for.
Found Try(std::size_t window, const std::vector<std::int64_t>& shares, double delta) {
  const Policy policy = TrackPolicy(delta);
  points::PointsOptions options;
  options.columns = {"x", "y"};
  options.method = points::Method::kHat;
  options.cells = kCells;
  std::vector<points::Positions> steps;
  for (std::int64_t tick = 0; tick < kSteps; ++tick)
    steps.push_back(points::Positions::Make(options.columns, "", OneStep(policy, tick)).value());
  const PlainUnits one[] = {PlainUnits::Of(kUnits)};
  const double sensitivity =
      points::MakePoints(options, OneStep(policy, 0)).value()->Outline(one).value().noise.at(0).sensitivity;
  const auto runner = OpenConfigured();
  Found found;
  const auto tracks = Tracks(1, window);
  std::vector<std::vector<std::vector<double>>> counts;
  for (const Track& track : tracks) counts.push_back(CountsOf(track, steps, *runner));
  for (std::size_t a = 0; a < tracks.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      double loss = 0, said = 0;
      bool near = true;
      for (std::size_t t = 0; t < kSteps; ++t) {
        double change = 0;
        for (std::size_t k = 0; k < counts[a][t].size(); ++k) change += std::abs(counts[a][t][k] - counts[b][t][k]);
        const std::int64_t hops = Hops(tracks[a][t], tracks[b][t]);
        loss += static_cast<double>(shares[t]) * change / sensitivity;
        said += static_cast<double>(shares[t] * hops);
        near = near && hops <= 1;
      }
      found.beyond = std::max(found.beyond, loss - said);
      if (near) found.near = std::max(found.near, loss);
    }
  }
  return found;
}

std::vector<std::int64_t> Shares(std::int64_t window) {
  const auto terms = stream::Terms::Make(stream::Sharing::kUniform, window, PlainUnits::Of(kUnits), 1, {}).value();
  std::vector<stream::Spent> spent;
  std::vector<std::int64_t> shares;
  for (std::int64_t tick = 0; tick < kSteps; ++tick) {
    shares.push_back(terms.Release(tick, spent).count());
    spent.push_back({tick, shares.back()});
  }
  return shares;
}

TEST(TrackBruteForce, NoTrackLosesMoreThanItsMoves_STREAM9) {
  const Found found = Try(kWindow, Shares(kWindow), kDelta);
  EXPECT_LE(found.beyond, 1e-6 * kUnits);
  EXPECT_LE(found.near, kUnits);
  EXPECT_GT(found.near, kUnits / 2) << "nothing was tried";
}

TEST(TrackBruteForce, TheCheckAboveSeesAWindowThatIsOneStepShort) {
  EXPECT_GT(Try(kWindow, Shares(kWindow - 1), kDelta).near, kUnits);
}

TEST(TrackBruteForce, TheCheckAboveSeesADeltaThatIsTooSmall) {
  EXPECT_GT(Try(kWindow, Shares(kWindow), kDelta / 4).beyond, kUnits / 10);
}

}  // namespace
}  // namespace kith::testing
