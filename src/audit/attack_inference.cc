#include "audit/attack_inference.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"

namespace kith::attack {

std::vector<double> Prior(std::span<const double> counts, std::span<const double> weights, double smoothing) {
  KITH_CHECK(!counts.empty() && (weights.empty() || weights.size() == counts.size()) && smoothing >= 0);
  std::vector<double> prior(counts.size());
  double sum = 0;
  for (std::size_t c = 0; c < counts.size(); ++c) {
    prior[c] = (weights.empty() ? 1 : weights[c]) * (counts[c] + smoothing);
    sum += prior[c];
  }
  if (sum <= 0) return std::vector<double>(counts.size(), 1 / static_cast<double>(counts.size()));
  for (double& p : prior) p /= sum;
  return prior;
}

void Infer(std::span<const double> prior, std::span<const double> log_likelihood, Inference* into) {
  KITH_CHECK(prior.size() == log_likelihood.size());
  constexpr double kNothing = -std::numeric_limits<double>::infinity();
  double most = kNothing;
  for (std::size_t c = 0; c < prior.size(); ++c) {
    if (prior[c] > 0) most = std::max(most, log_likelihood[c]);
  }
  KITH_CHECK(std::isfinite(most));
  std::vector<double>& posterior = into->posterior;
  posterior.resize(prior.size());
  // With the largest log likelihood taken out, the sum is at least the prior of the candidate that has it.
  double sum = 0;
  for (std::size_t c = 0; c < prior.size(); ++c) {
    posterior[c] = prior[c] > 0 ? prior[c] * std::exp(log_likelihood[c] - most) : 0;
    sum += posterior[c];
  }
  const double log_sum = std::log(sum);
  double divergence = 0, entropy = 0;
  std::size_t estimate = 0;
  for (std::size_t c = 0; c < prior.size(); ++c) {
    posterior[c] /= sum;
    if (posterior[c] > posterior[estimate]) estimate = c;
    if (posterior[c] <= 0) continue;
    const double log_factor = log_likelihood[c] - most - log_sum;  // log of posterior / prior
    divergence += posterior[c] * log_factor;
    entropy -= posterior[c] * (log_factor + std::log(prior[c]));
  }
  into->estimate = estimate;
  into->entropy = entropy;
  into->divergence = std::max(0.0, divergence);
}

double EntropyOf(std::span<const double> law) {
  double entropy = 0;
  for (const double p : law) entropy -= p > 0 ? p * std::log(p) : 0;
  return entropy;
}

double DivergenceOf(std::span<const double> p, std::span<const double> q) {
  KITH_CHECK(p.size() == q.size());
  double divergence = 0;
  for (std::size_t c = 0; c < p.size(); ++c) divergence += p[c] > 0 ? p[c] * std::log(p[c] / q[c]) : 0;
  return std::max(0.0, divergence);
}

std::size_t MostLikely(std::span<const double> law) {
  return static_cast<std::size_t>(std::max_element(law.begin(), law.end()) - law.begin());
}

double FollowedLoss(double loss, std::size_t unknown, double follow) {
  return loss + static_cast<double>(unknown) * std::log1p(follow * std::expm1(loss));
}

}  // namespace kith::attack
