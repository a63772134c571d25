#include "attack/places.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "base/check.h"

namespace kith::attack {
namespace {

constexpr double kEarthKm = 6371.0;

double Radians(double degrees) { return degrees * std::numbers::pi / 180; }

}  // namespace

double GreatCircleKm(Point a, Point b) {
  const double lat = std::sin((Radians(b.lat) - Radians(a.lat)) / 2);
  const double lon = std::sin((Radians(b.lon) - Radians(a.lon)) / 2);
  const double h = lat * lat + std::cos(Radians(a.lat)) * std::cos(Radians(b.lat)) * lon * lon;
  return 2 * kEarthKm * std::asin(std::min(1.0, std::sqrt(h)));
}

double PatternDistanceKm(std::span<const Point> a, std::span<const Point> b) {
  KITH_CHECK(!a.empty() && a.size() == b.size());
  double sum = 0;
  for (std::size_t l = 0; l < a.size(); ++l) sum += GreatCircleKm(a[l], b[l]);
  return sum / static_cast<double>(a.size());
}

Result<Patterns> TopPlaces(const Visits& visits, std::size_t q) {
  if (q == 0) return InvalidArgument("a pattern needs at least one place", "places", "ask for 1 or more");
  if (visits.users == 0) return InvalidArgument("there are no users", "visits", "check the table of visits");
  for (const Point& p : visits.places) {
    if (!(std::abs(p.lat) <= 90 && std::abs(p.lon) <= 360))
      return InvalidArgument("a place is not on the globe", "visits", "give latitude and longitude in degrees");
  }
  std::vector<Visits::Visit> sorted = visits.visits;
  std::sort(sorted.begin(), sorted.end(),
            [](const auto& x, const auto& y) { return std::pair(x.user, x.place) < std::pair(y.user, y.place); });
  Patterns patterns{visits.users, q, {}};
  patterns.places.reserve(visits.users * q);
  std::vector<std::pair<std::int64_t, std::uint32_t>> counts;  // minus visits, place: the order wanted
  std::size_t at = 0;
  for (std::size_t user = 0; user < visits.users; ++user) {
    counts.clear();
    for (; at < sorted.size() && sorted[at].user == user; ++at) {
      if (counts.empty() || counts.back().second != sorted[at].place) counts.emplace_back(0, sorted[at].place);
      counts.back().first -= sorted[at].times;
    }
    if (counts.empty()) return InvalidArgument("a user has no visit", "visits", "leave such users out");
    std::sort(counts.begin(), counts.end());
    for (std::size_t l = 0; l < q; ++l) patterns.places.push_back(visits.places[counts[l % counts.size()].second]);
  }
  return patterns;
}

namespace {

/// The users that remain, renumbered in the same order.
void KeepUsers(const std::vector<bool>& stays, Visits* visits, Friends* friends) {
  std::vector<std::uint32_t> number(visits->users, 0);
  std::size_t kept = 0;
  for (std::size_t user = 0; user < visits->users; ++user) {
    if (stays[user]) number[user] = static_cast<std::uint32_t>(kept++);
  }
  std::erase_if(visits->visits, [&](const auto& visit) { return !stays[visit.user]; });
  for (auto& visit : visits->visits) visit.user = number[visit.user];
  Friends remaining(kept);
  for (std::size_t user = 0; user < friends->size(); ++user) {
    if (!stays[user]) continue;
    for (const std::uint32_t other : (*friends)[user]) {
      if (stays[other]) remaining[number[user]].push_back(number[other]);
    }
  }
  visits->users = kept;
  *friends = std::move(remaining);
}

/// Places that somebody visits, renumbered in the same order.
void KeepVisited(Visits* visits) {
  std::vector<bool> visited(visits->places.size(), false);
  for (const auto& visit : visits->visits) visited[visit.place] = true;
  std::vector<std::uint32_t> number(visits->places.size(), 0);
  std::vector<Point> places;
  for (std::size_t place = 0; place < visited.size(); ++place) {
    if (!visited[place]) continue;
    number[place] = static_cast<std::uint32_t>(places.size());
    places.push_back(visits->places[place]);
  }
  for (auto& visit : visits->visits) visit.place = number[visit.place];
  visits->places = std::move(places);
}

}  // namespace

void KeepActive(std::size_t least, Visits* visits, Friends* friends) {
  std::vector<std::size_t> count(visits->users, 0);
  for (const auto& visit : visits->visits) count[visit.user] += visit.times;
  std::vector<bool> stays;
  for (const std::size_t n : count) stays.push_back(n >= least);
  KeepUsers(stays, visits, friends);
  KeepVisited(visits);
}

std::size_t CheckIns(const Visits& visits) {
  std::size_t sum = 0;
  for (const auto& visit : visits.visits) sum += visit.times;
  return sum;
}

std::size_t Friendships(const Friends& friends) {
  std::size_t sum = 0;
  for (const auto& of_user : friends) sum += of_user.size();
  return sum / 2;
}

void KeepCities(std::span<const Circle> cities, Visits* visits, Friends* friends) {
  std::vector<bool> inside;
  for (const Point& place : visits->places) {
    inside.push_back(std::any_of(cities.begin(), cities.end(), [&](const Circle& city) {
      return GreatCircleKm(place, city.centre) <= city.radius_km;
    }));
  }
  std::erase_if(visits->visits, [&](const auto& visit) { return !inside[visit.place]; });
  KeepActive(1, visits, friends);
}

namespace {

void Stretch(Point p, Point* low, Point* high) {
  *low = {std::min(low->lat, p.lat), std::min(low->lon, p.lon)};
  *high = {std::max(high->lat, p.lat), std::max(high->lon, p.lon)};
}

}  // namespace

Grid::Grid(std::span<const Point> places, std::size_t side) : per_city_(side) {
  KITH_CHECK(!places.empty() && side >= 1 && side <= 1000);
  low_ = high_ = places.front();
  for (const Point& p : places) Stretch(p, &low_, &high_);
  cities_.push_back({low_, low_, high_});
}

Grid::Grid(std::span<const Point> places, std::span<const Point> centres, std::size_t side) : Grid(places, side) {
  KITH_CHECK(!centres.empty());
  cities_.clear();
  for (const Point& centre : centres) cities_.push_back({centre, centre, centre});
  std::vector<bool> seen(cities_.size(), false);
  for (const Point& p : places) {
    const std::size_t at = CityOf(p);
    if (!seen[at]) cities_[at].low = cities_[at].high = p;
    seen[at] = true;
    Stretch(p, &cities_[at].low, &cities_[at].high);
  }
  KITH_CHECK(std::all_of(seen.begin(), seen.end(), [](bool one) { return one; }));
}

std::size_t Grid::CityOf(Point p) const {
  std::size_t nearest = 0;
  for (std::size_t k = 1; k < cities_.size(); ++k) {
    if (GreatCircleKm(p, cities_[k].centre) < GreatCircleKm(p, cities_[nearest].centre)) nearest = k;
  }
  return nearest;
}

double Grid::ScaledRow(std::size_t k) const {
  if (cities_.size() == 1) return Middle(k);
  const City& city = cities_[k / per_city_];
  return ScaledLat(city.low.lat + Middle(k) * (city.high.lat - city.low.lat));
}

double Grid::ScaledColumn(std::size_t k) const {
  if (cities_.size() == 1) return Middle(k);
  const City& city = cities_[k / per_city_];
  return ScaledLon(city.low.lon + Middle(k) * (city.high.lon - city.low.lon));
}

double Grid::Share(double x, double low, double high) {
  return high > low ? std::clamp((x - low) / (high - low), 0.0, 1.0) : 0.5;
}

std::size_t Grid::CellOf(Point p) const {
  const std::size_t at = CityOf(p);
  const City& city = cities_[at];
  const auto index = [&](double share) {
    return at * per_city_ + std::min(per_city_ - 1, static_cast<std::size_t>(share * static_cast<double>(per_city_)));
  };
  return index(Share(p.lat, city.low.lat, city.high.lat)) * side() + index(Share(p.lon, city.low.lon, city.high.lon));
}

Point Grid::Centre(std::size_t cell) const {
  const std::size_t row = cell / side(), column = cell % side();
  const City &of_row = cities_[row / per_city_], &of_column = cities_[column / per_city_];
  return {of_row.low.lat + Middle(row) * (of_row.high.lat - of_row.low.lat),
          of_column.low.lon + Middle(column) * (of_column.high.lon - of_column.low.lon)};
}

std::vector<std::uint32_t> Grid::CellsNear(Point p, double radius_km) const {
  std::vector<std::uint32_t> near;
  const std::size_t own = CellOf(p);
  for (std::size_t row = 0; row < side(); ++row) {
    // A centre is at least as far away as its latitude alone.
    const Point beside{Centre(row * side()).lat, p.lon};
    if (row != own / side() && GreatCircleKm(p, beside) > radius_km) continue;
    const std::size_t first = row / per_city_ * per_city_;
    for (std::size_t column = first; column < first + per_city_; ++column) {
      const std::size_t cell = row * side() + column;
      if (cell == own || GreatCircleKm(p, Centre(cell)) <= radius_km) near.push_back(static_cast<std::uint32_t>(cell));
    }
  }
  return near;
}

}  // namespace kith::attack
