// A city like the New York part of Gowalla: quarters of different size, places whose popularity follows a power law,
// people who mostly go to places near home, some of them very often, and friends who live near each other, go to the
// same places and are very unevenly spread.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numbers>
#include <random>
#include <set>

#include "attack/kmeans.h"
#include "experiment/sample.h"

namespace kith::cli {
namespace gowalla_like {

struct Spot {
  double lat = 0, lon = 0;
};

class City {
 public:
  explicit City(const SampleOptions& options) : options_(options), engine_(options.seed) {}

  void Build() {
    for (int k = 0; k < kQuarters; ++k) quarters_.push_back({40.55 + 0.32 * Draw(), -74.18 + 0.42 * Draw()});
    const std::size_t places = 3 * options_.users + 10;
    for (std::size_t p = 0; p < places; ++p) places_.push_back(Around(Quarter(), 0.02));
    Index();
    for (std::size_t u = 0; u < options_.users; ++u) homes_.push_back(Around(Quarter(), 0.03));
    Befriend();
    favourites_.resize(options_.users);
    for (std::size_t u = 0; u < options_.users; ++u) ChooseFavourites(u);
  }

  Result<std::vector<SampleFile>> Write() {
    std::ofstream visits(options_.folder / "visits.csv"), friends(options_.folder / "friends.csv");
    visits << "user,time,lat,lon,place\n";
    std::size_t lines = 0;
    for (std::size_t u = 0; u < options_.users; ++u) {
      // Half of the people check in a handful of times, a few more than a thousand times.
      const auto count = static_cast<std::size_t>(std::min(1800.0, std::pow(1 - Draw(), -1 / 0.9) * 2.2));
      for (std::size_t v = 0; v < count; ++v, ++lines) {
        const auto& mine = favourites_[u];
        const std::size_t p = mine[static_cast<std::size_t>(static_cast<double>(mine.size()) * std::pow(Draw(), 1.5))];
        visits << fmt::format("{},{},{:.6f},{:.6f},{}\n", u, Time(), places_[p].lat, places_[p].lon, p);
      }
    }
    friends << "a,b\n";
    for (const auto& [a, b] : edges_) friends << fmt::format("{},{}\n", a, b);
    if (!visits.flush() || !friends.flush())
      return StorageError("cannot write the sample", options_.folder.string(), "check the folder and its permissions");
    return std::vector<SampleFile>{{"visits.csv", fmt::format("{} visits of {} users", lines, options_.users)},
                                   {"friends.csv", fmt::format("{} friendships", edges_.size())}};
  }

 private:
  static constexpr int kQuarters = 9;
  static constexpr int kBins = 64;  // per side, to find places near a home

  double Draw() { return attack::Uniform(engine_); }
  double Normal() {
    const double radius = std::sqrt(-2 * std::log1p(-Draw()));
    return radius * std::cos(2 * std::numbers::pi * Draw());
  }
  /// Quarters get smaller by a third each.
  const Spot& Quarter() {
    const double left = std::log1p(-Draw() * (1 - std::pow(2.0 / 3, kQuarters))) / std::log(2.0 / 3);
    return quarters_[std::min<std::size_t>(kQuarters - 1, static_cast<std::size_t>(left))];
  }
  Spot Around(const Spot& centre, double spread) {
    return {std::clamp(centre.lat + spread * Normal(), 40.48, 40.92),
            std::clamp(centre.lon + 1.3 * spread * Normal(), -74.26, -73.70)};
  }
  static std::size_t Bin(const Spot& s) {
    const auto index = [](double share) {
      return std::min<std::size_t>(kBins - 1, static_cast<std::size_t>(share * kBins));
    };
    return index((s.lat - 40.48) / 0.441) * kBins + index((s.lon + 74.26) / 0.561);
  }
  void Index() {
    bins_.resize(std::size_t{kBins} * kBins);
    for (std::size_t p = 0; p < places_.size(); ++p) bins_[Bin(places_[p])].push_back(p);
  }

  /// A third of the people have no friend; the others want a power law of them and choose among a few by Eq. 26.
  void Befriend() {
    std::vector<std::size_t> social;
    for (std::size_t u = 0; u < options_.users; ++u) {
      if (u % 20 < 13) social.push_back(u);
    }
    std::set<std::pair<std::size_t, std::size_t>> edges;
    for (const std::size_t u : social) {
      const double wanted =
          std::min(0.06 * static_cast<double>(options_.users) + 1, 1.3 * std::pow(1 - Draw(), -1 / 1.4));
      for (int n = 0; n < static_cast<int>(wanted); ++n) {
        std::size_t best = u;
        double most = -1;
        for (int candidate = 0; candidate < 20; ++candidate) {
          const std::size_t v = social[static_cast<std::size_t>(Draw() * static_cast<double>(social.size()))];
          const double miles =
              69 * (std::abs(homes_[u].lat - homes_[v].lat) + 0.76 * std::abs(homes_[u].lon - homes_[v].lon));
          // The largest of exponential clocks is chosen in proportion to its rate.
          const double clock = -std::pow(miles + 0.196, -1.05) / std::log(1 - Draw() + 0x1p-60);
          if (v != u && clock > most) {
            most = clock;
            best = v;
          }
        }
        if (best != u) edges.insert(std::minmax(u, best));
      }
    }
    edges_.assign(edges.begin(), edges.end());
    friends_.resize(options_.users);
    for (const auto& [a, b] : edges_) {
      friends_[a].push_back(b);
      friends_[b].push_back(a);
    }
  }

  /// Places near home, popular ones more often; a fifth of them a friend's.
  void ChooseFavourites(std::size_t u) {
    const std::size_t count = static_cast<std::size_t>(std::min(2000.0, 5 * std::pow(1 - Draw(), -1 / 0.9)));
    const Spot home = homes_[u];
    auto& mine = favourites_[u];
    while (mine.size() < count) {
      if (!friends_[u].empty() && Draw() < 0.2) {
        const std::size_t other =
            friends_[u][static_cast<std::size_t>(Draw() * static_cast<double>(friends_[u].size()))];
        if (other < u) {
          mine.push_back(
              favourites_[other][static_cast<std::size_t>(Draw() * static_cast<double>(favourites_[other].size()))]);
          continue;
        }
      }
      const auto& near = bins_[Bin(Around(home, 0.01))];
      if (near.empty()) {
        mine.push_back(static_cast<std::size_t>(Draw() * static_cast<double>(places_.size())));
        continue;
      }
      mine.push_back(near[static_cast<std::size_t>(std::pow(Draw(), 2.5) * static_cast<double>(near.size()))]);
    }
  }

  std::string Time() {
    const auto minute = static_cast<int>(Draw() * 365 * 24 * 60);
    const int day = minute / (24 * 60);
    return fmt::format("2010-{:02}-{:02}T{:02}:{:02}:00Z", 1 + day / 31, 1 + day % 28, minute / 60 % 24, minute % 60);
  }

  const SampleOptions& options_;
  std::mt19937_64 engine_;
  std::vector<Spot> quarters_, places_, homes_;
  std::vector<std::vector<std::size_t>> bins_, friends_, favourites_;
  std::vector<std::pair<std::size_t, std::size_t>> edges_;
};

}  // namespace gowalla_like

Result<std::vector<SampleFile>> WriteGowallaLike(const SampleOptions& options) {
  gowalla_like::City city(options);
  city.Build();
  return city.Write();
}

}  // namespace kith::cli
