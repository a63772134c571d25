#include "published/information.h"

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <numeric>

#include "base/check.h"
#include "published/laplace_mixture.h"

namespace kith::published {
namespace {

/// Sum over values t of prior_t x_t log(x_t / mean), where mean is the prior average of the x_t.
double Gain(std::span<const double> prior, std::span<const double> x) {
  const double mean = std::inner_product(prior.begin(), prior.end(), x.begin(), 0.0);
  double gain = 0;
  for (std::size_t t = 0; t < prior.size(); ++t) {
    if (x[t] > 0) gain += prior[t] * x[t] * std::log(x[t] / mean);
  }
  return gain;
}

}  // namespace

double Entropy(std::span<const double> law) {
  double entropy = 0;
  for (const double p : law) {
    if (p > 0) entropy -= p * std::log(p);
  }
  return entropy;
}

std::vector<double> Posterior(std::span<const double> prior, std::span<const double> likelihood) {
  KITH_CHECK(prior.size() == likelihood.size());
  std::vector<double> posterior(prior.size());
  for (std::size_t t = 0; t < prior.size(); ++t) posterior[t] = prior[t] * likelihood[t];
  const double sum = std::accumulate(posterior.begin(), posterior.end(), 0.0);
  for (double& p : posterior) p /= sum;
  return posterior;
}

double NoiselessInformation(const Secret& secret) {
  KITH_CHECK(secret.prior.size() == secret.given.size());
  double information = 0;
  std::vector<double> x(secret.prior.size());
  for (std::size_t k = 0; k < GridPoints(secret.axes); ++k) {
    for (std::size_t t = 0; t < x.size(); ++t) x[t] = secret.given[t][k];
    information += Gain(secret.prior, x);
  }
  return information;
}

double LaplaceInformation(const Secret& secret, double scale) {
  KITH_CHECK(secret.axes.size() == 1 && secret.prior.size() == secret.given.size() && scale > 0);
  const Axis& axis = secret.axes[0];
  std::vector<OneSided> sums;
  for (const auto& law : secret.given) sums.push_back(OneSidedSums(axis, law, scale));
  std::vector<double> x(sums.size());
  const auto gain_at = [&](auto&& density) {
    for (std::size_t t = 0; t < x.size(); ++t) x[t] = density(sums[t]);
    return Gain(secret.prior, x);
  };
  // Beyond the support all densities fall alike: each tail weighs half of its value at the end.
  double information = (gain_at([](const OneSided& s) { return s.right.front(); }) +
                        gain_at([](const OneSided& s) { return s.left.back(); })) /
                       2;
  for (std::size_t k = 0; k + 1 < axis.size(); ++k) {
    const double gap = axis[k + 1] - axis[k];
    const double pieces = std::ceil(std::min(gap / scale, 80.0));  // further in, both sides have died out
    for (double piece = 0; piece < pieces; ++piece) {
      information += boost::math::quadrature::gauss<double, 30>::integrate(
          [&](double u) {
            return gain_at([&](const OneSided& s) {
              return (s.left[k] * std::exp(-u / scale) + s.right[k + 1] * std::exp(-(gap - u) / scale)) / (2 * scale);
            });
          },
          gap * piece / pieces, gap * (piece + 1) / pieces);
    }
  }
  return information;
}

double LargestDivergence(const Secret& secret, double scale) {
  KITH_CHECK(secret.prior.size() == secret.given.size());
  std::vector<std::vector<double>> logs;
  for (const auto& law : secret.given) logs.push_back(LogMixture(secret.axes, law, scale));
  double largest = 0;
  for (std::size_t k = 0; k < GridPoints(secret.axes); ++k) {
    double mean_log = 0;
    double top = logs[0][k];
    for (const auto& law : logs) top = std::max(top, law[k]);
    double mean = 0;
    for (std::size_t t = 0; t < logs.size(); ++t) {
      mean_log += secret.prior[t] * (logs[t][k] - top);
      mean += secret.prior[t] * std::exp(logs[t][k] - top);
    }
    largest = std::max(largest, std::log(mean) - mean_log);
  }
  return largest;
}

}  // namespace kith::published
