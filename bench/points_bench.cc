// Range counts from points that may move a little, against the best equi-width histogram (its number of bins chosen by
// an oracle, on a plane among 16 to 512 along each side), in one run; and the time to put ten million points into a
// pyramid of 1024 x 1024 cells, compared with the time to read them once. With a file of points, the gain on them
// instead, for moves of 500 m. Usage: points_bench [POINTS | LON_LAT.csv [WEST SOUTH EAST NORTH]]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "analysis/error_bar.h"
#include "analysis/points/blur.h"
#include "analysis/points/counts.h"
#include "analysis/points/depth.h"
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

constexpr int kRepetitions = 5;  // the oracle picks what is best on average, not the luckiest draw

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

using kith::points::RangeSide;

/// As `kith analyse points` makes it, except for the noise, which is of doubles here.
class Pyramid {
 public:
  Pyramid(const std::vector<Point>& points, const MoveReach& reach, double epsilon, std::optional<int> finest = {}) {
    const auto change = [&](int l) { return HatChange(reach, kPositions >> l); };
    total_ = static_cast<double>(points.size());
    finest_ = finest.value_or(kith::points::DepthFor(ladder_, total_, epsilon, change, 9));
    const auto x = OnLattice(points, &Point::x), y = OnLattice(points, &Point::y);
    kith::points::Counts counts(ladder_, finest_);
    const std::vector<std::span<const std::int32_t>> both = {x, y};
    counts.Add(both);
    const std::vector<int> chosen = kith::points::PyramidTo(finest_);
    double sum = 0;
    std::vector<kith::Int128> exact = counts.Take();
    for (int l = finest_; l >= chosen.front(); --l) {
      if (std::find(chosen.begin(), chosen.end(), l) != chosen.end()) {
        const double sensitivity = 2 * change(l), weight = kith::points::LevelWeight(ladder_, l, sensitivity);
        const double whole = static_cast<double>(kith::points::WholePoint(ladder_, l));
        NoisyLevel level{l, {}, {}};
        for (const kith::Int128 count : exact) level.counts.push_back(static_cast<double>(count) / whole);
        levels_.insert(levels_.begin(), std::move(level));
        scales_.insert(scales_.begin(), sensitivity / (epsilon * weight));
        sum += weight;
      }
      if (l > chosen.front()) exact = kith::points::CoarserCounts(ladder_, exact, l);
    }
    for (std::size_t l = 0; l < scales_.size(); ++l) {
      scales_[l] *= sum;
      levels_[l].precision.assign(levels_[l].counts.size(), 1 / (2 * scales_[l] * scales_[l]));
    }
  }

  kith::points::Fit Draw() const {
    std::vector<NoisyLevel> noisy = levels_;
    for (std::size_t l = 0; l < noisy.size(); ++l)
      for (double& count : noisy[l].counts) count += Laplace(scales_[l]);
    return kith::points::FitLevels(ladder_, noisy, total_);
  }
  std::size_t cells() const { return std::size_t{1} << finest_; }
  const std::vector<NoisyLevel>& levels() const { return levels_; }

  /// Bar and blur of a range, as the map prints them.
  double Bar(const kith::points::Variances& variances, const Box& box) const {
    const auto x = SideOf(box.low.x, box.high.x), y = SideOf(box.low.y, box.high.y);
    Numbers all(ladder_.Size(finest_));
    const std::size_t side = x.inside.size();
    for (std::size_t k = 0; k < all.size(); ++k) all[k] = x.inside[k / side] * y.inside[k % side];
    return kith::BarOfVariance(variances.Of(all));
  }
  double Blur(const Box& box, const Numbers& counts) const {
    return kith::points::BlurOf(SideOf(box.low.x, box.high.x), SideOf(box.low.y, box.high.y), counts);
  }
  kith::points::Variances Noise() const { return {ladder_, levels_, true}; }

 private:
  RangeSide SideOf(double low, double high) const { return kith::points::SideOf(Basis::kHats, finest_, low, high); }
  Ladder ladder_{Basis::kHats, 2};
  int finest_ = 0;
  double total_ = 0;
  std::vector<NoisyLevel> levels_;
  std::vector<double> scales_;
};

struct Asked {
  std::vector<Box> boxes;
  Numbers truth;
};

// Rectangles around points, as people ask about places where people are (or anywhere). Half of their widths and heights
// are drawn from `half`, in parts of the region; a square has one size for both, on the ground.
struct Shape {
  std::string name;
  double least[2], most[2];
  bool square = false, around = true;
};
Asked Ask(const std::vector<Point>& points, const Shape& shape, int count) {
  Asked asked;
  for (int k = 0; k < count; ++k) {
    Point middle{Uniform(), Uniform()};
    if (shape.around) middle = points[static_cast<std::size_t>(Uniform() * static_cast<double>(points.size()))];
    const double u = Uniform(), v = shape.square ? u : Uniform();
    const double w = shape.least[0] + u * (shape.most[0] - shape.least[0]);
    const double h = shape.least[1] + v * (shape.most[1] - shape.least[1]);
    const Box box{{std::max(0.0, middle.x - w), std::max(0.0, middle.y - h)},
                  {std::min(1.0, middle.x + w), std::min(1.0, middle.y + h)}};
    asked.boxes.push_back(box);
    asked.truth.push_back(static_cast<double>(std::count_if(points.begin(), points.end(), [&](const Point& p) {
      return p.x >= box.low.x && p.x < box.high.x && p.y >= box.low.y && p.y < box.high.y;
    })));
  }
  return asked;
}

