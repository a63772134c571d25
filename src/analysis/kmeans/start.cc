#include "analysis/kmeans/start.h"

#include <cmath>

namespace kith::kmeans {
namespace {

constexpr std::size_t kPointsPerCluster = 64;
constexpr int kSmoothing = 25;

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

}  // namespace

std::size_t Nearest(const std::vector<Place>& places, const Place& point) {
  std::size_t best = 0;
  double least = INFINITY;
  for (std::size_t c = 0; c < places.size(); ++c) {
    double distance = 0;
    for (std::size_t j = 0; j < point.size(); ++j) {
      const double gap = point[j] - places[c][j];
      distance += gap * gap;
    }
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

}  // namespace kith::kmeans
