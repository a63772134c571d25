// Occupancy from the files as they are published: the office of UCI (occupancy_uci), the homes of ARAS (aras), and
// people who wear badges at work, in hospital and at a conference (sociopatterns).
#pragma once
#include <filesystem>

#include "base/cancel.h"
#include "experiment/occupancy.h"

namespace kith::cli {

/// Those that are there. Fails: kInvalidArgument if none is, or if a file has nothing in it; kCancelled; kStorage.
Result<experiment::Occupancy> ReadOccupancy(const std::filesystem::path& folder, const CancelFlag& cancel);

/// Whether the folder has any of them.
bool HasOccupancy(const std::filesystem::path& folder);

}  // namespace kith::cli