// kith's default against the best equi-width grid: an oracle knows all errors and takes the best of 16 to 512 cells
// along each side. Coverage: how many true counts are within bar and blur.
void Compare(const std::string& name, const std::vector<Point>& points, const MoveReach& reach, double epsilon,
             const Shape& shape) {
  const Asked asked = Ask(points, shape, 600);
  double equal = 1e300;
  std::size_t best = 0;
  for (const std::size_t cells : {16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512}) {
    const double error = Error(asked.boxes, asked.truth, [&] { return Bins(points, cells, 2 / epsilon); });
    if (error < equal) best = cells;
    equal = std::min(equal, error);
  }
  const Pyramid made(points, reach, epsilon);
  const kith::points::Variances noise = made.Noise();
  constexpr std::size_t kBars = 60;  // ranges whose bars are checked
  Numbers bars;
  for (std::size_t k = 0; k < kBars; ++k) bars.push_back(made.Bar(noise, asked.boxes[k]));
  double squares = 0, inside = 0, blurs = 0;
  constexpr int kDraws = 4;
  for (int draw = 0; draw < kDraws; ++draw) {
    const kith::points::Fit fit = made.Draw();
    const Numbers nearest = fit.Nearest();
    for (std::size_t k = 0; k < asked.boxes.size(); ++k) {
      const double gap = kith::points::RangeCount2(nearest, made.cells(), asked.boxes[k]) - asked.truth[k];
      squares += gap * gap / (kDraws * static_cast<double>(asked.boxes.size()));
      if (k >= kBars) continue;
      const double blur = made.Blur(asked.boxes[k], fit.not_negative);
      inside += std::abs(gap) <= bars[k] + blur ? 1.0 / (kDraws * kBars) : 0;
      blurs += blur / (kDraws * kBars);
    }
  }
  const double error = std::sqrt(squares);
  double bar = 0;
  for (const double one : bars) bar += one / kBars;
  fmt::print(
      "{:<12} {:<10} epsilon {:<4}: equi-width {:8.1f} ({:3} cells)   kith {:8.1f} ({:3} cells)   gain {:5.2f}   "
      "inside "
      "{:5.1f} %   mean bar {:.0f}, blur {:.0f}\n",
      name, shape.name, epsilon, equal, best, error, made.cells(), equal / error, 100 * inside, bar, blurs);
}

// Two dimensions: 20,000 points in six clusters.
void Plane(double delta, double epsilon) {
  const double semi = delta * static_cast<double>(kPositions);
  Compare(fmt::format("delta {}", delta), SixClusters(), {{semi, semi}, {2, 2}, false}, epsilon,
          {"anywhere", {0.03, 0.03}, {0.25, 0.25}, false, false});
}

// A file with longitude and latitude as its last columns, and the box that they are in.
int Places(const std::string& path, const std::vector<double>& box) {
  kith::Distance distance;
  distance.columns = {"lon", "lat"};
  distance.metric = kith::DistanceMetric::kGreatCircle;
  distance.delta = 500;
  distance.region = {{box[0], box[1]}, {box[2], box[3]}};
  distance.whole = {false, false};
  const kith::Reach reach = kith::ReachOf(distance);
  MoveReach moves{{}, {2, 2}, false};
  double kilometre[2];
  for (std::size_t k = 0; k < 2; ++k) {
    const double span = distance.region.high[k] - distance.region.low[k];
    moves.semi.push_back(reach.semi[k] / span * static_cast<double>(kPositions));
    kilometre[k] = 2 * reach.semi[k] / span;
  }
  std::ifstream in(path);
  std::vector<Point> points;
  for (std::string line; std::getline(in, line);) {
    const std::size_t last = line.rfind(','), before = line.rfind(',', last - 1);
    if (last == std::string::npos || line.find("lat") != std::string::npos) continue;
    const auto part = [&](std::size_t at, std::size_t k) {
      return (std::strtod(line.c_str() + at, nullptr) - box[k]) / (box[k + 2] - box[k]);
    };
    const Point point{part(before == std::string::npos ? 0 : before + 1, 0), part(last + 1, 1)};
    if (point.x >= 0 && point.x <= 1 && point.y >= 0 && point.y <= 1) points.push_back(point);
  }
  if (points.empty()) {
    fmt::print("no points in {}\n", path);
    return 1;
  }
  fmt::print("{} points, moves of 500 m\n", points.size());
  const Shape rectangles{"rectangles", {0.03, 0.03}, {0.25, 0.25}};
  const Shape districts{
      "districts", {kilometre[0] / 2, kilometre[1] / 2}, {3.5 * kilometre[0], 3.5 * kilometre[1]}, true};
  for (const double epsilon : {0.1, 0.5, 1.0}) {
    Compare("500 m", points, moves, epsilon, rectangles);
    Compare("500 m", points, moves, epsilon, districts);
  }
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
  for (int l = 10; l >= 2; --l) {
    if (l % 2 == 0) {
      NoisyLevel level{l, {}, {}};
      const double whole = static_cast<double>(kith::points::WholePoint(ladder, l));
      for (const kith::Int128 c : exact) level.counts.push_back(static_cast<double>(c) / whole);
      levels.insert(levels.begin(), std::move(level));
    }
    if (l > 2) exact = kith::points::CoarserCounts(ladder, exact, l);
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
  if (given.find_first_not_of("0123456789") != std::string::npos) {
    std::vector<double> box = {-74.2589, 40.4774, -73.7004, 40.9176};  // New York
    for (int k = 0; k < 4 && argc >= 6; ++k) box[static_cast<std::size_t>(k)] = std::strtod(argv[k + 2], nullptr);
    return Places(given, box);
  }
  Line(0.001, 0.1);
  Line(0.01, 0.1);
  Plane(0.001, 0.1);
  Plane(0.005, 0.1);
  Plane(0.02, 0.1);
  Speed(given.empty() ? 10'000'000 : static_cast<std::size_t>(std::strtoull(given.c_str(), nullptr, 10)));
}
