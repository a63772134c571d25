#include "experiment/spatial_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numbers>

#include "analysis/points/fit.h"
#include "analysis/points/study.h"
#include "base/json.h"
#include "experiment/conclusion.h"
#include "experiment/world.h"

namespace kith::experiment {
namespace {

constexpr double kDelta = 500;  // metres
constexpr double kKmOfDegree = 111.195;

/// A map as kith publishes it.
class KithMap final : public RangeCounter {
 public:
  static Result<KithMap> Of(const Answer& answer) {
    KithMap map;
    try {
      const Json grid = (*answer.details).at("grid");
      map.basis_ = grid.at("basis") == "hats" ? points::Basis::kHats : points::Basis::kCells;
      map.log2_cells_ = grid.at("log2_cells");
      map.counts_ = grid.at("counts").get<std::vector<double>>();
    } catch (const JsonError&) {
      return InternalError("a map without a grid");
    }
    return map;
  }
  double Count(const Rectangle& range) const override {
    const auto x = points::InsideOf(basis_, log2_cells_, range.x0, range.x1);
    const auto y = points::InsideOf(basis_, log2_cells_, range.y0, range.y1);
    double sum = 0;
    for (std::size_t a = 0; a < x.size(); ++a) {
      if (x[a] == 0) continue;
      double column = 0;
      for (std::size_t b = 0; b < y.size(); ++b) column += y[b] * counts_[a * y.size() + b];
      sum += x[a] * column;
    }
    return sum;
  }
  std::size_t cells() const { return std::size_t{1} << log2_cells_; }

