// A metric unit in a stream has a track: a place at each step of its stay. What neighbours and losses are then, in
// words.  Claims: claims/stream.md, STREAM-9
#pragma once
#include <cstdint>
#include <string>

#include "policy/distance.h"

namespace kith {

/// For certificates: the neighbours, where a unit is present in at most `window` consecutive steps.
std::string TrackNeighboursText(const Distance& distance, std::int64_t window);
/// What losses mean for tracks that are farther apart: `by_stay` is lost where a track moves by at most delta at every
/// step of a stay.
std::string TrackMovesText(const Distance& distance, double by_stay);

}  // namespace kith
