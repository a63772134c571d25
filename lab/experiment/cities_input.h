// Reads check-ins of several cities, cut to circles around their middles.
#pragma once
#include <filesystem>
#include <span>

#include "experiment/attack_input.h"

namespace kith::cli {

/// visits.csv or .tsv.gz with friends.csv or .tsv.gz in the sub-folder `gowalla_cities` (as experiments/get_data writes
/// them), or the files of `gowalla_vldb17`: poi_coos, test, tune and social_relations.
bool HasCities(const std::filesystem::path& folder);
std::string CitiesName(const std::filesystem::path& folder);
/// Visits outside all circles are left out. Fails: kInvalidArgument (no such files, nobody left), kStorage, kCancelled.
Result<AttackInput> ReadCities(const std::filesystem::path& folder, std::span<const attack::Circle> cities,
                               const CancelFlag& cancel);

}  // namespace kith::cli
