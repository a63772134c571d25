// A picture of a friendship graph with a colour for each cluster.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "attack/places.h"

namespace kith::experiment {

/// The `people` with the most friends, and at most `edges` of the friendships among them, at random; friends pull each
/// other together, everybody pushes everybody else away (Fruchterman and Reingold 1991). Equal for equal seeds.
/// Requires: a cluster for everybody.
std::string DrawGraph(const attack::Friends& friends, const std::vector<std::uint32_t>& clusters, std::size_t people,
                      std::size_t edges, std::uint64_t seed, const std::string& title);

}  // namespace kith::experiment
