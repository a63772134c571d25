// Figures 8 and 9 of the publication on dependent differential privacy, on the data of the laboratory, with what was
// published and what comes out here; and kith's own figures.
#include <fmt/format.h>

#include "experiment/accuracy.h"
#include "experiment/catalogue.h"
#include "experiment/classification.h"
#include "experiment/degree_counts.h"
#include "experiment/laboratory.h"
#include "experiment/peers.h"

namespace kith::experiment {
namespace {

constexpr std::size_t kMostFriends = 100;
constexpr const char* kConnected =
    "DPM is not proved on a connected graph; what it promises there is its formula, nothing more. star is proved only "
    "if all others are independent of each other given a record, so not here either.";

/// Who is similar: at least five of the six most visited places in the same cells of the grid.
Profiles CellsOf(const attack::Patterns& patterns, const attack::Grid& grid) {
  Profiles profiles;
  for (std::size_t rank = 0; rank < patterns.q; ++rank) {
    auto& column = profiles.categories.emplace_back();
    for (std::size_t user = 0; user < patterns.users; ++user)
      column.push_back(static_cast<std::uint32_t>(grid.CellOf(patterns.Of(user)[rank])));
  }
  return profiles;
}

/// "plain 1, dpm 0.94, ..." for some methods.
std::string Values(const Panel& panel, const std::vector<std::string>& methods, double x) {
  std::string text;
  for (const auto& method : methods)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", method, ValueText(panel, method, x));
  return text;
}

double Nearest(const std::vector<double>& values, double wanted) {
  double best = values.front();
  for (const double value : values) best = std::abs(value - wanted) < std::abs(best - wanted) ? value : best;
  return best;
}

Result<Figure> AddNoiseNote(Laboratory& laboratory, const Settings& settings, Result<Figure> figure) {
  if (!figure) return figure;
  const auto city = laboratory.OneCity(settings);
  if (!city) return city.error();
  const auto noise = laboratory.CityNoise(settings);
  if (!noise) return noise.error();
  const auto described = (*noise)->Describe(1);
  if (!described) return described.error();
  figure->notes.push_back(*described);
  figure->setting = (*city)->Words();
  return figure;
}

constexpr AccuracyQuestion kCentroids{kClusters * 2 * kPlaces, 1000};

Result<Figure> MakeFig8a(Laboratory& laboratory, const Settings& settings, const CancelFlag& cancel) {
  const auto noise = laboratory.CityNoise(settings);
  if (!noise) return noise.error();
  auto figure = AddNoiseNote(laboratory, settings, Fig8a(**noise, kCentroids, settings, cancel));
  if (!figure) return figure;
  const double at = Nearest(settings.epsilons, 1);
  figure->published =
      "\"When alpha = 1000, epsilon = 1, the probability for DPM reaches nearly 1 while this probability is "
      "approximately 0 for the other methods.\"";
  figure->here = fmt::format("At epsilon {}, one number: {}. All numbers together: {}.", at,
                             Values(figure->panels[1], {"dpm", "zhu", "baseline"}, at),
                             Values(figure->panels[0], {"plain", "dpm", "zhu", "baseline"}, at));
  figure->why = fmt::format(
      "The formula of Theorem 10 is that of one number. Section VII takes the sum of the errors of all numbers, which "
      "is an Erlang variable and far larger. {}",
      kConnected);
  return figure;
}

Result<Figure> MakeFig8b(Laboratory& laboratory, const Settings& settings, const CancelFlag& cancel) {
  const auto noise = laboratory.CityNoise(settings);
  if (!noise) return noise.error();
  auto figure = AddNoiseNote(laboratory, settings, Fig8b(**noise, kCentroids, settings, cancel));
  if (!figure) return figure;
  figure->published =
      "\"DPM also provides significantly better privacy performance than the existing approaches under the same "
      "utility constraint.\" No number is given.";
  figure->here = fmt::format("To be within alpha with probability 0.9 it takes, for one number, epsilon = {}.",
                             Values(figure->panels[1], {"plain", "dpm", "zhu", "baseline"}, 0.9));
  figure->why =
      "The factor between DPM and the baseline is that of their noise: the baseline counts everybody as dependent, DPM "
      "friends only. Lemma 1 has beta and 1 - beta swapped, Lemma 2 lacks the sensitivity for the baseline; neither "
      "changes the figure.";
  return figure;
}

Result<Figure> MakeFig9a(Laboratory& laboratory, const Settings& settings, const CancelFlag& cancel) {
  const auto city = laboratory.OneCity(settings);
  if (!city) return city.error();
  const auto noise = laboratory.CityNoise(settings);
  if (!noise) return noise.error();
  auto part = settings;
  part.progress = [&](double done) { settings.progress ? settings.progress(done * 0.7) : void(); };
  auto figure = Fig9a((*city)->cloud, kClusters, **noise, part, cancel);
  if (!figure) return figure;
  part.progress = [&](double done) { settings.progress ? settings.progress(0.7 + done * 0.3) : void(); };
  auto homes = Fig9a(HomesOf((*city)->cloud), kClusters, **noise, part, cancel);
  if (!homes) return homes;
  figure->panels[0].file = "six_places";
  figure->panels[0].title += ", six places";
  homes->panels[0].file = "one_place";
  homes->panels[0].title += ", most visited place";
  figure->panels.push_back(std::move(homes->panels[0]));
  const double at = Nearest(settings.epsilons, 0.9);
  const std::vector<std::string> shown = {"plain on centroids", "dpm", "zhu", "baseline", "kith plain"};
  figure->published =
      "\"For epsilon = 0.9 DPM achieves an acceptable clustering performance with nearly 80 % accuracy, which is more "
      "than twice that of the other approaches\" (1,000 repetitions).";
  figure->here =
      fmt::format("At epsilon {}, six places: {}. Most visited place: {}. {} repetitions.", at,
                  Values(figure->panels[0], shown, at), Values(figure->panels[1], shown, at), settings.repetitions);
  figure->why =
      "DPM's noise is hundreds of times the plain one, because one person has hundreds of friends and Eq. 18 is never "
      "below 1/2. The paper gives no sensitivity of its centroids; noise on final centroids is not private at any "
      "scale, because one person can move the clusters themselves.";
  return AddNoiseNote(laboratory, settings, std::move(figure));
}

Result<Figure> MakeFig9b(Laboratory& laboratory, const Settings& settings, const CancelFlag& cancel) {
  const auto census = laboratory.Census();
  if (!census) return census.error();
  const auto similar = Affinity::Make(ProfilesOf(**census, Encoding::kCategories), Similarity::kCosine, {4, 5});
  if (!similar) return similar.error();
  const auto neighbours = NeighboursOf(*similar, settings.threads, cancel);
  if (!neighbours) return neighbours.error();
  auto calibration = attack::Calibration::Make(*neighbours, {});
  if (!calibration) return calibration.error();
  const std::size_t degree = calibration->largest_degree(), component = calibration->largest_component();
  auto noise = Noise::Make(std::move(*calibration), CorrelatedFactor(ScaledRows(**census), (*census)->columns.size(),
                                                                     kZhuThreshold, settings.threads));
  if (!noise) return noise.error();
  auto figure = Fig9b(**census, *noise, settings, cancel);
  if (!figure) return figure;
  const auto described = noise->Describe(1);
  if (!described) return described.error();
  figure->setting = fmt::format("{}: a census of {} people.", (*census)->words, (*census)->rows());
  figure->notes.push_back(*described);
  figure->notes.push_back(
      fmt::format("Who depends on whom: an edge between people with at least 12 of 14 equal attributes (cosine above "
                  "0.8); at most {} neighbours, at most {} in one connected part.",
                  degree, component));
  const double at = Nearest(settings.epsilons, 0.9);
  figure->published =
      "\"For epsilon = 0.9 DPM achieves an accurate classification performance with 85 % accuracy, which is more than "
      "twice that of the other approaches.\"";
  figure->here =
      fmt::format("At epsilon {}: {}. {} splits.", at,
                  Values(figure->panels[0], {"plain", "dpm", "zhu", "baseline", "without noise", "always no"}, at),
                  settings.repetitions);
  figure->why =
      "The paper does not say how attributes become vectors, and that decides who depends on whom: with the printed "
      "formula and one attribute for each value there is not a single edge, DPM is then plain noise, and 85 % is what "
      "plain noise reaches on Adult. With the graph used here DPM has hundreds of times that noise.";
  return figure;
}

Result<Figure> MakeFig9c(Laboratory& laboratory, const Settings& settings, const CancelFlag& cancel) {
  const auto data = laboratory.OneCity(settings);
  if (!data) return data.error();
  const auto similar = Affinity::Make(CellsOf((*data)->patterns, (*data)->grid), Similarity::kCosine, {4, 5});
  if (!similar) return similar.error();
  const auto neighbours = NeighboursOf(*similar, settings.threads, cancel);
  if (!neighbours) return neighbours.error();
  auto calibration = attack::Calibration::Make(*neighbours, {});
  if (!calibration) return calibration.error();
  const std::size_t degree = calibration->largest_degree(), component = calibration->largest_component();
  auto noise = Noise::Make(std::move(*calibration), CorrelatedFactor((*data)->cloud.points, (*data)->cloud.dimension,
                                                                     kZhuThreshold, settings.threads));
  if (!noise) return noise.error();
  auto figure = Fig9c((*data)->city.friends, kMostFriends, *noise, settings, cancel);
  if (!figure) return figure;
  const auto described = noise->Describe(1);
  if (!described) return described.error();
  figure->setting = (*data)->Words();
  figure->notes.push_back(*described);
  figure->notes.push_back(fmt::format(
      "Who depends on whom: an edge between people with at least five of six most visited places in the same cells "
      "(cosine of their profiles above 0.8); at most {} neighbours, at most {} in one connected part.",
      degree, component));
  const double at = Nearest(settings.epsilons, 0.9);
  const Point* dpm = PointAt(figure->panels[0], "dpm", at);
  const Point* baseline = PointAt(figure->panels[0], "baseline", at);
  const std::vector<std::string> shown = {"plain on counts", "kith plain", "dpm", "zhu", "baseline"};
  figure->published =
      "On 28,942,911 users of Google+, \"almost 10x improvement\" of DPM over the others; accuracy is defined by the "
      "L1 distance of the counts.";
  figure->here = fmt::format(
      "At epsilon {} on the friendships of the city, L1 distance: {}; DPM is {} times closer than the baseline. As an "
      "accuracy, 1 - |C - C'| / |C + C'|: {}.",
      at, Values(figure->panels[0], shown, at), Compact(baseline->y.mean / dpm->y.mean),
      Values(figure->panels[1], shown, at));
  figure->why =
      "The factor comes from the baseline's L, all people. Closer is not close: on New York's friendships an answer of "
      "all zeros is nearer to the "
      "truth than DPM's below an epsilon of about 8. The noise does not grow with the number of people, so on 28.9 "
      "million users all methods are nearer in proportion. That graph is public (Gong et al., IMC 2012: four snapshots "
      "with attributes, the last of 28,942,911 nodes), but not at hand here.";
  return figure;
}

Result<Figure> MakeAnalyses(Laboratory& laboratory, const Settings& settings, const CancelFlag& cancel) {
  const auto city = laboratory.OneCity(settings);
  if (!city) return city.error();
  const auto census = laboratory.Census();
  if (!census) return census.error();
  auto figure = ErrorsOfAnalyses(**census, HomesOf((*city)->cloud), (*city)->city.friends, settings, cancel);
  if (figure)
    figure->setting =
        fmt::format("{}: a census of {} people. {}", (*census)->words, (*census)->rows(), (*city)->Words());
  return figure;
}

Result<Figure> MakeNetworks(Laboratory& laboratory, const Settings& settings, const CancelFlag& cancel) {
  const auto networks = laboratory.AllNetworks();
  if (!networks) return networks.error();
  auto figure = NoiseOnNetworks((*networks)->list, settings, cancel);
  if (figure) figure->setting = (*networks)->words + ": " + figure->setting;
  return figure;
}

}  // namespace

std::vector<FigureEntry> DependentFigures() {
  const std::string paper = "dependent";
  return {
      {"fig8a",
       paper,
       "how likely the error of k-means centroids stays within alpha, against epsilon",
       {"fig8"},
       MakeFig8a},
      {"fig8b", paper, "the epsilon that it takes to be within alpha", {"fig8"}, MakeFig8b},
      {"fig9a", paper, "clustering accuracy of k-means against epsilon", {"fig9"}, MakeFig9a},
      {"fig9b", paper, "classification accuracy of a support vector machine against epsilon", {"fig9"}, MakeFig9b},
      {"fig9c", paper, "noisy degree counts: their distance and accuracy against epsilon", {"fig9"}, MakeFig9c},
  };
}

std::vector<FigureEntry> OwnFigures() {
  return {
      {"analyses", "kith", "errors of kith's analyses beside the best methods published by others", {}, MakeAnalyses},
      {"networks", "kith", "noise on social networks against the declared strength", {}, MakeNetworks},
  };
}

}  // namespace kith::experiment
