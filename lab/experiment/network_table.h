// A friendship graph, arranged to be drawn.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "attack/places.h"

namespace kith::experiment {

/// person,cluster,x,y,friends: the `people` with the most friends, and at most `edges` of the friendships among them,
/// at random, each with the one of them that has more friends; friends pull each other together, everybody pushes
/// everybody else away (Fruchterman and Reingold 1991). Equal for equal seeds. Requires: a cluster for everybody.
std::string NetworkTable(const attack::Friends& friends, const std::vector<std::uint32_t>& clusters, std::size_t people,
                         std::size_t edges, std::uint64_t seed);

}  // namespace kith::experiment
