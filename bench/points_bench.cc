// Range counts from points that may move a little, against the best equi-width histogram (its number of bins chosen by
// an oracle), in one run; and the time to put ten million points into a pyramid of 1024 x 1024 cells, beside the time
// to read them once. With a file of points, the gain on them instead, for moves of 500 m.
// Usage: points_bench [POINTS | LON_LAT.csv]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "analysis/points/counts.h"
#include "analysis/points/fit.h"
#include "analysis/points/hat.h"
#include "analysis/points/moves.h"
#include "analysis/points/ordered.h"
#include "analysis/points/smooth.h"
#include "policy/distance.h"

namespace {

using kith::points::Box;
using kith::points::Point;
using Numbers = std::vector<double>;

std::mt19937_64 draws(7);

double Uniform(double low = 0, double high = 1) { return std::uniform_real_distribution<double>(low, high)(draws); }
double Laplace(double scale) {
  const double u = Uniform(-0.5, 0.5);
  return -scale * std::copysign(std::log1p(-2 * std::abs(u)), u);
}
double Clustered(double centre, double width) {
  return std::clamp(std::normal_distribution<double>(centre, width)(draws), 0.0, 1.0);
}
double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

constexpr int kRepetitions = 10;  // the oracle picks what is best on average, not the luckiest draw

/// Root mean square error of range counts over repetitions; `draw` makes a noisy estimator of a range.
template <class Range, class Draw>
double Error(const std::vector<Range>& ranges, const Numbers& truth, const Draw& draw) {
  double sum = 0;
  for (int repetition = 0; repetition < kRepetitions; ++repetition) {
    const auto estimate = draw();
    for (std::size_t k = 0; k < ranges.size(); ++k) {
      const double gap = estimate(ranges[k]) - truth[k];
      sum += gap * gap;
    }
  }
  return std::sqrt(sum / (kRepetitions * static_cast<double>(ranges.size())));
}

struct Interval {
  double low, high;
};

// One dimension: 10,000 points, a mixture of four normal laws.
void Line(double delta, double epsilon) {
  Numbers points;
  const double centres[4] = {0.2, 0.35, 0.6, 0.85}, widths[4] = {0.03, 0.1, 0.02, 0.05};
  for (int k = 0; k < 10'000; ++k) points.push_back(Clustered(centres[k % 4], widths[k % 4]));
  std::vector<Interval> ranges;
  for (int k = 0; k < 2000; ++k) {
    const double a = Uniform(), b = Uniform();
    ranges.push_back({std::min(a, b), std::max(a, b)});
  }
  std::sort(points.begin(), points.end());
  Numbers truth;
  for (const Interval& r : ranges)
    truth.push_back(static_cast<double>(std::lower_bound(points.begin(), points.end(), r.high) -
                                        std::lower_bound(points.begin(), points.end(), r.low)));
  // Positions in steps of a millionth.
  std::vector<std::int64_t> steps;
  for (const double x : points) steps.push_back(static_cast<std::int64_t>(x * 1e6));
  const auto n = static_cast<double>(points.size());
  double equal = 1e300, cumulative = 1e300;
  for (std::size_t cells = 4; cells <= 2000; cells = cells * 5 / 4 + 1) {
    const auto width = static_cast<std::int64_t>(std::ceil(1e6 / static_cast<double>(cells)));
    const auto prefix = kith::points::PrefixCounts(steps, width, cells);
    const double stretch = static_cast<double>(width) * static_cast<double>(cells) / 1e6;
    const auto by = [&](Numbers counts) {
      return [counts = std::move(counts), stretch](const Interval& r) {
        return kith::points::CountBetween(counts, r.low / stretch, r.high / stretch);
      };
    };
    equal = std::min(equal, Error(ranges, truth, [&] {
                       Numbers sums = {0};
                       double before = 0;
                       for (std::size_t c = 0; c < cells; ++c) {
                         const double upto = c + 1 < cells ? static_cast<double>(prefix[c]) : n;
                         sums.push_back(sums.back() + upto - before + Laplace(2 / epsilon));
                         before = upto;
                       }
                       return by(std::move(sums));
                     }));
    const auto moved = static_cast<std::int64_t>(std::ceil(delta * 1e6));
    const auto sensitivity = static_cast<double>(kith::points::PrefixSensitivity(moved, width));
    cumulative =
        std::min(cumulative, Error(ranges, truth, [&] {
                   Numbers noisy;
                   for (const auto count : prefix)
                     noisy.push_back(static_cast<double>(count) + Laplace(sensitivity / epsilon));
                   const double scale = sensitivity / epsilon;
                   return by(kith::points::Cumulative(kith::points::Smooth(noisy, 2 * scale * scale, 0, n), n));
                 }));
  }
  fmt::print("1-D, delta {:<6} epsilon {:<4}: equi-width {:7.2f}   cumulative {:7.2f}   gain {:5.2f}\n", delta, epsilon,
             equal, cumulative, equal / cumulative);
}

/// Points below and left of a place, from noisy bins.
class Bins {
 public:
  Bins(const std::vector<Point>& points, std::size_t cells, double scale)
      : cells_(cells), sums_((cells + 1) * (cells + 1)) {
    Numbers bins(cells * cells, 0.0);
    for (const Point& p : points) ++bins[Cell(p.x) * cells + Cell(p.y)];
    for (std::size_t a = 0; a < cells; ++a)
      for (std::size_t b = 0; b < cells; ++b)
        At(a + 1, b + 1) = bins[a * cells + b] + Laplace(scale) + At(a, b + 1) + At(a + 1, b) - At(a, b);
  }
  double operator()(const Box& box) const {
    return Below(box.high.x, box.high.y) - Below(box.low.x, box.high.y) - Below(box.high.x, box.low.y) +
           Below(box.low.x, box.low.y);
  }

 private:
  std::size_t Cell(double x) const {
    return std::min(cells_ - 1, static_cast<std::size_t>(x * static_cast<double>(cells_)));
  }
  double& At(std::size_t a, std::size_t b) { return sums_[a * (cells_ + 1) + b]; }
  double Below(double x, double y) const {
    const std::size_t a = Cell(x), b = Cell(y);
    const double u = x * static_cast<double>(cells_) - static_cast<double>(a);
    const double v = y * static_cast<double>(cells_) - static_cast<double>(b);
    const double* at = &sums_[a * (cells_ + 1) + b];
    return (1 - u) * ((1 - v) * at[0] + v * at[1]) + u * ((1 - v) * at[cells_ + 1] + v * at[cells_ + 2]);
  }

  std::size_t cells_;
  Numbers sums_;
};

std::vector<Point> SixClusters() {
  std::vector<Point> points;
  for (int k = 0; k < 20'000; ++k) {
    const double c = k % 6;
    points.push_back(
        {Clustered(0.15 + 0.14 * c, 0.02 + 0.01 * c), Clustered(0.2 + 0.6 * std::fmod(c * 0.37, 1), 0.04)});
  }
  return points;
}

using kith::points::Basis;
using kith::points::HatChange;
using kith::points::kPositions;
using kith::points::Ladder;
using kith::points::MoveReach;
using kith::points::NoisyLevel;

std::vector<std::int32_t> OnLattice(const std::vector<Point>& points, double Point::*coordinate) {
  std::vector<std::int32_t> positions;
  for (const Point& p : points)
    positions.push_back(static_cast<std::int32_t>(p.*coordinate * static_cast<double>(kPositions)));
  return positions;
}

/// As `kith analyse points` makes it, but for the noise, which is of doubles here.
class Pyramid {
 public:
  Pyramid(const std::vector<Point>& points, const MoveReach& reach, int finest, double epsilon) : finest_(finest) {
    const auto x = OnLattice(points, &Point::x), y = OnLattice(points, &Point::y);
    kith::points::Counts counts(ladder_, finest);
    const std::vector<std::span<const std::int32_t>> both = {x, y};
    counts.Add(both);
    total_ = static_cast<double>(points.size());
    double sum = 0;
    std::vector<kith::Int128> exact = counts.Take();
    for (int l = finest; l >= 1; --l) {
      const double sensitivity = 2 * HatChange(reach, kPositions >> l);
      const double weight = std::cbrt(std::sqrt(static_cast<double>(ladder_.Size(l))) * sensitivity * sensitivity);
      const double whole = static_cast<double>(kith::points::WholePoint(ladder_, l));
      NoisyLevel level{l, {}, {}};
      for (const kith::Int128 count : exact) level.counts.push_back(static_cast<double>(count) / whole);
      levels_.insert(levels_.begin(), std::move(level));
      scales_.insert(scales_.begin(), sensitivity / (epsilon * weight));
      sum += weight;
      if (l > 1) exact = kith::points::CoarserCounts(ladder_, exact, l);
    }
    for (double& scale : scales_) scale *= sum;
  }

  std::vector<double> Draw() const {
    std::vector<NoisyLevel> noisy = levels_;
    for (std::size_t l = 0; l < noisy.size(); ++l) {
      for (double& count : noisy[l].counts) count += Laplace(scales_[l]);
      noisy[l].precision.assign(noisy[l].counts.size(), 1 / (2 * scales_[l] * scales_[l]));
    }
    return kith::points::FitLevels(ladder_, noisy, total_).counts;
  }
  std::size_t cells() const { return std::size_t{1} << finest_; }

 private:
  Ladder ladder_{Basis::kHats, 2};
  int finest_;
  double total_ = 0;
  std::vector<NoisyLevel> levels_;
  std::vector<double> scales_;
};

// Rectangles of half-width 0.03 to 0.25. `around`: their middles are points, as people ask about places where people
// are.
void Compare(const std::string& name, const std::vector<Point>& points, const MoveReach& reach, double epsilon,
             bool around) {
  std::vector<Box> boxes;
  Numbers truth;
  for (int k = 0; k < 1500; ++k) {
    Point middle{Uniform(), Uniform()};
    if (around) middle = points[static_cast<std::size_t>(Uniform() * static_cast<double>(points.size()))];
    const double w = Uniform(0.03, 0.25), h = Uniform(0.03, 0.25);
    const Box box{{std::max(0.0, middle.x - w), std::max(0.0, middle.y - h)},
                  {std::min(1.0, middle.x + w), std::min(1.0, middle.y + h)}};
    boxes.push_back(box);
    truth.push_back(static_cast<double>(std::count_if(points.begin(), points.end(), [&](const Point& p) {
      return p.x >= box.low.x && p.x < box.high.x && p.y >= box.low.y && p.y < box.high.y;
    })));
  }
  double equal = 1e300, pyramid = 1e300;
  for (std::size_t cells = 2; cells <= 64; cells = cells * 5 / 4 + 1)
    equal = std::min(equal, Error(boxes, truth, [&] { return Bins(points, cells, 2 / epsilon); }));
  for (const int finest : {5, 6, 7}) {
    const Pyramid made(points, reach, finest, epsilon);
    pyramid = std::min(pyramid, Error(boxes, truth, [&] {
                         return [cells = made.cells(), counts = made.Draw()](const Box& box) {
                           return kith::points::RangeCount2(counts, cells, box);
                         };
                       }));
  }
  fmt::print("2-D, {:<18} epsilon {:<4}: equi-width {:7.2f}   pyramid    {:7.2f}   gain {:5.2f}\n", name, epsilon,
             equal, pyramid, equal / pyramid);
}

// Two dimensions: 20,000 points in six clusters.
void Plane(double delta, double epsilon) {
  const double semi = delta * static_cast<double>(kPositions);
  Compare(fmt::format("delta {}", delta), SixClusters(), {{semi, semi}, {2, 2}, false}, epsilon, false);
}

// A file with the columns lon and lat at its end, in the box of New York.
int Places(const std::string& path) {
  kith::Distance distance;
  distance.columns = {"lon", "lat"};
  distance.metric = kith::DistanceMetric::kGreatCircle;
  distance.delta = 500;
  distance.region = {{-74.2589, 40.4774}, {-73.7004, 40.9176}};
  distance.whole = {false, false};
  const kith::Reach reach = kith::ReachOf(distance);
  MoveReach moves{{}, {2, 2}, false};
  for (std::size_t k = 0; k < 2; ++k) {
    const double span = distance.region.high[k] - distance.region.low[k];
    moves.semi.push_back(reach.semi[k] / span * static_cast<double>(kPositions));
  }
  std::ifstream in(path);
  std::vector<Point> points;
  for (std::string line; std::getline(in, line);) {
    const std::size_t last = line.rfind(','), before = line.rfind(',', last - 1);
    if (last == std::string::npos) continue;
    const auto part = [&](std::size_t at, std::size_t k) {
      const double low = distance.region.low[k], high = distance.region.high[k];
      return std::clamp((std::strtod(line.c_str() + at, nullptr) - low) / (high - low), 0.0, 1.0);
    };
    if (line.find("lat") == std::string::npos)
      points.push_back({part(before == std::string::npos ? 0 : before + 1, 0), part(last + 1, 1)});
  }
  if (points.empty()) {
    fmt::print("no points in {}\n", path);
    return 1;
  }
  fmt::print("{} points, moves of 500 m\n", points.size());
  for (const double epsilon : {0.1, 0.5, 1.0}) Compare("500 m", points, moves, epsilon, true);
  return 0;
}

void Speed(std::size_t count) {
  std::vector<std::int32_t> x(count), y(count);
  for (std::size_t k = 0; k < count; ++k) {
    x[k] = static_cast<std::int32_t>(draws() % static_cast<std::uint64_t>(kPositions));
    y[k] = static_cast<std::int32_t>(draws() % static_cast<std::uint64_t>(kPositions));
  }
  auto start = std::chrono::steady_clock::now();
  double sum = 0;
  for (std::size_t k = 0; k < count; ++k) sum += static_cast<double>(x[k]) * y[k];
  const double read = SecondsSince(start);
  start = std::chrono::steady_clock::now();
  const Ladder ladder(Basis::kHats, 2);
  kith::points::Counts counts(ladder, 10);
  const std::vector<std::span<const std::int32_t>> both = {x, y};
  counts.Add(both);
  std::vector<kith::Int128> exact = counts.Take();
  std::vector<NoisyLevel> levels;
  for (int l = 10; l >= 1; --l) {
    NoisyLevel level{l, {}, {}};
    const double whole = static_cast<double>(kith::points::WholePoint(ladder, l));
    for (const kith::Int128 c : exact) level.counts.push_back(static_cast<double>(c) / whole);
    if (l > 1) exact = kith::points::CoarserCounts(ladder, exact, l);
    levels.insert(levels.begin(), std::move(level));
  }
  const double put = SecondsSince(start);
  for (NoisyLevel& level : levels) {
    const double scale = 1e-4 * std::ldexp(1.0, level.log2_cells);
    for (double& c : level.counts) c += Laplace(scale);
    level.precision.assign(level.counts.size(), 1 / (2 * scale * scale));
  }
  start = std::chrono::steady_clock::now();
  const auto fit = kith::points::FitLevels(ladder, levels, static_cast<double>(count));
  fmt::print(
      "{} points into 1024 x 1024 and all coarser levels: {:.2f} s ({:.0f} times reading them, sum {:.0f}); solved in "
      "{:.2f} s, {} steps\n",
      count, put, put / read, sum, SecondsSince(start), fit.steps);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string given = argc > 1 ? argv[1] : "";
  if (given.find_first_not_of("0123456789") != std::string::npos) return Places(given);
  Line(0.001, 0.1);
  Line(0.01, 0.1);
  Plane(0.001, 0.1);
  Plane(0.005, 0.1);
  Plane(0.02, 0.1);
  Speed(given.empty() ? 10'000'000 : static_cast<std::size_t>(std::strtoull(given.c_str(), nullptr, 10)));
}
