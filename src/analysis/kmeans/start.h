// Where k-means starts: places that do not look at the data.
#pragma once
#include <cstddef>
#include <vector>

namespace kith::kmeans {

/// A place in scaled coordinates: each column's declared range has length 1.
using Place = std::vector<double>;

/// `clusters` places spread evenly over the box [low, high]: a low-discrepancy sequence, then steps of k-means on the
/// sequence itself. The same for all data; a function only of its arguments.
std::vector<Place> Spread(std::size_t clusters, const Place& low, const Place& high);

/// Places from counts of the cells of a grid over the box, `side` cells in each direction, the first direction slowest:
/// k-means of the cells' middles, each with its count; cells with fewer than `least` are left out. The best of several
/// starts; a function only of its arguments.
std::vector<Place> OfGrid(std::size_t clusters, std::size_t side, const std::vector<double>& counts, double least,
                          const Place& low, const Place& high);

/// The index of the nearest place; the first of several.
std::size_t Nearest(const std::vector<Place>& places, const Place& point);

}  // namespace kith::kmeans
