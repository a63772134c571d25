#include "experiment/sources.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "experiment/cities_input.h"
#include "experiment/experiment_input.h"
#include "experiment/sample.h"

namespace kith::experiment {
namespace {

namespace fs = std::filesystem;
constexpr const char* kStandIn = "Synthetic stand-in";

/// Folders that are deleted with the object.
class Folders {
 public:
  Folders() = default;
  Folders(const Folders&) = delete;
  Folders& operator=(const Folders&) = delete;
  ~Folders() {
    std::error_code ignored;
    for (const auto& path : paths_) fs::remove_all(path, ignored);
  }
  using Write = Result<std::vector<cli::SampleFile>> (*)(const cli::SampleOptions& options);
  /// A new one, with a sample.
  Result<fs::path> With(Write write, std::size_t people, std::uint64_t seed) {
    std::error_code failed;
    std::string name = (fs::temp_directory_path(failed) / "kith-data-XXXXXX").string();
    if (failed || ::mkdtemp(name.data()) == nullptr)
      return StorageError("cannot make a folder for temporary files", {}, "set TMPDIR to a folder that can be written");
    paths_.emplace_back(name);
    const auto written = write({people, seed, paths_.back()});
    if (!written) return written.error();
    return paths_.back();
  }

 private:
  std::vector<fs::path> paths_;
};

struct Plan {
  fs::path folder;
  bool stand_ins;
  std::size_t people;
  std::uint64_t seed;
  std::vector<attack::Circle> circles;
  const CancelFlag& cancel;
  std::shared_ptr<Folders> made = std::make_shared<Folders>();

