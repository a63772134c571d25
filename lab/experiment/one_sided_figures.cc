// The lists of figures of the one-sided paper and of the one on delta-neighbours, on the data of the laboratory.
#include <fmt/format.h>

#include "experiment/catalogue.h"
#include "experiment/laboratory.h"
#include "experiment/occupancy_figures.h"
#include "experiment/occupancy_input.h"
#include "experiment/spatial_figures.h"
#include "experiment/stream_figures.h"

namespace kith::experiment {
namespace {

struct Found {
  Occupancy occupancy;
  std::string words;
};

Result<Found> FindOccupancy(const Laboratory& laboratory, const CancelFlag& cancel) {
  const Sources& sources = laboratory.sources();
  if (sources.folder.empty() || (sources.stand_ins && !cli::HasOccupancy(sources.folder)))
    return Found{InventedOccupancy(sources.people, sources.seed), "Synthetic stand-in"};
  auto read = cli::ReadOccupancy(sources.folder, cancel);
  if (!read) return read.error();
  return Found{std::move(*read), "Public data of the folder"};
}

std::string WordsOf(const Found& found) {
  std::string words = found.words + ":";
  for (const Building& building : found.occupancy.buildings) {
    std::size_t days = 0;
    for (const Space& space : building.spaces) days += space.days.size();
    words += fmt::format("{} {} ({} {}, {} days of one)", &building == &found.occupancy.buildings[0] ? "" : ",",
                         building.name, building.spaces.size(),
                         building.spaces.size() == 1 ? "space" : "spaces or people", days);
  }
  return words + ".";
}

/// A figure of occupancy: with or without anything drawn.
template <auto kMake>
Result<Figure> OfOccupancy(Laboratory& laboratory, const Settings& settings, const CancelFlag& cancel) {
  const auto found = FindOccupancy(laboratory, cancel);
  if (!found) return found.error();
  Result<Figure> figure = [&] {
    if constexpr (std::is_invocable_v<decltype(kMake), const Occupancy&>) {
      (void)settings;
      return kMake(found->occupancy);
    } else {
      return kMake(found->occupancy, settings, cancel);
    }
  }();
  if (figure) figure->setting = WordsOf(*found);
  return figure;
}

Result<Figure> OfPlaces(Laboratory& laboratory, const Settings& settings, const CancelFlag& cancel) {
  const auto city = laboratory.OneCity(settings);
  if (!city) return city.error();
  auto figure = PlacesFigure((*city)->city.visits, settings, cancel);
  if (figure) figure->setting = (*city)->Words();
  return figure;
}

}  // namespace

std::vector<FigureEntry> OneSidedFigures() {
  return {
      {"osdp-fig1",
       "one-sided",
       "occupancy over a day and the five attributes read out of it (Fig. 1)",
       {},
       OfOccupancy<&OccupancyPattern>},
      {"osdp-fig2",
       "one-sided",
       "applications, queries, dependence and collusion (Fig. 2)",
       {},
       OfOccupancy<&ApplicationsDiagram>},
      {"osdp-lighting",
       "one-sided",
       "the lighting schedule before and after release",
       {},
       OfOccupancy<&LightingSchedule>},
      {"osdp-curves", "one-sided", "I_i and f1 against epsilon, with their limits", {}, OfOccupancy<&LeakageCurves>},
      {"osdp-collusion",
       "one-sided",
       "records that reinforce and that cancel each other",
       {},
       OfOccupancy<&CancellingAndReinforcing>},
      {"osdp-exclusion",
       "one-sided",
       "the exclusion attack: naive suppression beside OSDPRR",
       {},
       OfOccupancy<&ExclusionAttack>},
      {"osdp-optimum",
       "one-sided",
       "the epsilons for a total leakage, by two objectives",
       {},
       OfOccupancy<&ChosenEpsilons>},
  };
}

std::vector<FigureEntry> NeighbourhoodFigures() {
  return {
      {"delta-places",
       "neighbourhood",
       "counts in rectangles: kith's map, equi-width, quadtree, kd-tree, adaptive grid",
       {},
       OfPlaces},
      {"delta-streams",
       "neighbourhood",
       "hourly counts without end, by rule, epsilon and window",
       {},
       OfOccupancy<&StreamsFigure>},
  };
}

}  // namespace kith::experiment
