// The data sets of all figures: those of a folder, or stand-ins that are made up from a seed and say so.
#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "attack/places.h"
#include "base/cancel.h"
#include "base/result.h"
#include "experiment/adult.h"
#include "experiment/networks.h"

namespace kith::experiment {

/// People of a city, or of several: where they were, and who is friends with whom.
struct City {
  attack::Visits visits;
  attack::Friends friends;
  std::string words;                    // which data these are: "Gowalla, New York"
  std::vector<attack::Circle> circles;  // several cities, each with its own grid; none: one grid for all
};
/// Fails: kInvalidArgument if a city has no place, or side is not in 1..200.
Result<attack::Grid> GridOf(const City& city, std::size_t side);

/// As published: New York, San Francisco, Los Angeles, 25 km around their middle.
const std::vector<attack::Circle>& PublishedCities();
/// "Name:lat:lon" or "Name:lat:lon:km" each. Fails: kInvalidArgument.
Result<std::vector<attack::Circle>> ParseCities(const std::vector<std::string>& texts);

struct Sources {
  std::function<Result<City>()> city, cities;
  std::function<Result<Adult>()> adult;
  std::function<Result<Networks>()> networks;
  std::filesystem::path folder;  // for figures that read their own data; empty: no data
  bool stand_ins = true;         // whether data that are not in the folder may be made up
  std::size_t people = 2000;     // of a stand-in
  std::uint64_t seed = 1;        // of a stand-in
};
/// `stand_ins`: what the folder does not have is made up (an empty folder: everything).
Sources FolderSources(const std::filesystem::path& folder, bool stand_ins, std::size_t people, std::uint64_t seed,
                      const std::vector<attack::Circle>& cities, const CancelFlag& cancel);

}  // namespace kith::experiment
