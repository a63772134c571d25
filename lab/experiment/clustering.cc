#include "experiment/clustering.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <random>

#include "analysis/kmeans/kmeans.h"
#include "attack/kmeans.h"
#include "attack/query.h"
#include "base/check.h"
#include "experiment/world.h"

namespace kith::experiment {
namespace {

using kmeans::Place;

std::vector<Place> PlacesOf(const Cloud& cloud, const std::vector<std::size_t>& order, std::size_t from,
                            std::size_t to) {
  std::vector<Place> places;
  for (std::size_t k = from; k < to; ++k) {
    const double* point = &cloud.points[order[k] * cloud.dimension];
    places.emplace_back(point, point + cloud.dimension);
  }
  return places;
}

std::vector<std::size_t> Sorted(const std::vector<Place>& points, const std::vector<Place>& centres) {
  std::vector<std::size_t> labels;
  for (const Place& point : points) labels.push_back(kmeans::Nearest(centres, point));
  return labels;
}

struct Centroids {
  std::vector<Place> places;
  std::size_t smallest = 0;  // members of the smallest cluster
};

Centroids Means(const std::vector<Place>& points, const std::vector<std::uint32_t>& of, std::size_t clusters) {
  Centroids out{std::vector<Place>(clusters, Place(points[0].size(), 0.0)), points.size()};
  std::vector<std::size_t> sizes(clusters, 0);
  for (std::size_t i = 0; i < points.size(); ++i) {
    ++sizes[of[i]];
    for (std::size_t k = 0; k < points[i].size(); ++k) out.places[of[i]][k] += points[i][k];
  }
  for (std::size_t c = 0; c < clusters; ++c) {
    for (double& x : out.places[c]) x /= static_cast<double>(std::max<std::size_t>(1, sizes[c]));
    out.smallest = std::min(out.smallest, sizes[c]);
  }
  return out;
}

/// kith's own steps without noise: what its result tends to for a large epsilon.
std::vector<Place> StepsWithoutNoise(const std::vector<Place>& points, std::size_t clusters) {
  const std::size_t dimension = points[0].size();
  auto centres = kmeans::Spread(clusters, Place(dimension, 0.0), Place(dimension, 1.0));
  for (std::size_t step = 0; step < KmeansOptions::kDefaultSteps; ++step) {
    std::vector<std::uint32_t> of;
    std::vector<bool> used(clusters, false);
    for (const Place& point : points) {
      of.push_back(static_cast<std::uint32_t>(kmeans::Nearest(centres, point)));
      used[of.back()] = true;
    }
    const auto means = Means(points, of, clusters).places;
    for (std::size_t c = 0; c < clusters; ++c) {
      if (used[c]) centres[c] = means[c];
    }
  }
  return centres;
}

Result<World> WorldOf(const std::vector<Place>& points, std::uint64_t seed, const CancelFlag& cancel) {
  std::string csv, columns;
  for (std::size_t k = 0; k < points[0].size(); ++k) {
    csv += fmt::format("{}x{}", k == 0 ? "" : ",", k);
    columns += fmt::format("x{} = {{ type = \"real\", lower = 0, upper = 1, required = true }}\n", k);
  }
  csv += "\n";
  for (const Place& point : points) {
    for (std::size_t k = 0; k < point.size(); ++k) csv += fmt::format("{}{:.9f}", k == 0 ? "" : ",", point[k]);
    csv += "\n";
  }
  return World::Make(csv, "row = true\npresence = \"public\"", columns, seed, cancel);
}

/// One split of the data: reference, published noise, kith's steps.
class Split {
 public:
  Split(const Cloud& cloud, std::size_t clusters, std::uint64_t seed) : clusters_(clusters), seed_(seed) {
    std::vector<std::size_t> order(cloud.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::mt19937_64 engine(seed);
    for (std::size_t k = order.size() - 1; k > 0; --k)
      std::swap(order[k], order[static_cast<std::size_t>(attack::Uniform(engine) * static_cast<double>(k + 1))]);
    const std::size_t part = cloud.size() * 4 / 5;
    training_ = PlacesOf(cloud, order, 0, part);
    test_ = PlacesOf(cloud, order, part, cloud.size());
    std::vector<double> flat;
    for (const Place& place : training_) flat.insert(flat.end(), place.begin(), place.end());
    exact_ = Means(training_, attack::KMeans(flat, cloud.dimension, clusters, seed), clusters);
    reference_ = Sorted(test_, exact_.places);
    unit_noise_ = attack::UnitNoise(clusters * cloud.dimension, seed ^ 0x9e3779b97f4a7c15u);
  }

  std::uint64_t seed() const { return seed_; }
  const std::vector<Place>& training() const { return training_; }
  double Accuracy(const std::vector<Place>& centres) const {
    return Agreement(Sorted(test_, centres), reference_, clusters_);
  }
  /// One point moves a mean of its fixed cluster by at most 1 over the size in each coordinate.
  double Published(double plain) const {
    auto centres = exact_.places;
    const std::size_t dimension = centres[0].size();
    const double scale = static_cast<double>(dimension) / static_cast<double>(exact_.smallest) / plain;
    for (std::size_t c = 0; c < clusters_; ++c) {
      for (std::size_t k = 0; k < dimension; ++k)
        centres[c][k] = std::clamp(centres[c][k] + scale * unit_noise_[c * dimension + k], 0.0, 1.0);
    }
    return Accuracy(centres);
  }
  double WithoutNoise() const { return Accuracy(StepsWithoutNoise(training_, clusters_)); }

 private:
  std::size_t clusters_;
  std::uint64_t seed_;
  std::vector<Place> training_, test_;
  Centroids exact_;
  std::vector<std::size_t> reference_;
  std::vector<double> unit_noise_;
};

std::vector<Place> CentresIn(const Answer& answer, std::size_t dimension) {
  std::vector<Place> centres;
  for (const auto& row : answer.rows) {
    Place& centre = centres.emplace_back();
    for (std::size_t k = 0; k < dimension; ++k) centre.push_back(NumberIn(row[k + 2]));
  }
  return centres;
}

struct Collected {
  std::map<std::pair<std::size_t, std::size_t>, std::vector<double>> published, kith;  // by method, epsilon
  std::vector<double> without;
};

Result<void> RunSplit(const Split& split, std::size_t clusters, const std::vector<std::vector<double>>& plain,
                      const CancelFlag& cancel, Collected* out) {
  const std::size_t dimension = split.training()[0].size();
  auto world = WorldOf(split.training(), split.seed(), cancel);
  if (!world) return world.error();
  KmeansOptions options;
  for (std::size_t k = 0; k < dimension; ++k) options.columns.push_back(fmt::format("x{}", k));
  options.clusters = clusters;
  const auto analysis = Kmeans::Make(options, world->policy());
  if (!analysis) return analysis.error();
  for (std::size_t m = 0; m < Methods().size(); ++m) {
    for (std::size_t e = 0; e < plain[m].size(); ++e) {
      out->published[{m, e}].push_back(split.Published(plain[m][e]));
      if (!Methods()[m].kith) continue;
      const auto answer = world->Run(**analysis, plain[m][e], cancel);
      if (!answer) return answer.error();
      out->kith[{m, e}].push_back(split.Accuracy(CentresIn(*answer, dimension)));
    }
  }
  out->without.push_back(split.WithoutNoise());
  return {};
}

Panel PanelOf(const Collected& found, const std::vector<std::vector<double>>& plain, const Settings& settings) {
  Panel panel{"accuracy",
              "Clustering accuracy",
              "epsilon that the method promises",
              "people assigned as without noise",
              true,
              false,
              {}};
  for (const auto& [at, values] : found.published) {
    const Method& method = Methods()[at.first];
    if (method.kith && method.name != "plain") continue;
    panel.points.push_back({method.kith ? method.name + " on centroids" : method.name, settings.epsilons[at.second],
                            MeanShare(values), plain[at.first][at.second]});
  }
  for (const auto& [at, values] : found.kith)
    panel.points.push_back({"kith " + Methods()[at.first].name, settings.epsilons[at.second], MeanShare(values),
                            plain[at.first][at.second]});
  for (const double epsilon : settings.epsilons)
    panel.points.push_back({"kith without noise", epsilon, MeanShare(found.without), 0});
  return panel;
}

}  // namespace

double Agreement(const std::vector<std::size_t>& a, const std::vector<std::size_t>& b, std::size_t clusters) {
  KITH_CHECK(a.size() == b.size() && !a.empty() && clusters <= 16);
  std::vector<std::vector<std::size_t>> table(clusters, std::vector<std::size_t>(clusters, 0));
  for (std::size_t i = 0; i < a.size(); ++i) ++table[a[i]][b[i]];
  // best[set]: the most agreements if the first names of `a` have taken exactly the names in the set.
  std::vector<std::size_t> best(std::size_t{1} << clusters, 0);
  for (std::size_t set = 1; set < best.size(); ++set) {
    const auto row = static_cast<std::size_t>(std::popcount(set)) - 1;
    for (std::size_t c = 0; c < clusters; ++c) {
      if ((set >> c & 1) != 0) best[set] = std::max(best[set], best[set ^ (std::size_t{1} << c)] + table[row][c]);
    }
  }
  return static_cast<double>(best.back()) / static_cast<double>(a.size());
}

Result<Figure> Fig9a(const Cloud& cloud, std::size_t clusters, Noise& noise, const Settings& settings,
                     const CancelFlag& cancel) {
  if (cloud.size() < 10 * clusters)
    return InvalidArgument("there are fewer than ten people for each cluster", "fig9a", "use a larger data set");
  std::vector<std::vector<double>> plain;
  for (const Method& method : Methods()) {
    auto& of = plain.emplace_back();
    for (const double epsilon : settings.epsilons) {
      const auto spent = noise.PlainLoss(method, epsilon);
      if (!spent) return spent.error();
      of.push_back(*spent);
    }
  }
  Collected found;
  for (std::size_t r = 0; r < settings.repetitions; ++r) {
    if (cancel.cancelled()) return Cancelled("the experiment was stopped");
    const Split split(cloud, clusters, settings.seed + r);
    const auto done = RunSplit(split, clusters, plain, cancel, &found);
    if (!done) return done.error();
    if (settings.progress) settings.progress(static_cast<double>(r + 1) / static_cast<double>(settings.repetitions));
  }
  Figure figure{"fig9a", "How many people noisy centroids assign as exact ones do, against epsilon.", "", {}, {}};
  figure.panels.push_back(PanelOf(found, plain, settings));
  figure.notes = {
      fmt::format(
          "{} splits: centroids from 4/5 of the people, the others are assigned. Accuracy is agreement with the exact "
          "centroids of the same people, names of clusters matched in the best way.",
          settings.repetitions),
      "\"... on centroids\", dpm, zhu, baseline: noise on exact centroids for fixed clusters, as published; this is "
      "not "
      "private, whatever the noise, because one person can move clusters. kith ...: noisy Lloyd rounds (KMEANS-1).",
      "kith without noise: kith's rounds from its start that looks at no data; they may end in another solution."};
  return figure;
}

}  // namespace kith::experiment