 private:
  points::Basis basis_ = points::Basis::kHats;
  int log2_cells_ = 0;
  std::vector<double> counts_;
};

Result<World> WorldOf(const PointCloud& cloud, bool metric, std::uint64_t seed, const CancelFlag& cancel) {
  std::string csv = "lon,lat\n";
  for (const attack::Point& point : cloud.points) csv += fmt::format("{},{}\n", point.lon, point.lat);
  return World::Make(
      csv,
      fmt::format("row = true\npresence = \"public\"\n{}",
                  metric ? fmt::format("distance = {{ columns = [\"lon\", \"lat\"], metric = "
                                       "\"great-circle\", delta = \"{} m\" }}",
                                       kDelta)
                         : ""),
      fmt::format("lon = {{ lower = {:.2f}, upper = {:.2f}, required = true }}\nlat = {{ lower = {:.2f}, "
                  "upper = {:.2f}, required = true }}",
                  cloud.lon0, cloud.lon1, cloud.lat0, cloud.lat1),
      seed, cancel);
}

double RootMeanSquare(const RangeCounter& counter, const RangeWorkload& load) {
  double sum = 0;
  for (std::size_t k = 0; k < load.ranges.size(); ++k) {
    const double gap = counter.Count(load.ranges[k]) - load.truth[k];
    sum += gap * gap;
  }
  return std::sqrt(sum / static_cast<double>(load.ranges.size()));
}

/// Errors of one method with one choice of its parameter: by workload, over repetitions.
struct Errors {
  std::vector<std::vector<double>> of_load;
  std::string parameter;
};

using MakeCounter = std::function<Result<std::unique_ptr<RangeCounter>>(std::uint64_t repetition, Simulated& draws)>;

Result<Errors> ErrorsOf(const MakeCounter& make, const std::vector<RangeWorkload>& loads, std::size_t repetitions,
                        std::uint64_t seed, const CancelFlag& cancel) {
  Errors errors{std::vector<std::vector<double>>(loads.size()), ""};
  for (std::size_t r = 0; r < repetitions; ++r) {
    if (cancel.cancelled()) return Cancelled("the experiment was stopped");
    Simulated draws(SeedOf(seed, r));
    const auto counter = make(r, draws);
    if (!counter) return counter.error();
    for (std::size_t l = 0; l < loads.size(); ++l) errors.of_load[l].push_back(RootMeanSquare(**counter, loads[l]));
  }
  return errors;
}

double MeanOf(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

template <class Counter>
std::unique_ptr<RangeCounter> Held(Counter counter) {
  return std::make_unique<Counter>(std::move(counter));
}

/// A peer with the parameters that an oracle may choose from.
struct Peer {
  std::string name;
  std::vector<std::size_t> parameters;
  bool levels = false;  // of a tree; otherwise cells per side
  std::unique_ptr<RangeCounter> (*make)(const std::vector<Spot>& points, std::size_t parameter, double epsilon,
                                        Draws draws);
};

const std::vector<Peer>& Peers() {
  static const std::vector<Peer> peers = {
      {"equi-width (best of all)",
       {8, 16, 23, 32, 45, 64, 91, 128, 181, 256, 362, 512},
       false,
       [](const std::vector<Spot>& points, std::size_t cells, double epsilon, Draws draws) {
         return Held(NoisyGrid(points, cells, epsilon, draws));
       }},
      {"equi-width (published choice)",
       {0},
       false,
       [](const std::vector<Spot>& points, std::size_t, double epsilon, Draws draws) {
         return Held(NoisyGrid(points, GuidelineCells(points.size(), epsilon), epsilon, draws));
       }},
      {"quadtree (best height)",
       {4, 5, 6, 7, 8, 9},
       true,
       [](const std::vector<Spot>& points, std::size_t height, double epsilon, Draws draws) {
         return Held(NoisyQuadtree(points, static_cast<int>(height), epsilon, draws));
       }},
      {"kd-tree (best height)",
       {3, 4, 5, 6, 7, 8, 9},
       true,
       [](const std::vector<Spot>& points, std::size_t height, double epsilon, Draws draws) {
         return Held(NoisyKdTree(points, static_cast<int>(height), epsilon, draws));
       }},
      {"adaptive grid", {0}, false, [](const std::vector<Spot>& points, std::size_t, double epsilon, Draws draws) {
         return Held(NoisyAdaptiveGrid(points, epsilon, draws));
       }}};
  return peers;
}

constexpr const char *kMetric = "kith (moves of 500 m)", *kAnywhere = "kith (any move)";

/// The figure of one cloud in the making: a panel for each workload.
class CloudRace {
 public:
  CloudRace(const PointCloud& cloud, const Settings& settings, const CancelFlag& cancel)
      : cloud_(cloud),
        settings_(settings),
        cancel_(cancel),
        loads_(WorkloadsOf(cloud, std::min<std::size_t>(500, cloud.points.size()), settings.seed)) {
    for (const attack::Point& point : cloud.points) spots_.push_back(cloud.Scaled(point));
    for (const RangeWorkload& load : loads_) {
      panels_.push_back({cloud.name + "_" + load.name,
                         fmt::format("{} {}: {}", cloud.points.size(), cloud.name, load.words),
                         "epsilon",
                         "root mean square error of a count",
                         true,
                         true,
                         {}});
    }
  }

  Result<void> RunPeers(const std::vector<double>& epsilons) {
    for (const Peer& peer : Peers()) {
      for (const double epsilon : epsilons) {
        std::vector<Errors> tried;
        for (const std::size_t parameter : peer.parameters) {
          if (Hopeless(peer, parameter)) continue;
          auto errors = ErrorsOf(
              [&](std::uint64_t, Simulated& draws) -> Result<std::unique_ptr<RangeCounter>> {
                return peer.make(spots_, parameter, epsilon, &draws);
              },
              loads_, settings_.repetitions, SeedOf(settings_.seed, 60), cancel_);
          if (!errors) return errors.error();
          errors->parameter = fmt::format("{}", parameter);
          tried.push_back(std::move(*errors));
        }
        for (std::size_t l = 0; l < loads_.size(); ++l) {
          const auto best = std::min_element(tried.begin(), tried.end(), [l](const Errors& a, const Errors& b) {
            return MeanOf(a.of_load[l]) < MeanOf(b.of_load[l]);
          });
          panels_[l].points.push_back({peer.name, epsilon, attack::EstimateOf(best->of_load[l]), epsilon});
          if (tried.size() > 1) chosen_[panels_[l].file + ", " + peer.name].push_back(best->parameter);
        }
      }
    }
    return {};
  }

  Result<void> RunKith(const std::vector<double>& epsilons) {
    for (const bool metric : {true, false}) {
      const auto world = WorldOf(cloud_, metric, SeedOf(settings_.seed, metric ? 61 : 62), cancel_);
      if (!world) return world.error();
      points::PointsOptions options;
      options.columns = {"lon", "lat"};
      const auto study = points::MakePoints(options, world->policy());
      if (!study) return study.error();
      for (const double epsilon : epsilons) {
        const auto errors = ErrorsOf(
            [&](std::uint64_t, Simulated&) -> Result<std::unique_ptr<RangeCounter>> {
              const auto answer = world->Run(**study, epsilon, cancel_);
              if (!answer) return answer.error();
              auto map = KithMap::Of(*answer);
              if (!map) return map.error();
              cells_ = std::max(cells_, map->cells());
              return Held(std::move(*map));
            },
            loads_, settings_.repetitions, 0, cancel_);
        if (!errors) return errors.error();
        for (std::size_t l = 0; l < loads_.size(); ++l)
          panels_[l].points.push_back(
              {metric ? kMetric : kAnywhere, epsilon, attack::EstimateOf(errors->of_load[l]), epsilon});
      }
    }
    return {};
  }

  std::vector<Panel>& panels() { return panels_; }
  std::string Notes() const {
    std::string text = fmt::format(
        "{}: kith's map has up to {} cells a side; chosen for the others by the oracle (for "
        "each epsilon, cells a side or levels): ",
        cloud_.name, cells_);
    bool first = true;
    for (const auto& [name, parameters] : chosen_) {
      text += fmt::format("{}{} {}", first ? "" : "; ", name, fmt::join(parameters, ", "));
      first = false;
    }
    return text + ".";
  }

 private:
  /// More than 64 cells for each point: nothing but noise, and no oracle would choose it.
  bool Hopeless(const Peer& peer, std::size_t parameter) const {
    const std::size_t side = peer.levels ? std::size_t{1} << parameter : parameter;
    return side > 16 && side * side > 64 * spots_.size();
  }

  const PointCloud& cloud_;
  const Settings& settings_;
  const CancelFlag& cancel_;
  std::vector<RangeWorkload> loads_;
  std::vector<Spot> spots_;
  std::vector<Panel> panels_;
  std::map<std::string, std::vector<std::string>> chosen_;
  std::size_t cells_ = 0;
};

/// 0.1, 0.5 and 1, if they are among those asked for.
std::vector<double> EpsilonsOf(const Settings& settings) {
  std::vector<double> epsilons;
  for (const double epsilon : {0.1, 0.5, 1.0}) {
    if (std::find(settings.epsilons.begin(), settings.epsilons.end(), epsilon) != settings.epsilons.end())
      epsilons.push_back(epsilon);
  }
  return epsilons.empty() ? settings.epsilons : epsilons;
}

std::string Ratios(const Panel& panel) {
  std::string text;
  for (const Point& point : panel.points) {
    if (point.method != kMetric) continue;
    double grid = 0, others = 1e300;
    std::string best;
    for (const Point& other : panel.points) {
      if (other.x != point.x || other.method == kMetric || other.method == kAnywhere) continue;
      if (other.method == Peers()[0].name) grid = other.y.mean;
      if (other.y.mean < others) {
        others = other.y.mean;
        best = other.method;
      }
    }
    text += fmt::format("{}{:g}: kith {:.3g}, best equi-width {:.3g}, best of the others {:.3g} ({})",
                        text.empty() ? "" : "; ", point.x, point.y.mean, grid, others, best);
  }
  return text;
}

}  // namespace

Spot PointCloud::Scaled(const attack::Point& point) const {
  return {(point.lon - lon0) / (lon1 - lon0), (point.lat - lat0) / (lat1 - lat0)};
}

std::vector<PointCloud> CloudsOf(const attack::Visits& visits) {
  PointCloud all{"check-ins", {}, 180, 90, -180, -90}, people{"people", {}, 0, 0, 0, 0};
  std::vector<attack::Point> sums(visits.users);
  std::vector<double> times(visits.users, 0.0);
  for (const auto& visit : visits.visits) {
    const attack::Point& place = visits.places[visit.place];
    all.lon0 = std::min(all.lon0, place.lon);
    all.lon1 = std::max(all.lon1, place.lon);
    all.lat0 = std::min(all.lat0, place.lat);
    all.lat1 = std::max(all.lat1, place.lat);
    for (std::uint32_t t = 0; t < visit.times; ++t) all.points.push_back(place);
    sums[visit.user].lat += place.lat * visit.times;
    sums[visit.user].lon += place.lon * visit.times;
    times[visit.user] += visit.times;
  }
  all.lon0 = std::floor(all.lon0 * 100) / 100;
  all.lat0 = std::floor(all.lat0 * 100) / 100;
  all.lon1 = std::floor(all.lon1 * 100 + 1) / 100;
  all.lat1 = std::floor(all.lat1 * 100 + 1) / 100;
  for (std::size_t user = 0; user < visits.users; ++user) {
    if (times[user] > 0) people.points.push_back({sums[user].lat / times[user], sums[user].lon / times[user]});
  }
  std::tie(people.lon0, people.lat0, people.lon1, people.lat1) = std::tie(all.lon0, all.lat0, all.lon1, all.lat1);
  return {std::move(all), std::move(people)};
}

std::vector<RangeWorkload> WorkloadsOf(const PointCloud& cloud, std::size_t ranges, std::uint64_t seed) {
  const double tall_km = (cloud.lat1 - cloud.lat0) * kKmOfDegree;
  const double wide_km =
      (cloud.lon1 - cloud.lon0) * kKmOfDegree * std::cos((cloud.lat0 + cloud.lat1) / 2 * std::numbers::pi / 180);
  std::vector<RangeWorkload> loads = {{"areas", "rectangles of 6 to 50 % a side", {}, {}},
                                      {"districts", "squares of 2 to 14 km a side", {}, {}}};
  Simulated draws(SeedOf(seed, 50));
  for (RangeWorkload& load : loads) {
    for (std::size_t k = 0; k < ranges; ++k) {
      const Spot middle = cloud.Scaled(cloud.points[draws.Below(cloud.points.size())]);
      double width = draws.Between(0.03, 0.25), height = draws.Between(0.03, 0.25);
      if (load.name == "districts") {
        const double half = draws.Between(1, 7);
        width = half / wide_km;
        height = half / tall_km;
      }
      load.ranges.push_back({std::max(0.0, middle.x - width), std::max(0.0, middle.y - height),
                             std::min(1.0, middle.x + width), std::min(1.0, middle.y + height)});
    }
    load.truth.assign(ranges, 0.0);
    for (const attack::Point& point : cloud.points) {
      const Spot spot = cloud.Scaled(point);
      for (std::size_t k = 0; k < ranges; ++k) load.truth[k] += load.ranges[k].Holds(spot);
    }
  }
  return loads;
}

Result<Figure> PlacesFigure(const attack::Visits& visits, const Settings& settings, const CancelFlag& cancel) {
  Figure figure{
      "delta-places", "error of counts in rectangles: kith's map as it comes beside what others publish", "", {}, {}};
  const auto epsilons = EpsilonsOf(settings);
  const auto clouds = CloudsOf(visits);
  std::string here;
  double done = 0;
  for (const PointCloud& cloud : clouds) {
    if (cloud.points.size() < 2)
      return InvalidArgument("there are too few points for a map", {}, "use more data").For("experiment.data");
    CloudRace race(cloud, settings, cancel);
    if (auto run = race.RunPeers(epsilons); !run) return run.error();
    if (settings.progress) settings.progress(done += 0.2);
    if (auto run = race.RunKith(epsilons); !run) return run.error();
    if (settings.progress) settings.progress(done += 0.3);
    figure.notes.push_back(race.Notes());
    for (Panel& panel : race.panels()) {
      here += fmt::format("{}{}, epsilon {}", here.empty() ? "" : ". ", panel.file, Ratios(panel));
      figure.panels.push_back(std::move(panel));
    }
  }
  figure.notes.emplace_back(
      "Everybody spends the same pure epsilon. The others hide any move of a point; kith hides moves of 500 m at "
      "epsilon (line 1) or any move (line 2). The number of points is public. Trees and grids of the others are "
      "written "
      "after their publications; where it says best, an oracle that knows the truth chose their parameter.");
  Conclude(
      figure,
      "a mechanism for points in the plane with significantly higher utility than equi-width histograms under "
      "delta-neighbours; the paper's figures are not in the part that was at hand.",
      here + ".",
      "cells gain nothing from a small delta, hats do: a move of 500 m changes them little, a move across a border of "
      "cells costs 2. An adaptive grid spends its cells where points are, which pays in a city, where they crowd; "
      "equal "
      "cells must be as fine everywhere as they are needed in the middle.");
  return figure;
}

}  // namespace kith::experiment
