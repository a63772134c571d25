// Range counts from points that may move a little, against the best equi-width histogram (its number of bins chosen by
// an oracle), in one run; and the time to put ten million points into a pyramid of 1024 x 1024 cells, beside the time
// to read them once. Usage: points_bench [POINTS]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <random>
#include <vector>

#include "analysis/points/hat.h"
#include "analysis/points/ordered.h"
#include "analysis/points/pyramid.h"

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
    cumulative = std::min(cumulative, Error(ranges, truth, [&] {
                            Numbers noisy;
                            for (const auto count : prefix)
                              noisy.push_back(static_cast<double>(count) + Laplace(sensitivity / epsilon));
                            return by(kith::points::Cumulative(noisy, n));
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

// Two dimensions: 20,000 points in six clusters, rectangles of half-width 0.03 to 0.25.
void Plane(double delta, double epsilon) {
  const std::vector<Point> points = SixClusters();
  std::vector<Box> boxes;
  Numbers truth;
  for (int k = 0; k < 1500; ++k) {
    const double x = Uniform(), y = Uniform(), w = Uniform(0.03, 0.25), h = Uniform(0.03, 0.25);
    const Box box{{std::max(0.0, x - w), std::max(0.0, y - h)}, {std::min(1.0, x + w), std::min(1.0, y + h)}};
    boxes.push_back(box);
    truth.push_back(static_cast<double>(std::count_if(points.begin(), points.end(), [&](const Point& p) {
      return p.x >= box.low.x && p.x < box.high.x && p.y >= box.low.y && p.y < box.high.y;
    })));
  }
  double equal = 1e300, pyramid = 1e300;
  for (std::size_t cells = 2; cells <= 64; cells = cells * 5 / 4 + 1)
    equal = std::min(equal, Error(boxes, truth, [&] { return Bins(points, cells, 2 / epsilon); }));
  for (const int finest : {4, 5, 6}) {
    const auto levels =
        kith::points::PyramidLevels(1, finest, delta, kith::points::Metric::kEuclidean, epsilon).value();
    pyramid =
        std::min(pyramid, Error(boxes, truth, [&] {
                   std::vector<Numbers> noisy;
                   for (const auto& level : levels) {
                     noisy.push_back(kith::points::HatCounts2(points, level.cells()));
                     for (double& count : noisy.back()) count += Laplace(level.scale);
                   }
                   return [cells = levels.back().cells(), counts = kith::points::SolvePyramid(levels, noisy).counts](
                              const Box& box) { return kith::points::RangeCount2(counts, cells, box); };
                 }));
  }
  fmt::print("2-D, delta {:<6} epsilon {:<4}: equi-width {:7.2f}   pyramid    {:7.2f}   gain {:5.2f}\n", delta, epsilon,
             equal, pyramid, equal / pyramid);
}

void Speed(std::size_t count) {
  std::vector<Point> points(count);
  for (Point& p : points) p = {Uniform(), Uniform()};
  auto start = std::chrono::steady_clock::now();
  double sum = 0;
  for (const Point& p : points) sum += p.x * p.y;
  const double read = SecondsSince(start);
  start = std::chrono::steady_clock::now();
  const auto levels = kith::points::PyramidLevels(0, 10, 0.001, kith::points::Metric::kEuclidean, 1).value();
  std::vector<Numbers> counts = {kith::points::HatCounts2(points, 1024)};
  for (std::size_t l = levels.size() - 1; l-- > 0;)
    counts.push_back(kith::points::Coarser(counts.back(), levels[l + 1].cells()));
  std::reverse(counts.begin(), counts.end());
  const double put = SecondsSince(start);
  for (std::size_t l = 0; l < levels.size(); ++l)
    for (double& c : counts[l]) c += Laplace(levels[l].scale);
  start = std::chrono::steady_clock::now();
  const auto solved = kith::points::SolvePyramid(levels, counts);
  fmt::print(
      "{} points into 1024 x 1024 and all coarser levels: {:.2f} s ({:.0f} times reading them, sum {:.0f}); solved in "
      "{:.2f} s, {} steps\n",
      count, put, put / read, sum, SecondsSince(start), solved.steps);
}

}  // namespace

int main(int argc, char** argv) {
  Line(0.001, 0.1);
  Line(0.01, 0.1);
  Plane(0.001, 0.1);
  Plane(0.005, 0.1);
  Plane(0.02, 0.1);
  Speed(argc > 1 ? static_cast<std::size_t>(std::strtoull(argv[1], nullptr, 10)) : 10'000'000);
}
