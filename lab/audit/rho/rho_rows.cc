#include "audit/rho/rho_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "loss/loss_text.h"
#include "published/bayesian_leakage.h"
#include "published/gaussian_model.h"
#include "published/renyi.h"

namespace kith::audit {
namespace {

using published::ListedLaw;
using published::Secret;

constexpr std::size_t kMostRecords = 6, kMostRows = 512;

published::Matrix Covariances(const ListedLaw& law) {
  const std::size_t n = law[0].values.size();
  std::vector<double> mean(n, 0.0);
  for (const auto& row : law) {
    for (std::size_t i = 0; i < n; ++i) mean[i] += row.p * row.values[i];
  }
  published::Matrix covariances(n, std::vector<double>(n, 0.0));
  for (const auto& row : law) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j)
        covariances[i][j] += row.p * (row.values[i] - mean[i]) * (row.values[j] - mean[j]);
    }
  }
  return covariances;
}

double LargestRange(const ListedLaw& law) {
  double range = 0;
  for (std::size_t i = 0; i < law[0].values.size(); ++i) {
    const auto less = [i](const auto& a, const auto& b) { return a.values[i] < b.values[i]; };
    const auto [least, most] = std::minmax_element(law.begin(), law.end(), less);
    range = std::max(range, most->values[i] - least->values[i]);
  }
  return range;
}

/// The smallest epsilon that orders up to 64 give at this delta.
double GaussianEpsilon(const std::vector<Secret>& secrets, double deviation, double delta) {
  double best = std::numeric_limits<double>::infinity();
  for (const double alpha : {2.0, 4.0, 8.0, 16.0, 32.0, 64.0}) {
    double worst = 0;
    for (const Secret& secret : secrets) {
      for (const auto& p : secret.given) {
        for (const auto& q : secret.given) {
          if (&p != &q) worst = std::max(worst, published::GaussianRenyi(alpha, secret.axes[0], p, q, deviation));
        }
      }
    }
    best = std::min(best, published::RenyiToEpsilon(alpha, worst, delta));
  }
  return best;
}

std::string Numbers(const std::vector<std::size_t>& records) {
  std::string list;
  for (const std::size_t record : records) list += (list.empty() ? "record " : ", ") + std::to_string(record);
  return list.empty() ? "no other record" : list;
}

}  // namespace

std::vector<std::string> MoreOnRows(const ListedLaw& law, double scale) {
  std::vector<std::string> found;
  if (law.empty() || law.size() > kMostRows || law[0].values.size() > kMostRecords) return found;
  if (const auto all = published::AllLeakages(law, published::Sum, scale); all && !all->empty()) {
    const auto less = [](const auto& a, const auto& b) { return a.loss < b.loss; };
    const auto worst = std::max_element(all->begin(), all->end(), less);
    found.push_back(fmt::format(
        "at the noise of Eq. 14, of all that somebody may know, {} is worst: a loss of {} about record {} (Bayesian "
        "differential privacy, Yang, Sato, Nakagawa 2015)",
        Numbers(worst->known), LossText(worst->loss), worst->record));
  }
  const published::Matrix covariances = Covariances(law);
  const std::size_t n = covariances.size();
  bool varies = true;
  for (std::size_t i = 0; i < n; ++i) varies = varies && covariances[i][i] > 0;
  if (varies) {
    const auto shift = published::GaussianShiftOf(covariances, std::vector<double>(n, 1.0), LargestRange(law));
    found.push_back(
        fmt::format("if the records were jointly Gaussian with these covariances, a change of one over the largest "
                    "range would move "
                    "the sum by at most {}, and that alone would decide the noise",
                    LossText(shift.worst)));
  }
  const auto secrets = Secrets(law, published::Sum);
  if (secrets && !secrets->empty()) {
    const double deviation = std::sqrt(2.0) * scale;
    found.push_back(
        fmt::format("Gaussian noise of the same variance would be ({}, 1e-6)-private about every record, by Renyi "
                    "divergences up to order 64",
                    LossText(GaussianEpsilon(*secrets, deviation, 1e-6))));
  }
  return found;
}

}  // namespace kith::audit
