// k-means clustering of points in the unit cube: the public partition whose means the attack asks for.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace kith::attack {

/// The cluster of every point. Start: k-means++ from the seed; then Lloyd's steps until nothing changes, at most 100.
/// No cluster is empty. Requires: 1 <= clusters <= number of points; `points` holds dimension numbers for each.
std::vector<std::uint32_t> KMeans(std::span<const double> points, std::size_t dimension, std::size_t clusters,
                                  std::uint64_t seed);

/// A number in [0, 1) from 53 bits: the same on every machine.
template <class Engine>
double Uniform(Engine& engine) {
  return static_cast<double>(engine() >> 11) * 0x1p-53;
}

}  // namespace kith::attack
