#include "analysis/kmeans/start.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kith::kmeans {
namespace {

constexpr std::size_t kPointsPerCluster = 64;
constexpr int kSmoothing = 25;
constexpr std::size_t kStarts = 8;

// The additive sequence of multiples of 1/g, 1/g^2, ..., where g^(d+1) = g + 1 (Roberts 2018): even in any dimension.
std::vector<Place> Sequence(std::size_t points, const Place& low, const Place& high) {
  const std::size_t dimensions = low.size();
  double g = 2;
  for (int i = 0; i < 80; ++i) g = std::pow(1 + g, 1 / (static_cast<double>(dimensions) + 1));
  std::vector<Place> places(points, Place(dimensions));
  for (std::size_t j = 0; j < dimensions; ++j) {
    const double step = std::pow(1 / g, static_cast<double>(j) + 1);
    for (std::size_t i = 0; i < points; ++i) {
      const double part = std::fmod(0.5 + step * (static_cast<double>(i) + 1), 1.0);
      places[i][j] = low[j] + part * (high[j] - low[j]);
    }
  }
  return places;
}

double SquaredDistance(const Place& a, const Place& b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += (a[j] - b[j]) * (a[j] - b[j]);
  return sum;
}

/// Places with weights.
struct Weighted {
  std::vector<Place> places;
  std::vector<double> weights;

  double Inertia(const std::vector<Place>& centres) const {
    double sum = 0;
    for (std::size_t i = 0; i < places.size(); ++i)
      sum += weights[i] * SquaredDistance(places[i], centres[Nearest(centres, places[i])]);
    return sum;
  }

  // One after another, where the most weight is farthest away.
  std::vector<Place> Apart(std::size_t clusters, std::size_t first) const {
    std::vector<Place> centres = {places[first]};
    std::vector<double> distance(places.size(), INFINITY);
    while (centres.size() < clusters) {
      std::size_t best = 0;
      double most = -1;
      for (std::size_t i = 0; i < places.size(); ++i) {
        distance[i] = std::min(distance[i], SquaredDistance(places[i], centres.back()));
        if (weights[i] * distance[i] <= most) continue;
        most = weights[i] * distance[i];
        best = i;
      }
      centres.push_back(places[best]);
    }
    return centres;
  }

  void Step(std::vector<Place>& centres) const {
    std::vector<Place> sums(centres.size(), Place(centres[0].size(), 0.0));
    std::vector<double> weight(centres.size(), 0.0);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const std::size_t c = Nearest(centres, places[i]);
      weight[c] += weights[i];
      for (std::size_t j = 0; j < places[i].size(); ++j) sums[c][j] += weights[i] * places[i][j];
    }
    for (std::size_t c = 0; c < centres.size(); ++c) {
      for (std::size_t j = 0; j < sums[c].size() && weight[c] > 0; ++j) centres[c][j] = sums[c][j] / weight[c];
    }
  }
};

Weighted CellsOf(std::size_t side, const std::vector<double>& counts, double least, const Place& low,
                 const Place& high) {
  Weighted cells;
  for (std::size_t cell = 0; cell < counts.size(); ++cell) {
    if (counts[cell] < least || counts[cell] <= 0) continue;
    Place middle(low.size());
    for (std::size_t j = low.size(), rest = cell; j-- > 0; rest /= side) {
      const double part = (static_cast<double>(rest % side) + 0.5) / static_cast<double>(side);
      middle[j] = low[j] + part * (high[j] - low[j]);
    }
    cells.places.push_back(std::move(middle));
    cells.weights.push_back(counts[cell]);
  }
  return cells;
}

}  // namespace

std::size_t Nearest(const std::vector<Place>& places, const Place& point) {
  std::size_t best = 0;
  double least = INFINITY;
  for (std::size_t c = 0; c < places.size(); ++c) {
    const double distance = SquaredDistance(point, places[c]);
    if (distance < least) {
      least = distance;
      best = c;
    }
  }
  return best;
}

std::vector<Place> Spread(std::size_t clusters, const Place& low, const Place& high) {
  const auto points = Sequence(kPointsPerCluster * clusters, low, high);
  std::vector<Place> places(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(clusters));
  for (int step = 0; step < kSmoothing; ++step) {
    std::vector<Place> sums(clusters, Place(low.size(), 0.0));
    std::vector<double> counts(clusters, 0.0);
    for (const Place& point : points) {
      const std::size_t c = Nearest(places, point);
      ++counts[c];
      for (std::size_t j = 0; j < low.size(); ++j) sums[c][j] += point[j];
    }
    for (std::size_t c = 0; c < clusters; ++c) {
      for (std::size_t j = 0; j < low.size() && counts[c] > 0; ++j) places[c][j] = sums[c][j] / counts[c];
    }
  }
  return places;
}

std::vector<Place> OfGrid(std::size_t clusters, std::size_t side, const std::vector<double>& counts, double least,
                          const Place& low, const Place& high) {
  const Weighted cells = CellsOf(side, counts, least, low, high);
  std::vector<Place> best = Spread(clusters, low, high);
  if (cells.places.size() <= clusters) {  // too few to choose from
    std::copy(cells.places.begin(), cells.places.end(), best.begin());
    return best;
  }
  std::vector<std::size_t> heaviest(cells.places.size());
  std::iota(heaviest.begin(), heaviest.end(), std::size_t{0});
  std::stable_sort(heaviest.begin(), heaviest.end(),
                   [&](std::size_t a, std::size_t b) { return cells.weights[a] > cells.weights[b]; });
  double least_inertia = INFINITY;
  for (std::size_t start = 0; start < std::min(kStarts, heaviest.size()); ++start) {
    auto centres = cells.Apart(clusters, heaviest[start]);
    for (int step = 0; step < kSmoothing; ++step) cells.Step(centres);
    const double inertia = cells.Inertia(centres);
    if (inertia >= least_inertia) continue;
    least_inertia = inertia;
    best = std::move(centres);
  }
  return best;
}

}  // namespace kith::kmeans
