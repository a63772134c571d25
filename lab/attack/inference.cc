#include "attack/inference.h"

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
  if (sum <= 0) {
    for (std::size_t c = 0; c < counts.size(); ++c) sum += prior[c] = weights.empty() || weights[c] > 0 ? 1 : 0;
  }
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

Candidates Candidates::Of(std::span<const double> prior, std::size_t side) {
  Candidates candidates;
  for (std::size_t cell = 0; cell < prior.size(); ++cell) {
    if (cell % side == 0) candidates.row_starts.push_back(candidates.prior.size());
    if (prior[cell] <= 0) continue;
    candidates.prior.push_back(prior[cell]);
    candidates.log_prior.push_back(std::log(prior[cell]));
    candidates.cells.push_back(static_cast<std::uint32_t>(cell));
    candidates.columns.push_back(static_cast<std::uint32_t>(cell % side));
  }
  candidates.row_starts.push_back(candidates.prior.size());
  return candidates;
}

void InferOnGrid(const Candidates& candidates, std::span<const double> log_rows, std::span<const double> log_columns,
                 Inference* into) {
  thread_local std::vector<double> by_row, by_column;
  const auto exponentials = [](std::span<const double> logs, std::vector<double>* out) {
    const double most = *std::max_element(logs.begin(), logs.end());
    out->resize(logs.size());
    for (std::size_t k = 0; k < logs.size(); ++k) (*out)[k] = std::exp(logs[k] - most);
    return most;
  };
  const double taken_out = exponentials(log_rows, &by_row) + exponentials(log_columns, &by_column);
  std::vector<double>& posterior = into->posterior;
  posterior.resize(candidates.prior.size());
  double sum = 0, gained = 0, cross = 0, best = -1;
  std::size_t estimate = 0;
  for (std::size_t row = 0; row < log_rows.size(); ++row) {
    double of_row = 0, gained_in_row = 0, cross_in_row = 0;
    for (std::size_t c = candidates.row_starts[row]; c < candidates.row_starts[row + 1]; ++c) {
      const double weight = candidates.prior[c] * by_column[candidates.columns[c]];
      of_row += weight;
      gained_in_row += weight * log_columns[candidates.columns[c]];
      cross_in_row -= weight * candidates.log_prior[c];
      posterior[c] = weight * by_row[row];
      if (posterior[c] > best) {
        best = posterior[c];
        estimate = c;
      }
    }
    sum += by_row[row] * of_row;
    gained += by_row[row] * (gained_in_row + log_rows[row] * of_row);
    cross += by_row[row] * cross_in_row;
  }
  if (sum < 1e-200) {  // the best row and column meet where nobody can be: products may have vanished
    std::vector<double> logs;
    for (const std::uint32_t cell : candidates.cells)
      logs.push_back(log_rows[cell / log_rows.size()] + log_columns[cell % log_rows.size()]);
    Infer(candidates.prior, logs, into);
    return;
  }
  const double inverse = 1 / sum;
  for (double& p : posterior) p *= inverse;
  const double divergence = gained * inverse - taken_out - std::log(sum);
  into->estimate = estimate;
  into->entropy = cross * inverse - divergence;
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
  if (follow == 0) return loss;
  // Beyond 30 the same with e^loss taken out, which can be larger than any double.
  const double each =
      loss > 30 ? loss + std::log(follow + (1 - follow) * std::exp(-loss)) : std::log1p(follow * std::expm1(loss));
  return loss + static_cast<double>(unknown) * each;
}

}  // namespace kith::attack
