#include "lab/laboratory.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "lab/accuracy.h"
#include "lab/classification.h"
#include "lab/clustering.h"
#include "lab/degree_counts.h"
#include "lab/methods.h"
#include "lab/peers.h"

namespace kith::experiment {
namespace {

constexpr std::size_t kPlaces = 6, kClusters = 8, kSide = 20;  // as published
constexpr std::size_t kMostFriends = 100;

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

/// The most visited places alone.
Cloud HomesOf(const Cloud& patterns) {
  Cloud homes{{}, 2};
  for (std::size_t user = 0; user < patterns.size(); ++user) {
    const double* first = &patterns.points[user * patterns.dimension];
    homes.points.insert(homes.points.end(), first, first + 2);
  }
  return homes;
}

}  // namespace

const std::vector<Described>& FigureNames() {
  static const std::vector<Described> kNames = {
      {"fig8a", "how likely the error of k-means centroids stays within alpha, against epsilon"},
      {"fig8b", "the epsilon that it takes to be within alpha"},
      {"fig9a", "clustering accuracy of k-means against epsilon"},
      {"fig9b", "classification accuracy of a support vector machine against epsilon"},
      {"fig9c", "distance of noisy degree counts from the true ones against epsilon"},
      {"analyses", "errors of kith's analyses beside the best methods published by others (not a figure of the paper)"},
      {"networks", "noise on social networks against the declared strength (not a figure of the paper)"},
  };
  return kNames;
}

std::vector<Described> MethodNames() {
  std::vector<Described> names;
  for (const Method& method : Methods()) names.push_back({method.name, method.meaning});
  return names;
}

namespace {

struct CityParts {
  City city;
  attack::Patterns patterns;
  attack::Grid grid;
  Cloud cloud;
  Noise noise;  // for friends
};

}  // namespace

struct Laboratory::State {
  Sources sources;
  std::optional<CityParts> city;
  std::optional<Adult> adult;

