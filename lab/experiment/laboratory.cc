#include "experiment/laboratory.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "experiment/catalogue.h"

namespace kith::experiment {

std::vector<Described> FigureNames() {
  std::vector<Described> names;
  for (const FigureEntry& entry : Catalogue()) names.push_back({entry.name, entry.meaning});
  return names;
}

std::vector<Described> MethodNames() {
  std::vector<Described> names;
  for (const Method& method : Methods()) names.push_back({method.name, method.meaning});
  return names;
}

Cloud HomesOf(const Cloud& patterns) {
  Cloud homes{{}, 2};
  for (std::size_t user = 0; user < patterns.size(); ++user) {
    const double* first = &patterns.points[user * patterns.dimension];
    homes.points.insert(homes.points.end(), first, first + 2);
  }
  return homes;
}

std::string CityParts::Words() const {
  std::size_t most = 0;
  for (const auto& list : city.friends) most = std::max(most, list.size());
  return fmt::format("{}: {} of {} people, {} visits to {} places, {} friendships, at most {} for one person.",
                     city.words, grid.cities() == 1 ? "a city" : fmt::format("{} cities", grid.cities()),
                     patterns.users, attack::CheckIns(city.visits), city.visits.places.size(),
                     attack::Friendships(city.friends), most);
}

struct Laboratory::State {
  Sources sources;
  std::optional<CityParts> city, cities;
  std::optional<Noise> noise;
  std::optional<Adult> adult;
  std::optional<Networks> networks;
};

Laboratory::Laboratory(Sources sources) : state_(std::make_unique<State>()) { state_->sources = std::move(sources); }
Laboratory::~Laboratory() = default;

const Sources& Laboratory::sources() const { return state_->sources; }

namespace {

Result<void> Prepare(Result<City> read, std::size_t least, std::optional<CityParts>* parts) {
  if (!read) return read.error();
  if (!read->circles.empty()) attack::KeepCities(read->circles, &read->visits, &read->friends);
  attack::KeepActive(least, &read->visits, &read->friends);
  if (read->visits.users < 2)
    return InvalidArgument("fewer than two people are left", "visits", "ask for fewer visits of each person")
        .For("experiment.least");
  auto patterns = attack::TopPlaces(read->visits, kPlaces);
  if (!patterns) return patterns.error();
  auto grid = GridOf(*read, kSide);
  if (!grid) return grid.error();
  Cloud cloud{{}, 2 * kPlaces};
  for (const attack::Point& place : patterns->places) {
    cloud.points.push_back(grid->ScaledLat(place.lat));
    cloud.points.push_back(grid->ScaledLon(place.lon));
  }
  parts->emplace(CityParts{std::move(*read), std::move(*patterns), std::move(*grid), std::move(cloud)});
  return {};
}

}  // namespace

Result<CityParts*> Laboratory::OneCity(const Settings& settings) {
  auto& city = state_->city;
  if (!city) {
    if (auto done = Prepare(state_->sources.city(), settings.least, &city); !done) return done.error();
  }
  return &*city;
}

Result<CityParts*> Laboratory::SeveralCities(const Settings& settings) {
  auto& cities = state_->cities;
  if (!cities) {
    if (auto done = Prepare(state_->sources.cities(), settings.least, &cities); !done) return done.error();
  }
  return &*cities;
}

Result<Noise*> Laboratory::CityNoise(const Settings& settings) {
  auto& noise = state_->noise;
  if (noise) return &*noise;
  const auto city = OneCity(settings);
  if (!city) return city.error();
  auto calibration = attack::Calibration::Make((*city)->city.friends, {});
  if (!calibration) return calibration.error();
  const Cloud& cloud = (*city)->cloud;
  auto made = Noise::Make(std::move(*calibration),
                          CorrelatedFactor(cloud.points, cloud.dimension, kZhuThreshold, settings.threads));
  if (!made) return made.error();
  noise.emplace(std::move(*made));
  return &*noise;
}

Result<const Adult*> Laboratory::Census() {
  if (!state_->adult) {
    auto read = state_->sources.adult();
    if (!read) return read.error();
    state_->adult = std::move(*read);
  }
  return &*state_->adult;
}

Result<const Networks*> Laboratory::AllNetworks() {
  if (!state_->networks) {
    auto read = state_->sources.networks();
    if (!read) return read.error();
    state_->networks = std::move(*read);
  }
  return &*state_->networks;
}

namespace {

/// With a capital letter and a full stop, as pages have them.
std::string Sentence(std::string text) {
  if (text.empty()) return text;
  if (text.rfind("kith", 0) != 0 && text.front() >= 'a' && text.front() <= 'z')
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  if (std::string(".?!").find(text.back()) == std::string::npos) text += ".";
  return text;
}

}  // namespace

Result<Figure> Laboratory::Run(const std::string& name, const Settings& settings, const CancelFlag& cancel) {
  for (const FigureEntry& entry : Catalogue()) {
    if (entry.name != name) continue;
    auto figure = entry.run(*this, settings, cancel);
    if (!figure) return figure;
    figure->name = name;
    for (std::string* text : {&figure->about, &figure->setting, &figure->published, &figure->here, &figure->why})
      *text = Sentence(std::move(*text));
    return figure;
  }
  return InvalidArgument("there is no such figure", name, "look up their names").For("experiment.figure");
}

}  // namespace kith::experiment
