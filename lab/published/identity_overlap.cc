#include "published/identity_overlap.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/check.h"

namespace kith::published {
namespace {

/// log((1 - eta) e^own + eta e^all), all >= own.
double Mixed(double own, double all, double eta) {
  if (all - own > 700) return std::max(own + std::log1p(-eta), all + std::log(eta));
  return own + std::log1p(eta * std::expm1(all - own));
}

}  // namespace

double LargestVariation(const ListedLaw& law) {
  const std::size_t records = law.empty() ? 0 : law[0].values.size();
  double largest = 0;
  for (std::size_t i = 0; i < records; ++i) {
    std::map<double, std::map<std::vector<double>, double>> given;
    std::map<double, double> prior;
    for (const Database& database : law) {
      if (!(database.p > 0)) continue;
      auto others = database.values;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      given[database.values[i]][others] += database.p;
      prior[database.values[i]] += database.p;
    }
    for (const auto& [a, p] : given) {
      for (const auto& [b, q] : given) {
        double shared = 0;
        for (const auto& [others, mass] : p) {
          const auto found = q.find(others);
          if (found != q.end()) shared += std::min(mass / prior[a], found->second / prior[b]);
        }
        largest = std::max(largest, 1 - shared);
      }
    }
  }
  return largest;
}

double SharpOverlapLoss(double epsilon, double records, double eta) {
  KITH_CHECK(epsilon >= 0 && records >= 1 && eta >= 0 && eta <= 1);
  return Mixed(epsilon / records, epsilon, eta);
}

std::optional<double> PublishedOverlapLoss(double epsilon, double records, double eta) {
  const double b = -std::log(eta);
  if (!(epsilon * (1 - 1 / records) >= b)) return std::nullopt;
  return epsilon - b + std::log(2.0);
}

double OverlapPlainBudget(double target, double records, double eta) {
  KITH_CHECK(target > 0 && records >= 1 && eta >= 0 && eta <= 1);
  double low = target / records;  // group privacy always fits
  double high = target;
  if (eta == 0 || records == 1) return high;
  if (eta == 1) return low;
  while (high - low > high * 1e-14) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (Mixed(middle, records * middle, eta) <= target ? low : high) = middle;
  }
  return low;
}

}  // namespace kith::published
