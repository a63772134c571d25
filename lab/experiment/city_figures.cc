// Table I and figures 2 and 3 of the publication on dependent differential privacy: the data and how friends resemble
// each other.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "attack/kmeans.h"
#include "attack/query.h"
#include "experiment/catalogue.h"
#include "experiment/laboratory.h"
#include "experiment/network_table.h"

namespace kith::experiment {
namespace {

Estimate Exactly(double value) { return {value, value, value}; }

std::string Count(std::size_t n) { return Compact(static_cast<double>(n)); }

/// What Table I counts, for one city.
struct Counts {
  std::size_t people = 0, visits = 0, places = 0;
};

/// City by city; somebody who was in several counts where the most visited place is.
std::vector<Counts> CountsOf(const City& city, const attack::Grid& grid, const attack::Patterns& patterns) {
  std::vector<Counts> counts(grid.cities());
  for (std::size_t user = 0; user < patterns.users; ++user) ++counts[grid.CityOf(patterns.Of(user)[0])].people;
  for (const auto& place : city.visits.places) ++counts[grid.CityOf(place)].places;
  for (const auto& visit : city.visits.visits)
    counts[grid.CityOf(city.visits.places[visit.place])].visits += visit.times;
  return counts;
}

struct Published {
  const char* city;
  double people, visits, places;
};
/// The sums of the regions of each city in Table I.
constexpr std::array<Published, 3> kTable1 = {
    {{"New York", 2315, 27737, 5713}, {"San Francisco", 2090, 28994, 4385}, {"Los Angeles", 2564, 42071, 7672}}};

Result<Figure> MakeTable1(Laboratory& laboratory, const Settings& settings, const CancelFlag&) {
  const auto cities = laboratory.SeveralCities(settings);
  if (!cities) return cities.error();
  const City& all = (*cities)->city;
  City active = all;
  attack::KeepActive(10, &active.visits, &active.friends);
  Figure figure;
  figure.about = "The data: people, visits and places of each city.";
  figure.setting = (*cities)->Words();
  const std::array<std::pair<const char*, std::function<double(const Counts&)>>, 3> parts = {
      {{"people", [](const Counts& c) { return static_cast<double>(c.people); }},
       {"visits", [](const Counts& c) { return static_cast<double>(c.visits); }},
       {"places", [](const Counts& c) { return static_cast<double>(c.places); }}}};
  const auto counts = CountsOf(all, (*cities)->grid, (*cities)->patterns);
  std::vector<Counts> of_active(counts.size());
  if (active.visits.users >= 1) {
    const auto patterns = attack::TopPlaces(active.visits, 1);
    if (!patterns) return patterns.error();
    of_active = CountsOf(active, (*cities)->grid, *patterns);
  }
  for (const auto& [name, value] : parts) {
    Panel panel{name, fmt::format("Table I: {}", name), "", name, false, false, {}};
    panel.form = Form::kBars;
    for (std::size_t k = 0; k < counts.size(); ++k) {
      const std::string& city = all.circles[k].name;
      for (const Published& row : kTable1) {
        if (row.city != city) continue;
        const double shown = std::string(name) == "people"   ? row.people
                             : std::string(name) == "visits" ? row.visits
                                                             : row.places;
        panel.points.push_back({city + ", published", 0, Exactly(shown), 0});
      }
      panel.points.push_back({city + ", here", 0, Exactly(value(counts[k])), 0});
      panel.points.push_back({city + ", here, 10 visits or more", 0, Exactly(value(of_active[k])), 0});
    }
    figure.panels.push_back(std::move(panel));
  }
  figure.published =
      "6,969 people with at least 10 check-ins within 25 km of New York, San Francisco or Los Angeles: 98,802 "
      "check-ins "
      "at 17,770 places; 47,502 friendships among them.";
  const auto words = [](const City& city) {
    return fmt::format("{} people, {} visits to {} places, {} friendships", Count(city.visits.users),
                       Count(attack::CheckIns(city.visits)), Count(city.visits.places.size()),
                       Count(attack::Friendships(city.friends)));
  };
  figure.here = fmt::format("{}; with at least 10 visits: {}.", words(all), words(active));
  const bool evaluation = all.words.find("evaluation") != std::string::npos;
  figure.why =
      "The table's regions (San Jose, Long Beach) reach farther than 25 km from the middle of a city, so not even "
      "SNAP's data, cut as the text says, need give the same counts.";
  if (evaluation)
    figure.why +=
        " And these are other data: the evaluation of 2017 keeps people with at least 15 places and places with at "
        "least 10 visitors, and what is at hand of it are its test and tune parts, about 30 %. experiments/get_data "
        "cuts SNAP's.";
  if (all.words == "Synthetic stand-in") figure.why += " Here the people are made up: only the form can be compared.";
  return figure;
}

// Figure 2.

constexpr std::size_t kDrawn = 400, kDrawnEdges = 1500;

Result<Figure> MakeFig2(Laboratory& laboratory, const Settings& settings, const CancelFlag& cancel) {
  Figure figure;
  figure.about = "Who is whose friend, coloured by clusters of places.";
  std::string here;
  for (const bool several : {false, true}) {
    const auto city = several ? laboratory.SeveralCities(settings) : laboratory.OneCity(settings);
    if (!city) return city.error();
    if (cancel.cancelled()) return Cancelled("the experiment was stopped");
    const CityParts& parts = **city;
    const std::size_t clusters = std::min(kClusters, parts.patterns.users);
    const auto of = attack::KMeans(parts.cloud.points, parts.cloud.dimension, clusters, settings.seed);
    std::string network = NetworkTable(parts.city.friends, of, kDrawn, kDrawnEdges, settings.seed);
    double same = 0, friends = 0;
    for (std::size_t a = 0; a < parts.city.friends.size(); ++a) {
      for (const std::uint32_t b : parts.city.friends[a]) {
        ++friends;
        same += of[a] == of[b] ? 1 : 0;
      }
    }
    std::vector<double> sizes(clusters, 0);
    for (const std::uint32_t c : of) ++sizes[c];
    double random = 0;
    for (const double size : sizes)
      random += size / static_cast<double>(of.size()) * (size / static_cast<double>(of.size()));
    Panel panel{
        several ? "several_cities" : "one_city",
        several ? "Pairs in the same cluster, several cities" : "Pairs in the same cluster, one city",
        "",
        "share of pairs in the same cluster",
        false,
        false,
        {{"friends", 0, Exactly(friends > 0 ? same / friends : 0), 0}, {"random pairs", 0, Exactly(random), 0}}};
    panel.form = Form::kBars;
    Panel picture = panel;
    picture.file += "_graph";
    picture.title = several ? "Friends in several cities" : "Friends in one city";
    picture.form = Form::kNetwork;
    picture.table = std::move(network);
    here += fmt::format("{}{}: {} of friends and {} of random pairs are in the same of {} clusters",
                        here.empty() ? "" : "; ", several ? "several cities" : "one city",
                        Compact(friends > 0 ? same / friends : 0), Compact(random), clusters);
    figure.setting += (figure.setting.empty() ? "" : " ") + parts.Words();
    figure.panels.push_back(std::move(picture));
    figure.panels.push_back(std::move(panel));
  }
  figure.published =
      "\"The location dataset is inherently correlated and the social dataset well represents such relationships\": a "
      "drawing, no number.";
  figure.here = here + ".";
  figure.why =
      "Agrees in direction: friends are in the same cluster more often than random pairs. The shares say how strongly, "
      "which a drawing does not.";
  figure.notes = {
      fmt::format("Drawn: the {} people with the most friends and at most {} of the friendships among them, pushed "
                  "apart and pulled together by friendship alone; colours are the clusters. The shares are of "
                  "all people.",
                  kDrawn, kDrawnEdges)};
  return figure;
}

// Figure 3.

using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
constexpr std::size_t kMostPairs = 20'000;

std::size_t Common(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
  std::vector<std::uint32_t> both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both.size();
}

/// At most kMostPairs of them, at random.
void Thin(Pairs* pairs, std::mt19937_64& engine) {
  for (std::size_t k = 0; k < std::min(kMostPairs, pairs->size()); ++k)
    std::swap((*pairs)[k],
              (*pairs)[k + static_cast<std::size_t>(attack::Uniform(engine) * static_cast<double>(pairs->size() - k))]);
  if (pairs->size() > kMostPairs) pairs->resize(kMostPairs);
}

/// By how close they are: many friends in common, friends, friends of friends, anybody.
std::vector<std::pair<std::string, Pairs>> PairsOf(const attack::Friends& friends, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  Pairs close, all, second, random;
  for (std::uint32_t a = 0; a < friends.size(); ++a) {
    for (const std::uint32_t b : friends[a]) {
      if (b <= a) continue;
      all.emplace_back(a, b);
      if (Common(friends[a], friends[b]) >= 5) close.emplace_back(a, b);
    }
  }
  const auto any = [&](std::size_t n) {
    return static_cast<std::uint32_t>(attack::Uniform(engine) * static_cast<double>(n));
  };
  for (std::size_t tries = 0; tries < 20 * kMostPairs && second.size() < kMostPairs && !all.empty(); ++tries) {
    const auto& [a, b] = all[any(all.size())];
    const std::uint32_t c = friends[b][any(friends[b].size())];
    if (c != a && !std::binary_search(friends[a].begin(), friends[a].end(), c)) second.emplace_back(a, c);
  }
  for (std::size_t k = 0; k < kMostPairs; ++k) {
    const std::uint32_t a = any(friends.size()), b = any(friends.size());
    if (a != b) random.emplace_back(a, b);
  }
  Thin(&close, engine);
  Thin(&all, engine);
  return {{"friends with 5 friends in common", std::move(close)},
          {"friends", std::move(all)},
          {"friends of friends", std::move(second)},
          {"random pairs", std::move(random)}};
}

Result<Figure> MakeFig3(Laboratory& laboratory, const Settings& settings, const CancelFlag& cancel) {
  Figure figure;
  figure.about = "How far apart the location patterns of two people are (Eq. 5), by how close they are as friends.";
  std::string here;
  for (const bool several : {false, true}) {
    const auto city = several ? laboratory.SeveralCities(settings) : laboratory.OneCity(settings);
    if (!city) return city.error();
    if (cancel.cancelled()) return Cancelled("the experiment was stopped");
    const CityParts& parts = **city;
    const std::string where = several ? "several_cities" : "one_city", words = several ? "several cities" : "one city";
    Panel cdf{where, "Distance of patterns, " + words, "km", "share of pairs at most so far apart", true, false, {}};
    Panel cell{where + "_same_cell",
               "Most visited place in the same of the grid's cells, " + words,
               "",
               "share of pairs",
               false,
               false,
               {}};
    cell.form = Form::kBars;
    const std::vector<double> kms = several ? std::vector<double>{0.5, 1, 2, 5, 10, 20, 50, 200, 1000, 5000}
                                            : std::vector<double>{0.2, 0.5, 1, 2, 3, 5, 7, 10, 15, 20, 30, 50};
    for (const auto& [name, pairs] : PairsOf(parts.city.friends, settings.seed)) {
      if (pairs.empty()) continue;
      std::vector<double> distances;
      std::size_t same = 0;
      for (const auto& [a, b] : pairs) {
        distances.push_back(attack::PatternDistanceKm(parts.patterns.Of(a), parts.patterns.Of(b)));
        same += parts.grid.CellOf(parts.patterns.Of(a)[0]) == parts.grid.CellOf(parts.patterns.Of(b)[0]) ? 1 : 0;
      }
      std::sort(distances.begin(), distances.end());
      for (const double km : kms) {
        const auto within = std::upper_bound(distances.begin(), distances.end(), km) - distances.begin();
        cdf.points.push_back({name, km, ShareOf(static_cast<std::size_t>(within), distances.size()), 0});
      }
      cell.points.push_back({name, 0, ShareOf(same, pairs.size()), 0});
      here += fmt::format("{}{}, {}: median {} km, same cell {}", here.empty() ? "" : "; ", words, name,
                          Compact(distances[distances.size() / 2]),
                          Compact(static_cast<double>(same) / static_cast<double>(pairs.size())));
    }
    figure.setting += (figure.setting.empty() ? "" : " ") + parts.Words();
    figure.panels.push_back(std::move(cdf));
    figure.panels.push_back(std::move(cell));
  }
  figure.published = "\"The distance between the location patterns for closer friends is smaller\": curves, no number.";
  figure.here = here + ".";
  figure.why =
      "Friends are nearer to each other than random pairs are, as published. Whether friends in common make them "
      "nearer still, and by how much, differs between data sets; between cities, people who travel make patterns far "
      "apart.";
  figure.notes = {
      fmt::format("At most {} pairs of each kind, at random. Eq. 5: mean over six places, rank by rank.", kMostPairs)};
  return figure;
}

}  // namespace

std::vector<FigureEntry> CityFigures() {
  return {
      {"table1", "dependent", "Table I: people, visits and places of three cities", {}, MakeTable1},
      {"fig2", "dependent", "the friendship graph coloured by clusters of places", {}, MakeFig2},
      {"fig3", "dependent", "distance of patterns by how close two people are as friends (Eq. 5)", {}, MakeFig3},
  };
}

}  // namespace kith::experiment
