// One dimension: releases of points in order. Prefix counts and sorted values change little when a point moves a
// little, so they carry far less noise than a histogram. Only without sources: the number of points is public.
// Source: docs/theory/mechanisms.md#points.  Claims: claims/points.md
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kith::points {

/// Points below each inner edge width, 2 width, ..., (cells - 1) width. Positions, widths and moves are whole steps of
/// a lattice: in floating point a move of exactly one width can cross two edges. Requires: width > 0, cells > 0.
std::vector<std::int64_t> PrefixCounts(std::span<const std::int64_t> points, std::int64_t width, std::size_t cells);
/// Requires: delta > 0, width > 0.
/// Ensures [POINTS-3]: a move of at most delta changes the prefix counts by at most this much in L1.
std::int64_t PrefixSensitivity(std::int64_t delta, std::int64_t width);

/// Noisy prefix counts put in order and kept within [0, n]: a cumulative count at each edge, 0 and n included.
std::vector<double> Cumulative(const std::vector<double>& noisy_prefix, double n);
/// Points in [low, high) by straight lines between the edges.
double CountBetween(std::span<const double> cumulative, double low, double high);

/// Means of consecutive groups of k sorted points (the last group may be smaller).
/// Ensures [POINTS-4]: a move of at most delta changes the sums of the groups by at most delta in L1, so means of
/// groups of k by delta / k.
std::vector<double> GroupMeans(std::span<const double> points, std::size_t k);

}  // namespace kith::points