  Result<CityParts*> CityData(const Settings& settings);
  Result<const Adult*> AdultData();
  Result<Figure> Accuracy(const std::string& name, const Settings& settings, const CancelFlag& cancel);
  Result<Figure> Clusters(const Settings& settings, const CancelFlag& cancel);
  Result<Figure> Classification(const Settings& settings, const CancelFlag& cancel);
  Result<Figure> Degrees(const Settings& settings, const CancelFlag& cancel);
  Result<Figure> Analyses(const Settings& settings, const CancelFlag& cancel);
  Result<Figure> Run(const std::string& name, const Settings& settings, const CancelFlag& cancel);
  std::string Words(const std::string& name) const;
};

Laboratory::Laboratory(Sources sources) : state_(std::make_unique<State>()) { state_->sources = std::move(sources); }
Laboratory::~Laboratory() = default;

Result<CityParts*> Laboratory::State::CityData(const Settings& settings) {
  if (city) return &*city;
  auto read = sources.city();
  if (!read) return read.error();
  auto patterns = attack::TopPlaces(read->visits, kPlaces);
  if (!patterns) return patterns.error();
  attack::Grid grid(read->visits.places, kSide);
  Cloud cloud{{}, 2 * kPlaces};
  for (std::size_t user = 0; user < patterns->users; ++user) {
    for (const attack::Point& place : patterns->Of(user)) {
      cloud.points.push_back(grid.ScaledLat(place.lat));
      cloud.points.push_back(grid.ScaledLon(place.lon));
    }
  }
  auto calibration = attack::Calibration::Make(read->friends, {});
  if (!calibration) return calibration.error();
  auto noise = Noise::Make(std::move(*calibration),
                           CorrelatedFactor(cloud.points, cloud.dimension, kZhuThreshold, settings.threads));
  if (!noise) return noise.error();
  city.emplace(CityParts{std::move(*read), std::move(*patterns), std::move(grid), std::move(cloud), std::move(*noise)});
  return &*city;
}

Result<Figure> Laboratory::State::Accuracy(const std::string& name, const Settings& settings,
                                           const CancelFlag& cancel) {
  const auto data = CityData(settings);
  if (!data) return data.error();
  const AccuracyQuestion question{kClusters * 2 * kPlaces, 1000};
  return name == "fig8a" ? Fig8a((*data)->noise, question, settings, cancel)
                         : Fig8b((*data)->noise, question, settings, cancel);
}

Result<Figure> Laboratory::State::Clusters(const Settings& settings, const CancelFlag& cancel) {
  const auto data = CityData(settings);
  if (!data) return data.error();
  auto part = settings;
  part.progress = [&](double done) { settings.progress ? settings.progress(done * 0.7) : void(); };
  auto figure = Fig9a((*data)->cloud, kClusters, (*data)->noise, part, cancel);
  if (!figure) return figure;
  part.progress = [&](double done) { settings.progress ? settings.progress(0.7 + done * 0.3) : void(); };
  auto homes = Fig9a(HomesOf((*data)->cloud), kClusters, (*data)->noise, part, cancel);
  if (!homes) return homes;
  figure->panels[0].file = "six_places";
  figure->panels[0].title += ", six places";
  homes->panels[0].file = "one_place";
  homes->panels[0].title += ", most visited place";
  figure->panels.push_back(std::move(homes->panels[0]));
  return figure;
}

Result<Figure> Laboratory::State::Degrees(const Settings& settings, const CancelFlag& cancel) {
  const auto data = CityData(settings);
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
  figure->notes.push_back(*described);
  figure->notes.push_back(fmt::format(
      "Who depends on whom: an edge between people with at least five of six most visited places in the same cells "
      "(cosine of their profiles above 0.8); at most {} neighbours, at most {} in one connected part.",
      degree, component));
  return figure;
}

Result<const Adult*> Laboratory::State::AdultData() {
  if (!adult) {
    auto read = sources.adult();
    if (!read) return read.error();
    adult = std::move(*read);
  }
  return &*adult;
}

Result<Figure> Laboratory::State::Classification(const Settings& settings, const CancelFlag& cancel) {
  const auto census = AdultData();
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
  figure->notes.push_back(*described);
  figure->notes.push_back(
      fmt::format("Who depends on whom: an edge between people with at least 12 of 14 equal attributes (cosine above "
                  "0.8); at most {} "
                  "neighbours, at most {} in one connected part.",
                  degree, component));
  return figure;
}

Result<Figure> Laboratory::State::Analyses(const Settings& settings, const CancelFlag& cancel) {
  const auto data = CityData(settings);
  if (!data) return data.error();
  const auto census = AdultData();
  if (!census) return census.error();
  return ErrorsOfAnalyses(**census, HomesOf((*data)->cloud), (*data)->city.friends, settings, cancel);
}

Result<Figure> Laboratory::State::Run(const std::string& name, const Settings& settings, const CancelFlag& cancel) {
  if (name == "fig8a" || name == "fig8b") return Accuracy(name, settings, cancel);
  if (name == "fig9a") return Clusters(settings, cancel);
  if (name == "fig9b") return Classification(settings, cancel);
  if (name == "fig9c") return Degrees(settings, cancel);
  if (name == "analyses") return Analyses(settings, cancel);
  if (name == "networks") {
    const auto networks = sources.networks();
    if (!networks) return networks.error();
    return NoiseOnNetworks(*networks, settings, cancel);
  }
  return InvalidArgument("there is no such figure", name, "look up their names").For("experiment.figure");
}

std::string Laboratory::State::Words(const std::string& name) const {
  std::string words = sources.data + ":";
  if (name == "fig9b") return words + fmt::format(" a census of {} people.", adult->rows());
  if (name == "analyses") words += fmt::format(" a census of {} people;", adult->rows());
  std::size_t friendships = 0, most = 0;
  for (const auto& list : city->city.friends) {
    friendships += list.size();
    most = std::max(most, list.size());
  }
  return words + fmt::format(" a city of {} people, {} places, {} friendships, at most {} for one person.",
                             city->patterns.users, city->city.visits.places.size(), friendships / 2, most);
}

Result<Figure> Laboratory::Run(const std::string& name, const Settings& settings, const CancelFlag& cancel) {
  auto figure = state_->Run(name, settings, cancel);
  if (!figure) return figure;
  figure->setting = name == "networks" ? state_->sources.data + ": " + figure->setting : state_->Words(name);
  if (name == "fig8a" || name == "fig8b" || name == "fig9a") {
    const auto described = state_->city->noise.Describe(1);
    if (!described) return described.error();
    figure->notes.push_back(*described);
  }
  return figure;
}

}  // namespace kith::experiment
