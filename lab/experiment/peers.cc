#include "experiment/peers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "analysis/degrees/degrees.h"
#include "analysis/kmeans/kmeans.h"
#include "analysis/points/isotonic.h"
#include "attack/kmeans.h"
#include "experiment/world.h"

namespace kith::experiment {
namespace {

using kmeans::Place;

/// Laplace noise of a peer.
class SeededNoise {
 public:
  explicit SeededNoise(std::uint64_t seed) : engine_(seed) {}
  double Laplace(double scale) {
    const double u = attack::Uniform(engine_);
    return (attack::Uniform(engine_) < 0.5 ? -scale : scale) * -std::log1p(-u);
  }
  double Uniform() { return attack::Uniform(engine_); }

 private:
  std::mt19937_64 engine_;
};

/// One panel in the making: for every epsilon, kith's error and each peer's.
class Race {
 public:
  Race(std::string file, std::string title, const Settings& settings, const CancelFlag& cancel)
      : panel_{std::move(file),
               std::move(title),
               "plain epsilon",
               "error, relative to the value without privacy",
               true,
               true,
               {}},
        settings_(settings),
        cancel_(cancel) {}

  /// `error(epsilon, noise)`: one run's relative error. `times` as many runs as asked for, where they cost little.
  template <class F>
  Result<void> Add(const std::string& name, std::size_t times, const F& error) {
    for (const double epsilon : settings_.epsilons) {
      std::vector<double> errors;
      SeededNoise noise(settings_.seed);
      for (std::size_t r = 0; r < times * settings_.repetitions; ++r) {
        if (cancel_.cancelled()) return Cancelled("the experiment was stopped");
        const Result<double> one = error(epsilon, noise);
        if (!one) return one.error();
        errors.push_back(*one);
      }
      panel_.points.push_back({name, epsilon, attack::EstimateOf(errors), epsilon});
    }
    return {};
  }
  Panel Take() { return std::move(panel_); }