  bool Invents(bool there) const { return folder.empty() || (stand_ins && !there); }
};

Result<City> OneCity(const Plan& plan) {
  const bool invented = plan.Invents(cli::HasCity(plan.folder));
  auto path = invented ? plan.made->With(cli::WriteGowallaLike, plan.people, plan.seed) : Result<fs::path>(plan.folder);
  if (!path) return path.error();
  auto read = cli::ReadCity(*path, plan.cancel);
  if (!read) return read.error();
  return City{std::move(read->visits), std::move(read->friends), invented ? kStandIn : cli::CityName(plan.folder), {}};
}

/// A stand-in for each city, moved to where the city is; friendships end at its border.
Result<City> MadeUpCities(const Plan& plan) {
  City all{{}, {}, kStandIn, plan.circles};
  const std::size_t each = std::max<std::size_t>(60, plan.people / plan.circles.size());
  for (std::size_t k = 0; k < plan.circles.size(); ++k) {
    const auto path = plan.made->With(cli::WriteGowallaLike, each, plan.seed + k);
    if (!path) return path.error();
    auto read = cli::ReadCity(*path, plan.cancel);
    if (!read) return read.error();
    attack::Point middle;
    for (const auto& place : read->visits.places) middle = {middle.lat + place.lat, middle.lon + place.lon};
    const auto places = static_cast<double>(read->visits.places.size());
    const auto user = static_cast<std::uint32_t>(all.visits.users);
    const auto first = static_cast<std::uint32_t>(all.visits.places.size());
    for (const auto& place : read->visits.places)
      all.visits.places.push_back({place.lat - middle.lat / places + plan.circles[k].centre.lat,
                                   place.lon - middle.lon / places + plan.circles[k].centre.lon});
    for (const auto& visit : read->visits.visits)
      all.visits.visits.push_back({visit.user + user, visit.place + first, visit.times});
    for (const auto& list : read->friends) {
      auto& of_user = all.friends.emplace_back();
      for (const std::uint32_t other : list) of_user.push_back(other + user);
    }
    all.visits.users += read->visits.users;
  }
  return all;
}

Result<City> SeveralCities(const Plan& plan) {
  if (plan.Invents(cli::HasCities(plan.folder))) return MadeUpCities(plan);
  auto read = cli::ReadCities(plan.folder, plan.circles, plan.cancel);
  if (!read) return read.error();
  return City{std::move(read->visits), std::move(read->friends), cli::CitiesName(plan.folder), plan.circles};
}

Result<Adult> Census(const Plan& plan) {
  const bool invented = plan.Invents(cli::HasAdult(plan.folder));
  auto path = invented ? plan.made->With(cli::WriteAdultLike, plan.people, plan.seed) : Result<fs::path>(plan.folder);
  if (!path) return path.error();
  auto adult = cli::ReadAdult(*path, plan.cancel);
  if (adult) adult->words = invented ? kStandIn : "Adult (UCI)";
  return adult;
}

Result<Networks> AllNetworks(const Plan& plan) {
  const bool invented = plan.Invents(cli::HasNetworks(plan.folder));
  auto path = invented ? plan.made->With(cli::WriteGowallaLike, plan.people, plan.seed) : Result<fs::path>(plan.folder);
  if (!path) return path.error();
  auto list = cli::ReadNetworks(*path, plan.cancel);
  if (!list) return list.error();
  return Networks{std::move(*list), invented ? kStandIn : "Data of the folder"};
}

}  // namespace

Result<attack::Grid> GridOf(const City& city, std::size_t side) {
  if (side < 1 || side > 200) return InvalidArgument("a grid has 1 to 200 cells per side", "grid", "published: 20");
  if (city.circles.empty()) return attack::Grid(city.visits.places, side);
  std::vector<attack::Point> centres;
  for (const auto& circle : city.circles) {
    const bool there = std::any_of(city.visits.places.begin(), city.visits.places.end(), [&](const attack::Point& p) {
      return std::all_of(city.circles.begin(), city.circles.end(), [&](const attack::Circle& other) {
        return attack::GreatCircleKm(p, circle.centre) <= attack::GreatCircleKm(p, other.centre);
      });
    });
    if (!there)
      return InvalidArgument("nobody is left in a city", circle.name, "check where it is, or leave it out")
          .For("cities");
    centres.push_back(circle.centre);
  }
  return attack::Grid(city.visits.places, centres, side);
}

const std::vector<attack::Circle>& PublishedCities() {
  static const std::vector<attack::Circle> kCities = {{"New York", {40.7128, -74.0060}, 25},
                                                      {"San Francisco", {37.7749, -122.4194}, 25},
                                                      {"Los Angeles", {34.0522, -118.2437}, 25}};
  return kCities;
}

Result<std::vector<attack::Circle>> ParseCities(const std::vector<std::string>& texts) {
  std::vector<attack::Circle> cities;
  for (const std::string& text : texts) {
    std::vector<std::string> parts(1);
    for (const char c : text) {
      if (c == ':')
        parts.emplace_back();
      else
        parts.back() += c;
    }
    std::vector<double> numbers;
    for (std::size_t k = 1; k < parts.size(); ++k) {
      double number = 0;
      const char* end = parts[k].data() + parts[k].size();
      const auto read = std::from_chars(parts[k].data(), end, number);
      if (read.ec == std::errc() && read.ptr == end) numbers.push_back(number);
    }
    const bool well = parts.size() >= 3 && parts.size() <= 4 && numbers.size() + 1 == parts.size() &&
                      !parts[0].empty() && std::abs(numbers[0]) <= 90 && std::abs(numbers[1]) <= 180 &&
                      (numbers.size() < 3 || (numbers[2] > 0 && numbers[2] <= 1000));
    if (!well)
      return InvalidArgument("a city is a name, its latitude and longitude, and how far it reaches in km", text,
                             "such as \"New York:40.71:-74.01:25\"")
          .For("cities");
    cities.push_back({parts[0], {numbers[0], numbers[1]}, numbers.size() < 3 ? 25 : numbers[2]});
  }
  return cities;
}

Sources FolderSources(const fs::path& folder, bool stand_ins, std::size_t people, std::uint64_t seed,
                      const std::vector<attack::Circle>& cities, const CancelFlag& cancel) {
  const auto plan = std::make_shared<Plan>(Plan{folder, stand_ins, people, seed, cities, cancel});
  Sources sources;
  sources.city = [plan] { return OneCity(*plan); };
  sources.cities = [plan] { return SeveralCities(*plan); };
  sources.adult = [plan] { return Census(*plan); };
  sources.networks = [plan] { return AllNetworks(*plan); };
  sources.folder = folder;
  sources.stand_ins = stand_ins;
  sources.people = people;
  sources.seed = seed;
  return sources;
}

}  // namespace kith::experiment
