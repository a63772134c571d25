#include "published/wasserstein.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.h"
#include "published/max_flow.h"

namespace kith::published {
namespace {

constexpr double kSlack = 1e-12;

struct Cumulative {
  std::vector<double> below;  // up to and including each point, summed from the left
  std::vector<double> above;  // beyond each point, summed from the right

  explicit Cumulative(std::span<const double> law) : below(law.size()), above(law.size(), 0.0) {
    std::partial_sum(law.begin(), law.end(), below.begin());
    for (std::size_t k = law.size() - 1; k-- > 0;) above[k] = above[k + 1] + law[k + 1];
  }
};

/// F(x_i) <= G(x_j), seen from the end where the sums are small.
bool Covered(const Cumulative& f, std::size_t i, const Cumulative& g, std::size_t j) {
  if (g.below[j] < 0.5) return f.below[i] <= g.below[j] * (1 + kSlack);
  return g.above[j] <= f.above[i] * (1 + kSlack);
}

/// The farthest that mass of p has to move to the right to become q.
double FurthestRight(const Axis& axis, std::span<const double> p, std::span<const double> q) {
  const Cumulative f(p);
  const Cumulative g(q);
  double furthest = 0;
  std::size_t j = 0;
  for (std::size_t i = 0; i < axis.size(); ++i) {
    if (p[i] == 0) continue;
    while (j + 1 < axis.size() && !Covered(f, i, g, j)) ++j;
    furthest = std::max(furthest, axis[j] - axis[i]);
  }
  return furthest;
}

double Distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += std::abs(a[k] - b[k]);
  return sum;
}

/// True if all mass of p fits onto q when none of it moves farther than `reach`.
bool Fits(const Atoms& p, const Atoms& q, double reach) {
  MaxFlow flow(p.size() + q.size() + 2);
  const std::size_t source = p.size() + q.size();
  double mass = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    flow.Add(source, i, p[i].p);
    mass += p[i].p;
    for (std::size_t j = 0; j < q.size(); ++j) {
      if (Distance(p[i].at, q[j].at) <= reach) flow.Add(i, p.size() + j, p[i].p);
    }
  }
  for (std::size_t j = 0; j < q.size(); ++j) flow.Add(p.size() + j, source + 1, q[j].p * (1 + kSlack));
  return flow.Run(source, source + 1) >= mass * (1 - kSlack);
}

}  // namespace

double WassersteinInfinity(const Axis& axis, std::span<const double> p, std::span<const double> q) {
  return std::max(FurthestRight(axis, p, q), FurthestRight(axis, q, p));
}

double WassersteinOne(const Axis& axis, std::span<const double> p, std::span<const double> q) {
  double sum = 0;
  double difference = 0;
  for (std::size_t k = 0; k + 1 < axis.size(); ++k) {
    difference += p[k] - q[k];
    sum += std::abs(difference) * (axis[k + 1] - axis[k]);
  }
  return sum;
}

double WassersteinInfinity(const Atoms& p, const Atoms& q) {
  constexpr std::size_t kMostPoints = 400;
  KITH_CHECK(!p.empty() && !q.empty() && p.size() <= kMostPoints && q.size() <= kMostPoints);
  std::vector<double> distances;
  for (const Atom& a : p) {
    for (const Atom& b : q) distances.push_back(Distance(a.at, b.at));
  }
  std::sort(distances.begin(), distances.end());
  // The largest distance always fits, so the search ends there at the latest.
  const auto least =
      std::partition_point(distances.begin(), distances.end() - 1, [&](double reach) { return !Fits(p, q, reach); });
  return *least;
}

double WassersteinSensitivity(std::span<const Secret> secrets) {
  double worst = 0;
  for (const Secret& secret : secrets) {
    KITH_CHECK(secret.axes.size() == 1);
    for (std::size_t a = 0; a < secret.given.size(); ++a) {
      for (std::size_t b = a + 1; b < secret.given.size(); ++b) {
        worst = std::max(worst, WassersteinInfinity(secret.axes[0], secret.given[a], secret.given[b]));
      }
    }
  }
  return worst;
}

}  // namespace kith::published