 private:
  Panel panel_;
  const Settings& settings_;
  const CancelFlag& cancel_;
};

Result<World> CensusOf(const Adult& adult, std::uint64_t seed, const CancelFlag& cancel) {
  std::string csv = "age,education,sex,more\n", codes;
  for (std::size_t i = 0; i < adult.rows(); ++i)
    csv += fmt::format("{},{},{},{}\n", adult.columns[0].values[i], adult.columns[4].values[i],
                       adult.columns[9].values[i], adult.label[i] ? 1 : 0);
  return World::Make(
      csv, "row = true\npresence = \"secret\"",
      "age = { lower = 0, upper = 120, required = true }\n"
      "education = { type = \"integer\", values = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16], "
      "required = true }\nsex = { type = \"integer\", values = [0, 1], required = true }\n"
      "more = { type = \"integer\", values = [0, 1], required = true }",
      seed, cancel);
}

Result<Panel> CountPanel(const Adult& adult, const World& world, const Settings& settings, const CancelFlag& cancel) {
  const auto truth = static_cast<double>(std::count(adult.label.begin(), adult.label.end(), true));
  Race race("count", "Count of those who earn more", settings, cancel);
  auto done = race.Add("kith", 10, [&](double epsilon, SeededNoise&) -> Result<double> {
    const auto answer = world.Ask("SELECT count(*) FROM t WHERE more = 1", epsilon, cancel);
    if (!answer) return answer.error();
    return std::abs(NumberIn(answer->rows[0][0]) - truth) / truth;
  });
  if (!done) return done.error();
  done = race.Add("Laplace (2006)", 10, [&](double epsilon, SeededNoise& noise) -> Result<double> {
    return std::abs(noise.Laplace(1 / epsilon)) / truth;
  });
  if (!done) return done.error();
  return race.Take();
}

Result<Panel> AveragePanel(const Adult& adult, const World& world, const Settings& settings, const CancelFlag& cancel) {
  const auto& ages = adult.columns[0].values;
  const double sum = std::accumulate(ages.begin(), ages.end(), 0.0), rows = static_cast<double>(ages.size());
  const double truth = sum / rows;
  Race race("average", "Average age", settings, cancel);
  auto done = race.Add("kith", 10, [&](double epsilon, SeededNoise&) -> Result<double> {
    const auto answer = world.Ask("SELECT avg(age) FROM t", epsilon, cancel);
    if (!answer) return answer.error();
    return std::abs(NumberIn(answer->rows[0][0]) - truth) / truth;
  });
  if (!done) return done.error();
  // Google's bounded mean: count and sum of distances from the middle of [0, 120], half of epsilon each. A row that is
  // replaced changes the sum by up to 120.
  done = race.Add("bounded mean (Google)", 10, [&](double epsilon, SeededNoise& noise) -> Result<double> {
    const double count = rows + noise.Laplace(2 / epsilon),
                 centred = sum - 60 * rows + noise.Laplace(120 * 2 / epsilon);
    return std::abs(std::clamp(60 + centred / std::max(1.0, count), 0.0, 120.0) - truth) / truth;
  });
  if (!done) return done.error();
  return race.Take();
}

/// The exponential mechanism over whole numbers from 0 to `most`, by distance of ranks. A replaced row changes a rank
/// by 1. Source: McSherry, Talwar 2007; Smith 2011.
double ExponentialMedian(const std::vector<std::uint32_t>& sorted, std::size_t most, double epsilon,
                         SeededNoise& noise) {
  std::vector<double> weights;
  double all = 0;
  for (std::size_t c = 0; c <= most; ++c) {
    const auto below = static_cast<double>(std::lower_bound(sorted.begin(), sorted.end(), c) - sorted.begin());
    const auto upto = static_cast<double>(std::upper_bound(sorted.begin(), sorted.end(), c) - sorted.begin());
    const double middle = static_cast<double>(sorted.size()) / 2;
    const double distance = middle < below ? below - middle : middle > upto ? middle - upto : 0;
    weights.push_back(std::exp(-epsilon * distance / 2));
    all += weights.back();
  }
  double left = noise.Uniform() * all;
  for (std::size_t c = 0; c < most; ++c) {
    if (left < weights[c]) return static_cast<double>(c);
    left -= weights[c];
  }
  return static_cast<double>(most);
}

Result<Panel> MedianPanel(const Adult& adult, const Settings& settings, const CancelFlag& cancel) {
  constexpr std::size_t kPeople = 1000, kMost = 1500;
  std::vector<std::uint32_t> weights;
  for (std::size_t i = 0; i < std::min(kPeople, adult.rows()); ++i)
    weights.push_back(std::min<std::uint32_t>(kMost, adult.columns[2].values[i] / 1000));
  std::string csv = "w\n";
  for (const std::uint32_t w : weights) csv += fmt::format("{}\n", w);
  std::sort(weights.begin(), weights.end());
  const double truth = weights[weights.size() / 2];
  const auto world =
      World::Make(csv, "row = true\npresence = \"secret\"",
                  fmt::format("w = {{ lower = 0, upper = {}, required = true }}", kMost), settings.seed, cancel);
  if (!world) return world.error();
  Race race("median", "Median weight of 1,000 people", settings, cancel);
  auto done = race.Add("kith", 10, [&](double epsilon, SeededNoise&) -> Result<double> {
    const auto answer = world->Ask("SELECT median(w) FROM t", epsilon, cancel);
    if (!answer) return answer.error();
    return std::abs(NumberIn(answer->rows[0][0]) - truth) / truth;
  });
  if (!done) return done.error();
  done = race.Add("exponential (2011)", 10, [&](double epsilon, SeededNoise& noise) -> Result<double> {
    return std::abs(ExponentialMedian(weights, kMost, epsilon, noise) - truth) / truth;
  });
  if (!done) return done.error();
  return race.Take();
}

Result<Panel> GroupsPanel(const Adult& adult, const World& world, const Settings& settings, const CancelFlag& cancel) {
  std::vector<double> truth(32, 0);
  for (std::size_t i = 0; i < adult.rows(); ++i)
    ++truth[(std::clamp<std::size_t>(adult.columns[4].values[i], 1, 16) - 1) * 2 + adult.columns[9].values[i]];
  const auto rows = static_cast<double>(adult.rows());
  Race race("groups", "Counts by education and sex", settings, cancel);
  auto done = race.Add("kith", 10, [&](double epsilon, SeededNoise&) -> Result<double> {
    const auto answer = world.Ask(
        "SELECT education, sex, count(*) FROM t GROUP BY education, sex ORDER BY education, sex", epsilon, cancel);
    if (!answer) return answer.error();
    double distance = 0;
    for (std::size_t g = 0; g < truth.size(); ++g) distance += std::abs(NumberIn(answer->rows[g][2]) - truth[g]);
    return distance / rows;
  });
  if (!done) return done.error();
  // One row is in one group; somebody may be present, absent or elsewhere: a change of 2, as for kith.
  done = race.Add("Laplace (2006)", 10, [&](double epsilon, SeededNoise& noise) -> Result<double> {
    double distance = 0;
    for (std::size_t g = 0; g < truth.size(); ++g) distance += std::abs(noise.Laplace(2 / epsilon));
    return distance / rows;
  });
  if (!done) return done.error();
  return race.Take();
}

double Inertia(const std::vector<Place>& points, const std::vector<Place>& centres) {
  double sum = 0;
  for (const Place& point : points) {
    const Place& centre = centres[kmeans::Nearest(centres, point)];
    for (std::size_t k = 0; k < point.size(); ++k) sum += (point[k] - centre[k]) * (point[k] - centre[k]);
  }
  return sum;
}

/// DPLloyd with the middle of the square as origin: five steps, sums and counts share each step's part.
/// Source: Su, Cao, Li, Bertino, Jin 2016; Blum, Dwork, McSherry, Nissim 2005. A point may be there or not.
std::vector<Place> DpLloyd(const std::vector<Place>& points, std::size_t clusters, double epsilon, SeededNoise& noise) {
  constexpr int kSteps = 5;
  const std::size_t dimension = points[0].size();
  std::vector<Place> centres(clusters, Place(dimension));
  for (Place& centre : centres) {
    for (double& x : centre) x = noise.Uniform();
  }
  const double each = epsilon / kSteps / (1 + static_cast<double>(dimension));
  for (int step = 0; step < kSteps; ++step) {
    std::vector<Place> sums(clusters, Place(dimension, 0.0));
    std::vector<double> counts(clusters, 0);
    for (const Place& point : points) {
      const std::size_t c = kmeans::Nearest(centres, point);
      ++counts[c];
      for (std::size_t k = 0; k < dimension; ++k) sums[c][k] += point[k] - 0.5;
    }
    for (std::size_t c = 0; c < clusters; ++c) {
      const double count = counts[c] + noise.Laplace(2 / each);
      if (count < 1) continue;
      for (std::size_t k = 0; k < dimension; ++k)
        centres[c][k] = std::clamp(0.5 + (sums[c][k] + noise.Laplace(1 / each)) / count, 0.0, 1.0);
    }
  }
  return centres;
}

Result<Panel> ClustersPanel(const Cloud& homes, const Settings& settings, const CancelFlag& cancel, std::string* note) {
  constexpr std::size_t kClusters = 8;
  std::vector<Place> points;
  std::string csv = "x,y\n";
  for (std::size_t i = 0; i < homes.size(); ++i) {
    points.push_back({homes.points[2 * i], homes.points[2 * i + 1]});
    csv += fmt::format("{:.9f},{:.9f}\n", points.back()[0], points.back()[1]);
  }
  const auto world = World::Make(csv, "row = true\npresence = \"secret\"",
                                 "x = { type = \"real\", lower = 0, upper = 1, required = true }\n"
                                 "y = { type = \"real\", lower = 0, upper = 1, required = true }",
                                 settings.seed, cancel);
  if (!world) return world.error();
  KmeansOptions options;
  options.columns = {"x", "y"};
  options.clusters = kClusters;
  const auto analysis = Kmeans::Make(options, world->policy());
  if (!analysis) return analysis.error();
  const auto of = attack::KMeans(homes.points, 2, kClusters, settings.seed);
  std::vector<Place> exact(kClusters, Place(2, 0.0));
  std::vector<double> sizes(kClusters, 0);
  for (std::size_t i = 0; i < points.size(); ++i) {
    ++sizes[of[i]];
    for (std::size_t k = 0; k < 2; ++k) exact[of[i]][k] += points[i][k];
  }
  for (std::size_t c = 0; c < kClusters; ++c) {
    for (double& x : exact[c]) x /= std::max(1.0, sizes[c]);
  }
  const double truth = Inertia(points, exact);
  *note = fmt::format("inertia {:.4g} of {} clusters", truth, kClusters);
  Race race("clusters", "Inertia of 8 clusters", settings, cancel);
  auto done = race.Add("kith", 1, [&](double epsilon, SeededNoise&) -> Result<double> {
    const auto answer = world->Run(**analysis, epsilon, cancel);
    if (!answer) return answer.error();
    std::vector<Place> centres;
    for (const auto& row : answer->rows) centres.push_back({NumberIn(row[2]), NumberIn(row[3])});
    return std::abs(Inertia(points, centres) / truth - 1);
  });
  if (!done) return done.error();
  done = race.Add("DPLloyd (2016)", 1, [&](double epsilon, SeededNoise& noise) -> Result<double> {
    return std::abs(Inertia(points, DpLloyd(points, kClusters, epsilon, noise)) / truth - 1);
  });
  if (!done) return done.error();
  return race.Take();
}

/// The cumulative counts of a degree sequence after noise and isotonic regression.
/// Source: Hay, Li, Miklau, Jensen 2009. A friendship may be replaced by another: a change of 4.
double HayDistance(std::vector<double> degrees, std::size_t most, double epsilon, SeededNoise& noise) {
  const auto at_least = [&](const std::vector<double>& of) {
    std::vector<double> counts(most, 0);
    for (const double degree : of) {
      const auto d = static_cast<std::size_t>(std::clamp(std::nearbyint(degree), 0.0, static_cast<double>(most)));
      for (std::size_t k = 0; k < d; ++k) ++counts[k];
    }
    return counts;
  };
  const auto truth = at_least(degrees);
  std::sort(degrees.begin(), degrees.end());
  for (double& degree : degrees) degree += noise.Laplace(4 / epsilon);
  const auto noisy = at_least(points::Isotonic(degrees));
  double distance = 0;
  for (std::size_t k = 0; k < most; ++k) distance += std::abs(noisy[k] - truth[k]);
  return distance;
}

Result<Panel> DegreesPanel(const attack::Friends& friends, const Settings& settings, const CancelFlag& cancel,
                           std::string* note) {
  constexpr std::size_t kMost = 100;
  std::string csv = "a,b\n";
  std::vector<double> degrees, truth(kMost, 0);
  double sum = 0;
  for (std::size_t a = 0; a < friends.size(); ++a) {
    for (const std::uint32_t b : friends[a]) {
      if (a < b) csv += fmt::format("{},{}\n", a, b);
    }
    degrees.push_back(static_cast<double>(friends[a].size()));
    for (std::size_t k = 0; k < std::min(kMost, friends[a].size()); ++k) ++truth[k], ++sum;
  }
  *note = fmt::format("sum of degrees {:.0f}", sum);
  const auto world = World::Make(csv, "row = true\npresence = \"secret\"",
                                 "a = { type = \"integer\" }\nb = { type = \"integer\" }", settings.seed, cancel);
  if (!world) return world.error();
  DegreesOptions options;
  options.ends = {"a", "b"};
  options.max_degree = kMost;
  options.once = true;
  const auto analysis = Degrees::Make(options, world->policy());
  if (!analysis) return analysis.error();
  Race race("degrees", "Cumulative degree counts", settings, cancel);
  auto done = race.Add("kith", 1, [&](double epsilon, SeededNoise&) -> Result<double> {
    const auto answer = world->Run(**analysis, epsilon, cancel);
    if (!answer) return answer.error();
    double distance = 0;
    for (std::size_t k = 0; k < kMost; ++k) distance += std::abs(NumberIn(answer->rows[k][2]) - truth[k]);
    return distance / sum;
  });
  if (!done) return done.error();
  done = race.Add("sequence + isotonic (2009)", 1, [&](double epsilon, SeededNoise& noise) -> Result<double> {
    return HayDistance(degrees, kMost, epsilon, noise) / sum;
  });
  if (!done) return done.error();
  return race.Take();
}

}  // namespace

Result<Figure> ErrorsOfAnalyses(const Adult& adult, const Cloud& homes, const attack::Friends& friends,
                                const Settings& settings, const CancelFlag& cancel) {
  Figure figure{"analyses",
                "Errors of kith's analyses and of the best methods published by others, against epsilon.",
                "",
                {},
                {}};
  const auto census = CensusOf(adult, settings.seed, cancel);
  if (!census) return census.error();
  std::string clusters, degrees;
  const auto add = [&](Result<Panel> panel) -> Result<void> {
    if (!panel) return panel.error();
    figure.panels.push_back(std::move(*panel));
    if (settings.progress) settings.progress(static_cast<double>(figure.panels.size()) / 6);
    return {};
  };
  if (auto done = add(CountPanel(adult, *census, settings, cancel)); !done) return done.error();
  if (auto done = add(AveragePanel(adult, *census, settings, cancel)); !done) return done.error();
  if (auto done = add(MedianPanel(adult, settings, cancel)); !done) return done.error();
  if (auto done = add(GroupsPanel(adult, *census, settings, cancel)); !done) return done.error();
  if (auto done = add(ClustersPanel(homes, settings, cancel, &clusters)); !done) return done.error();
  if (auto done = add(DegreesPanel(friends, settings, cancel, &degrees)); !done) return done.error();
  const auto& ages = adult.columns[0].values;
  figure.notes = {
      fmt::format("Without privacy: {} of {} people earn more; average age {:.4g}; {}; {}.",
                  std::count(adult.label.begin(), adult.label.end(), true), adult.rows(),
                  std::accumulate(ages.begin(), ages.end(), 0.0) / static_cast<double>(ages.size()), clusters, degrees),
      "The same unit for everybody: a row, which may be added, removed or replaced. Epsilon is plain: dependence "
      "multiplies the noise of all alike.",
      "Peers: Laplace noise (Dwork et al. 2006), the bounded mean of Google's library, the exponential mechanism for "
      "medians (Smith 2011), DPLloyd in five steps (Su et "
      "al. "
      "2016), noisy sorted degree sequences made isotonic (Hay et al. 2009), simulated in doubles."};
  return figure;
}

}  // namespace kith::experiment
