// Likelihoods of candidates: see attack/query.h.
#include <algorithm>
#include <cmath>
#include <utility>

#include "attack/query.h"
#include "base/check.h"

namespace kith::attack {
namespace {

/// log of the probabilities of 0 .. n followers among n friends, each with probability p in (0, 1).
std::vector<double> LogBinomial(std::size_t n, double p) {
  std::vector<double> log_p(n + 1);
  for (std::size_t m = 0; m <= n; ++m) {
    const double a = static_cast<double>(m), b = static_cast<double>(n - m);
    log_p[m] = std::lgamma(a + b + 1) - std::lgamma(a + 1) - std::lgamma(b + 1) + a * std::log(p) + b * std::log1p(-p);
  }
  return log_p;
}

/// log(e^a + e^b).
double LogAdd(double a, double b) {
  const double high = std::max(a, b);
  return std::isinf(high) ? high : high + std::log1p(std::exp(std::min(a, b) - high));
}

}  // namespace

View::View(const Query& query, std::vector<bool> known, double follow)
    : query_(query), known_(std::move(known)), follow_(follow) {
  KITH_CHECK((known_.empty() || known_.size() == query.users()) && follow >= 0 && follow < 1);
  const std::size_t width = 2 * query.q(), cells = query.side() * query.side();
  sums_.assign(query.clusters() * width, 0);
  members_.assign(query.clusters(), 0);
  counts_.assign(query.q() * cells, 0);
  for (std::size_t i = 0; i < query.users(); ++i) {
    if (!Knows(i)) continue;
    ++known_users_;
    ++members_[query.ClusterOf(i)];
    for (std::size_t d = 0; d < width; ++d) sums_[query.ClusterOf(i) * width + d] += query.scaled()[i * width + d];
    for (std::size_t l = 0; l < query.q(); ++l) ++counts_[l * cells + query.CellOf(i, l)];
  }
}

void View::CountOthers(std::size_t user, std::size_t rank, std::vector<double>* counts) const {
  const std::size_t cells = query_.side() * query_.side();
  const auto begin = counts_.begin() + static_cast<std::ptrdiff_t>(rank * cells);
  counts->assign(begin, begin + static_cast<std::ptrdiff_t>(cells));
  if (Knows(user)) --(*counts)[query_.CellOf(user, rank)];
}

std::vector<std::size_t> View::UnknownFriends(std::size_t user, const Friends& friends) const {
  std::vector<std::size_t> unknown(query_.clusters(), 0);
  if (follow_ == 0 || user >= friends.size()) return unknown;
  for (const std::uint32_t other : friends[user]) {
    if (!Knows(other)) ++unknown[query_.ClusterOf(other)];
  }
  return unknown;
}

void View::LogLikelihood(std::size_t user, std::size_t rank, const Observed& observed,
                         std::span<const std::size_t> unknown, std::span<const std::uint32_t> cells,
                         std::vector<double>* log_likelihood) const {
  log_likelihood->assign(cells.size(), 0.0);
  if (query_.question() == Question::kCellCounts) {
    OfCounts(user, rank, observed, unknown[0], cells, log_likelihood);
  } else {
    OfCentroids(user, rank, observed, unknown, cells, log_likelihood);
  }
}

/// One cluster, with everybody but the candidates at the mean of those who are known.
struct View::Part {
  double size, mean_lat, mean_lon, lat, lon, scale;  // lat, lon: as observed
};

View::Part View::PartOf(std::size_t user, std::size_t rank, const Observed& observed, std::size_t cluster) const {
  const std::size_t width = 2 * query_.q(), at = cluster * width + 2 * rank;
  const bool leave_out = cluster == query_.ClusterOf(user) && Knows(user);
  const double known = static_cast<double>(members_[cluster]) - (leave_out ? 1 : 0);
  const auto mean = [&](std::size_t d) {
    const double mine = leave_out ? query_.scaled()[user * width + 2 * rank + d] : 0;
    return known > 0 ? (sums_[at + d] - mine) / known : 0.5;
  };
  return {static_cast<double>(query_.SizeOf(cluster)), mean(0), mean(1), observed.noisy[at], observed.noisy[at + 1],
          query_.unit_scales()[at] / observed.plain};
}

void View::LogOfPart(const Part& part, double there, std::vector<double>* rows, std::vector<double>* columns) const {
  const std::size_t side = query_.side();
  rows->resize(side);
  columns->resize(side);
  const double rest_lat = part.lat - part.mean_lat * (part.size - there) / part.size;
  const double rest_lon = part.lon - part.mean_lon * (part.size - there) / part.size;
  for (std::size_t m = 0; m < side; ++m) {
    (*rows)[m] = -std::abs(rest_lat - there * query_.rows()[m] / part.size) / part.scale;
    (*columns)[m] = -std::abs(rest_lon - there * query_.columns()[m] / part.size) / part.scale;
  }
}

bool View::OnGrid(std::span<const std::size_t> unknown) const {
  return query_.question() == Question::kCentroids &&
         std::all_of(unknown.begin(), unknown.end(), [](std::size_t k) { return k == 0; });
}

void View::LogLikelihoodOnGrid(std::size_t user, std::size_t rank, const Observed& observed,
                               std::vector<double>* log_rows, std::vector<double>* log_columns) const {
  LogOfPart(PartOf(user, rank, observed, query_.ClusterOf(user)), 1, log_rows, log_columns);
}

void View::OfCentroids(std::size_t user, std::size_t rank, const Observed& observed,
                       std::span<const std::size_t> unknown, std::span<const std::uint32_t> cells,
                       std::vector<double>* log_likelihood) const {
  const std::size_t side = query_.side();
  std::vector<double> rows, columns;
  for (std::size_t k = 0; k < query_.clusters(); ++k) {
    const double self = k == query_.ClusterOf(user) ? 1 : 0;
    if (self == 0 && unknown[k] == 0) continue;  // the same for every candidate
    const Part part = PartOf(user, rank, observed, k);
    if (unknown[k] == 0) {
      LogOfPart(part, self, &rows, &columns);
      for (std::size_t c = 0; c < cells.size(); ++c)
        (*log_likelihood)[c] += rows[cells[c] / side] + columns[cells[c] % side];
      continue;
    }
    AddMixture(part, self, LogBinomial(unknown[k], follow_), cells, log_likelihood);
  }
}

void View::AddMixture(const Part& part, double self, std::span<const double> log_p,
                      std::span<const std::uint32_t> cells, std::vector<double>* log_likelihood) const {
  const std::size_t side = query_.side();
  const auto there = [&](std::size_t m) { return self + static_cast<double>(m); };
  thread_local std::vector<double> rows, columns, sum;
  // Terms are products of a row's and a column's exponential; the largest one that can occur is taken out.
  const auto top = [&](std::size_t m) {
    return log_p[m] + *std::max_element(rows.begin(), rows.end()) + *std::max_element(columns.begin(), columns.end());
  };
  double most = -INFINITY;
  for (std::size_t m = 0; m < log_p.size(); ++m) {
    LogOfPart(part, there(m), &rows, &columns);
    most = std::max(most, top(m));
  }
  sum.assign(cells.size(), 0);
  for (std::size_t m = 0; m < log_p.size(); ++m) {
    LogOfPart(part, there(m), &rows, &columns);
    if (top(m) - most < -100) continue;  // if it matters for a cell, the cell is done again below
    for (double& log : rows) log = std::exp(log + log_p[m] - most);
    for (double& log : columns) log = std::exp(log);
    for (std::size_t c = 0; c < cells.size(); ++c) sum[c] += rows[cells[c] / side] * columns[cells[c] % side];
  }
  for (std::size_t c = 0; c < cells.size(); ++c) {
    if (sum[c] > 1e-20) {  // what was left out is below 1e-40 for each term
      (*log_likelihood)[c] += most + std::log(sum[c]);
      continue;
    }
    double log_sum = -INFINITY;
    for (std::size_t m = 0; m < log_p.size(); ++m) {
      LogOfPart(part, there(m), &rows, &columns);
      log_sum = LogAdd(log_sum, log_p[m] + rows[cells[c] / side] + columns[cells[c] % side]);
    }
    (*log_likelihood)[c] += log_sum;
  }
}

void View::OfCounts(std::size_t user, std::size_t rank, const Observed& observed, std::size_t unknown,
                    std::span<const std::uint32_t> cells, std::vector<double>* log_likelihood) const {
  const std::size_t of_rank = rank * query_.side() * query_.side();
  const double others = static_cast<double>(query_.users()) - 1;
  const double known = static_cast<double>(known_users_) - (Knows(user) ? 1 : 0);
  const double factor = known > 0 ? others / known : 0;
  const auto log_p = unknown > 0 ? LogBinomial(unknown, follow_) : std::vector<double>{0.0};
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const std::size_t n = of_rank + cells[c];
    const double mine = Knows(user) && query_.CellOf(user, rank) == cells[c] ? 1 : 0;
    const double rest = observed.noisy[n] - factor * (counts_[n] - mine);  // what is not explained by others
    const double scale = query_.unit_scales()[n] / observed.plain;
    double sum = -INFINITY;
    for (std::size_t m = 0; m < log_p.size(); ++m) {
      sum = LogAdd(sum, log_p[m] - (std::abs(rest - 1 - static_cast<double>(m)) - std::abs(rest)) / scale);
    }
    (*log_likelihood)[c] = sum;
  }
}

}  // namespace kith::attack
