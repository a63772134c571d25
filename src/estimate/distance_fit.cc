#include "estimate/distance_fit.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "transfer/rounding.h"

namespace kith::estimate {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kMostPlaces = 400;
constexpr int kScales = 81;  // of b
constexpr double kLargestPower = 50;

std::size_t PlacesOf(const std::vector<std::vector<double>>& axes) {
  std::size_t places = 1;
  for (const auto& axis : axes) places *= axis.size();
  return places;
}

double Distance(const std::vector<std::vector<double>>& axes, std::size_t u, std::size_t v) {
  double sum = 0;
  for (std::size_t k = axes.size(); k-- > 0; u /= axes[k].size(), v /= axes[k].size())
    sum += std::abs(axes[k][u % axes[k].size()] - axes[k][v % axes[k].size()]);
  return sum;
}

/// Where a convex function of c is about least, in [0, kLargestPower].
double Least(const std::function<double(double)>& f) {
  constexpr double kGolden = 0.6180339887498949;
  double low = 0, high = kLargestPower;
  double left = high - kGolden * (high - low), right = low + kGolden * (high - low);
  double at_left = f(left), at_right = f(right);
  for (int step = 0; step < 40; ++step) {
    if (at_left <= at_right) {
      high = right;
      right = left;
      at_right = at_left;
      at_left = f(left = high - kGolden * (high - low));
    } else {
      low = left;
      left = right;
      at_left = at_right;
      at_right = f(right = low + kGolden * (high - low));
    }
  }
  return at_left <= at_right ? left : right;
}

}  // namespace

std::string DistanceFit::Problem(const Places& sample) {
  const std::size_t places = PlacesOf(sample.axes);
  if (sample.axes.empty() || places < 2) return "there must be at least two places";
  if (places > kMostPlaces) return "there are more than 400 places";
  for (const auto& axis : sample.axes) {
    for (std::size_t k = 0; k < axis.size(); ++k) {
      if (!std::isfinite(axis[k]) || (k > 0 && axis[k] <= axis[k - 1])) return "the values of an axis must increase";
    }
  }
  for (const auto& half : sample.counts) {
    if (half.size() != places * places) return "there must be a count for every two places";
    std::int64_t pairs = 0;
    for (const std::int64_t count : half) {
      if (count < 0) return "a count is negative";
      pairs += count;
    }
    if (pairs == 0) return "there must be at least two pairs";
  }
  return {};
}

DistanceFit::DistanceFit(const Places& sample) {
  const std::size_t places = PlacesOf(sample.axes);
  std::vector<std::size_t> class_of(places * places);
  for (std::size_t u = 0; u < places; ++u) {
    for (std::size_t v = 0; v < places; ++v) distances_.push_back(Distance(sample.axes, u, v));
  }
  const std::vector<double> all = distances_;
  std::sort(distances_.begin(), distances_.end());
  distances_.erase(std::unique(distances_.begin(), distances_.end()), distances_.end());
  largest_ = distances_.back();
  around_.assign(places * distances_.size(), 0);
  for (std::size_t k = 0; k < all.size(); ++k) {
    const auto found = std::lower_bound(distances_.begin(), distances_.end(), all[k]);
    class_of[k] = static_cast<std::size_t>(found - distances_.begin());
    around_[k / places * distances_.size() + class_of[k]] += 1;
  }
  for (Half& half : halves_) {
    half.at.assign(distances_.size(), 0);
    half.from.assign(places, 0);
  }
  for (std::size_t h = 0; h < 2; ++h) {
    for (std::size_t k = 0; k < all.size(); ++k) {
      const auto count = static_cast<double>(sample.counts[h][k]);
      for (Half* half : {&halves_[h], &halves_[2]}) {
        half->at[class_of[k]] += count;
        half->from[k / places] += count;
        half->pairs += count;
      }
    }
  }
  for (std::size_t h = 0; h < 3; ++h) best_[h] = Fitted(halves_[h]);
  for (std::size_t h = 0; h < 2; ++h) judged_[h] = LogLikelihood(halves_[h], best_[1 - h]);
}

double DistanceFit::LogLikelihood(const Half& half, const Law& law) const {
  std::vector<double> weight;
  double sum = 0;
  for (std::size_t k = 0; k < distances_.size(); ++k) {
    const double fall = law.c * std::log1p(distances_[k] / law.b);
    weight.push_back(std::exp(-fall));
    sum -= half.at[k] * fall;
  }
  for (std::size_t u = 0; u < half.from.size(); ++u) {
    if (half.from[u] == 0) continue;
    double all = 0;
    for (std::size_t k = 0; k < weight.size(); ++k) all += around_[u * weight.size() + k] * weight[k];
    sum -= half.from[u] * std::log(all);
  }
  return sum;
}

/// A coarse search is enough: the region is valid whatever is taken for the best fit.
DistanceFit::Law DistanceFit::Fitted(const Half& half) const {
  Law best;
  double highest = -kInfinity;
  for (int k = 0; k <= 20; ++k) {
    const double b = largest_ * std::pow(10.0, -3 + 0.2 * k);
    const double c = Least([&](double power) { return -LogLikelihood(half, {b, power}); });
    const double found = LogLikelihood(half, {b, c});
    if (found > highest) {
      highest = found;
      best = {b, c};
    }
  }
  return best;
}

double DistanceFit::Theta(const Law& law) const { return 2 * law.c * std::log1p(largest_ / law.b); }

double DistanceFit::Excess(const Law& law) const {
  const double first = judged_[0] - LogLikelihood(halves_[0], law);
  const double second = judged_[1] - LogLikelihood(halves_[1], law);
  const double larger = std::max(first, second);
  return larger + std::log((std::exp(first - larger) + std::exp(second - larger)) / 2);
}

/// For a given b the excess is convex in c: minus a log likelihood of an exponential family is, and so is the logarithm
/// of a sum of exponentials of such. So the c that belong to the region are an interval.
DistanceFit::Region DistanceFit::Within(double alpha) const {
  // Likelihoods are sums of as many terms as there are pairs, each wrong by a few ulps.
  const double most = std::log(1 / alpha) + 1e-6 + 1e-13 * halves_[2].pairs * (1 + kLargestPower);
  Region region{0, {kInfinity, 0}, {kInfinity, 0}};
  for (int k = 0; k < kScales; ++k) {
    const double b = largest_ * std::pow(10.0, -3 + 4.0 * k / (kScales - 1));
    const auto excess = [&](double c) { return Excess({b, c}); };
    const double centre = Least(excess);
    if (excess(centre) > most) continue;
    const auto end = [&](double outside) {
      if (excess(outside) <= most) return outside;
      double inside = centre;
      for (int step = 0; step < 40; ++step) {
        const double middle = (inside + outside) / 2;
        (excess(middle) <= most ? inside : outside) = middle;
      }
      return outside;
    };
    const double low = end(0), high = end(kLargestPower);
    region.b = {std::min(region.b.lower, b), std::max(region.b.upper, b)};
    region.c = {std::min(region.c.lower, low), std::max(region.c.upper, high)};
    const bool open = k == 0 || high == kLargestPower;
    region.theta = std::max(region.theta, open ? kInfinity : rounding::Widen(Theta({b, high}), 16));
  }
  if (region.b.lower > region.b.upper) return {kInfinity, {0, kInfinity}, {0, kInfinity}};  // no law fits at all
  return region;
}

}  // namespace kith::estimate
