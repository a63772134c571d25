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

void KeepActive(std::size_t least, Visits* visits, Friends* friends) {
  std::vector<std::size_t> count(visits->users, 0);
  for (const auto& visit : visits->visits) count[visit.user] += visit.times;
  std::vector<std::uint32_t> number(visits->users, 0);
  std::size_t kept = 0;
  for (std::size_t user = 0; user < visits->users; ++user) {
    if (count[user] >= least) number[user] = static_cast<std::uint32_t>(kept++);
  }
  std::erase_if(visits->visits, [&](const auto& visit) { return count[visit.user] < least; });
  for (auto& visit : visits->visits) visit.user = number[visit.user];
  Friends remaining(kept);
  for (std::size_t user = 0; user < friends->size(); ++user) {
    if (count[user] < least) continue;
    for (const std::uint32_t other : (*friends)[user]) {
      if (count[other] >= least) remaining[number[user]].push_back(number[other]);
    }
  }
  visits->users = kept;
  *friends = std::move(remaining);
}

Grid::Grid(std::span<const Point> places, std::size_t side) : side_(side) {
  KITH_CHECK(!places.empty() && side >= 1 && side <= 1000);
  low_ = high_ = places.front();
  for (const Point& p : places) {
    low_ = {std::min(low_.lat, p.lat), std::min(low_.lon, p.lon)};
    high_ = {std::max(high_.lat, p.lat), std::max(high_.lon, p.lon)};
  }
}

double Grid::Share(double x, double low, double high) {
  return high > low ? std::clamp((x - low) / (high - low), 0.0, 1.0) : 0.5;
}

std::size_t Grid::CellOf(Point p) const {
  const auto index = [&](double share) {
    return std::min(side_ - 1, static_cast<std::size_t>(share * static_cast<double>(side_)));
  };
  return index(ScaledLat(p.lat)) * side_ + index(ScaledLon(p.lon));
}

Point Grid::Centre(std::size_t cell) const {
  return {low_.lat + ScaledMiddle(cell / side_) * (high_.lat - low_.lat),
          low_.lon + ScaledMiddle(cell % side_) * (high_.lon - low_.lon)};
}

std::vector<std::uint32_t> Grid::CellsNear(Point p, double radius_km) const {
  std::vector<std::uint32_t> near;
  const std::size_t own = CellOf(p);
  for (std::size_t row = 0; row < side_; ++row) {
    // A centre is at least as far away as its latitude alone.
    const Point beside{Centre(row * side_).lat, p.lon};
    if (row != own / side_ && GreatCircleKm(p, beside) > radius_km) continue;
    for (std::size_t column = 0; column < side_; ++column) {
      const std::size_t cell = row * side_ + column;
      if (cell == own || GreatCircleKm(p, Centre(cell)) <= radius_km) near.push_back(static_cast<std::uint32_t>(cell));
    }
  }
  return near;
}

}  // namespace kith::attack
