// Location patterns and the grid on which somebody guesses them: the data of the inference attack.
// Source: Liu, Chakraborty, Mittal 2016, Eqs. 4, 5; docs/theory/published.md#inference-attack.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace kith::attack {

/// In degrees.
struct Point {
  double lat = 0;
  double lon = 0;
};

/// Who was where. Users and places are numbered from 0; places in the order of their ids, which breaks ties.
struct Visits {
  std::size_t users = 0;
  std::vector<Point> places;
  struct Visit {
    std::uint32_t user = 0;
    std::uint32_t place = 0;
    std::uint32_t times = 1;
  };
  std::vector<Visit> visits;
};

/// friends[i]: the friends of user i, increasing; both directions are listed.
using Friends = std::vector<std::vector<std::uint32_t>>;

/// Great-circle distance on a sphere of 6371 km.
double GreatCircleKm(Point a, Point b);
/// Eq. 5: the mean over the places, by rank. Requires: as many places in both, at least one.
double PatternDistanceKm(std::span<const Point> a, std::span<const Point> b);

/// Eq. 4: the q most visited places of every user, the most visited first.
struct Patterns {
  std::size_t users = 0;
  std::size_t q = 0;
  std::vector<Point> places;  // user by user

  std::span<const Point> Of(std::size_t user) const { return {places.data() + user * q, q}; }
};
/// A user with fewer than q places repeats the list from its start: every pattern has q places.
/// Fails: kInvalidArgument if q is 0, there is no user, a user has no visit, or a place is not on the globe.
Result<Patterns> TopPlaces(const Visits& visits, std::size_t q);

/// Leaves out users with fewer than `least` visits and places that nobody visits any more, and renumbers the others, in
/// the same order.
void KeepActive(std::size_t least, Visits* visits, Friends* friends);

/// How many lines the visits represent.
std::size_t CheckIns(const Visits& visits);
/// Pairs, each counted once.
std::size_t Friendships(const Friends& friends);

/// A city: everything within this distance of its centre.
struct Circle {
  std::string name;
  Point centre;
  double radius_km = 25;
};
/// Leaves out visits to places in none of the cities, and users who then have no visit.
void KeepCities(std::span<const Circle> cities, Visits* visits, Friends* friends);

/// The candidates: cells over the smallest box around all places, or one such grid for each city. Rows are numbered
/// from the south, columns from the west, city after city; cell = row x side() + column. A row of one city and a column
/// of another do not meet: such a number is not a cell.
class Grid {
 public:
  /// One box. Requires: at least one place, 1 <= side <= 1000.
  Grid(std::span<const Point> places, std::size_t side);
  /// A grid for each city; a place belongs to the city whose centre is nearest.
  /// Requires: as above, and a place near every centre.
  Grid(std::span<const Point> places, std::span<const Point> centres, std::size_t side);

  /// Rows, and columns, of all cities together.
  std::size_t side() const { return per_city_ * cities_.size(); }
  std::size_t cities() const { return cities_.size(); }
  std::size_t cells() const { return side() * side(); }
  bool IsCell(std::size_t cell) const { return cell / side() / per_city_ == cell % side() / per_city_; }
  std::size_t CityOf(Point p) const;
  std::size_t CellOf(Point p) const;
  Point Centre(std::size_t cell) const;
  /// Latitude and longitude as shares of the box around everything, in [0, 1].
  double ScaledLat(double lat) const { return Share(lat, low_.lat, high_.lat); }
  double ScaledLon(double lon) const { return Share(lon, low_.lon, high_.lon); }
  /// The scaled coordinate of the middle of row or column k.
  double ScaledRow(std::size_t k) const;
  double ScaledColumn(std::size_t k) const;
  /// The cell of p, and all cells whose centre is at most this far away.
  std::vector<std::uint32_t> CellsNear(Point p, double radius_km) const;

 private:
  struct City {
    Point centre, low, high;
  };
  static double Share(double x, double low, double high);
  double Middle(std::size_t k) const {
    return (static_cast<double>(k % per_city_) + 0.5) / static_cast<double>(per_city_);
  }

  std::size_t per_city_;
  Point low_, high_;  // of everything
  std::vector<City> cities_;
};

}  // namespace kith::attack
