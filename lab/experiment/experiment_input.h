// Reads the data sets of `kith experiment` from a folder, in the form in which they are published.
#pragma once
#include <filesystem>

#include "base/cancel.h"
#include "base/result.h"
#include "experiment/adult.h"
#include "experiment/attack_input.h"
#include "experiment/networks.h"

namespace kith::cli {

/// adult.data or adult.data.gz in the folder, or in its sub-folder `adult`: 15 columns without a header, "?" for what
/// is missing. Rows that miss something are left out. Fails: kInvalidArgument (no such file, or no row of this form),
/// kStorage, kCancelled.
Result<experiment::Adult> ReadAdult(const std::filesystem::path& folder, const CancelFlag& cancel);

/// visits.csv and friends.csv (as `kith sample gowalla-like` writes them) in the folder, or checkins.tsv.gz and
/// friends.tsv.gz in it or in its sub-folder `gowalla_nyc`. Fails: as ReadAttackInput.
Result<AttackInput> ReadCity(const std::filesystem::path& folder, const CancelFlag& cancel);

/// All networks that are in the folder: friends.csv, or the friendships and contacts that are published as
/// gowalla_nyc/friends.tsv.gz, gowalla_vldb17/social_relations.tsv.gz and sociopatterns/{hospital,workplace,
/// conference}.csv.gz. A pair that is listed several times met that often. Fails: kInvalidArgument (there is none, or
/// no line of it is a pair), kStorage, kCancelled.
Result<std::vector<experiment::Network>> ReadNetworks(const std::filesystem::path& folder, const CancelFlag& cancel);

/// Whether the folder has what these read, and what it is called.
bool HasAdult(const std::filesystem::path& folder);
bool HasCity(const std::filesystem::path& folder);
std::string CityName(const std::filesystem::path& folder);
bool HasNetworks(const std::filesystem::path& folder);

}  // namespace kith::cli
