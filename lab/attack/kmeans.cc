#include "attack/kmeans.h"

#include <algorithm>
#include <limits>
#include <random>

#include "base/check.h"

namespace kith::attack {
namespace {

class Clustering {
 public:
  Clustering(std::span<const double> points, std::size_t dimension, std::size_t clusters)
      : points_(points), dimension_(dimension), count_(points.size() / dimension), clusters_(clusters) {}

  std::vector<std::uint32_t> Run(std::uint64_t seed) {
    Start(seed);
    std::vector<std::uint32_t> of(count_, 0);
    for (int step = 0; step < 100; ++step) {
      std::vector<std::uint32_t> next(count_);
      for (std::size_t i = 0; i < count_; ++i) next[i] = Nearest(i);
      Fill(&next);
      const bool same = step > 0 && next == of;
      of = std::move(next);
      if (same) break;
      Centre(of);
    }
    return of;
  }

 private:
  double Distance(std::size_t i, const double* centre) const {
    double sum = 0;
    for (std::size_t k = 0; k < dimension_; ++k) {
      const double difference = points_[i * dimension_ + k] - centre[k];
      sum += difference * difference;
    }
    return sum;
  }

  void Start(std::uint64_t seed) {
    std::mt19937_64 engine(seed);
    std::vector<double> nearest(count_, std::numeric_limits<double>::infinity());
    std::size_t chosen = static_cast<std::size_t>(Uniform(engine) * static_cast<double>(count_));
    for (std::size_t k = 0; k < clusters_; ++k) {
      centres_.insert(centres_.end(), points_.begin() + static_cast<std::ptrdiff_t>(chosen * dimension_),
                      points_.begin() + static_cast<std::ptrdiff_t>((chosen + 1) * dimension_));
      double total = 0;
      for (std::size_t i = 0; i < count_; ++i) {
        nearest[i] = std::min(nearest[i], Distance(i, &centres_[k * dimension_]));
        total += nearest[i];
      }
      double left = Uniform(engine) * total;
      for (chosen = 0; chosen + 1 < count_ && left >= nearest[chosen]; ++chosen) left -= nearest[chosen];
    }
  }

  std::uint32_t Nearest(std::size_t i) const {
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < clusters_; ++k) {
      const double distance = Distance(i, &centres_[k * dimension_]);
      if (distance < least) {
        least = distance;
        best = k;
      }
    }
    return static_cast<std::uint32_t>(best);
  }

  /// An empty cluster takes the point farthest from its own centre, out of a cluster that can spare one.
  void Fill(std::vector<std::uint32_t>* of) const {
    std::vector<std::size_t> sizes(clusters_, 0);
    for (const std::uint32_t k : *of) ++sizes[k];
    for (std::size_t k = 0; k < clusters_; ++k) {
      if (sizes[k] > 0) continue;
      std::size_t farthest = count_;
      double most = -1;
      for (std::size_t i = 0; i < count_; ++i) {
        const double distance = sizes[(*of)[i]] > 1 ? Distance(i, &centres_[(*of)[i] * dimension_]) : -1;
        if (distance > most) {
          most = distance;
          farthest = i;
        }
      }
      KITH_CHECK(farthest < count_);
      --sizes[(*of)[farthest]];
      (*of)[farthest] = static_cast<std::uint32_t>(k);
      ++sizes[k];
    }
  }

  void Centre(const std::vector<std::uint32_t>& of) {
    std::fill(centres_.begin(), centres_.end(), 0.0);
    std::vector<double> sizes(clusters_, 0);
    for (std::size_t i = 0; i < count_; ++i) {
      ++sizes[of[i]];
      for (std::size_t k = 0; k < dimension_; ++k) centres_[of[i] * dimension_ + k] += points_[i * dimension_ + k];
    }
    for (std::size_t k = 0; k < clusters_ * dimension_; ++k) centres_[k] /= sizes[k / dimension_];
  }

  std::span<const double> points_;
  std::size_t dimension_, count_, clusters_;
  std::vector<double> centres_;
};

}  // namespace

std::vector<std::uint32_t> KMeans(std::span<const double> points, std::size_t dimension, std::size_t clusters,
                                  std::uint64_t seed) {
  KITH_CHECK(dimension > 0 && clusters >= 1 && clusters * dimension <= points.size());
  return Clustering(points, dimension, clusters).Run(seed);
}

}  // namespace kith::attack
