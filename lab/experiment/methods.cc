#include "experiment/methods.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>

#include "base/check.h"

namespace kith::experiment {

const std::vector<Method>& Methods() {
  static const std::vector<Method> kMethods = {
      {"plain", "laplace", "plain differential privacy: dependence is ignored", true},
      {"dpm", "dpm-eq18", "dependent perturbation as published (Eqs. 18, 23-26); not proved on a connected graph",
       false},
      {"zhu", "", "correlated sensitivity (Zhu et al. 2015), Pearson correlations of at least 0.5; no guarantee",
       false},
      {"baseline", "baseline", "as published: all records as one group (Theorem 7 with L = number of records)", false},
      {"group", "group", "group privacy: everybody in one connected part of the graph moves together", true},
      {"star", "star",
       "kith's star bound; proved only if all other records are independent of each other given the record: not on a "
       "larger connected graph",
       true},
      {"field", "field", "kith's field bound; proved for every Markov random field with these strengths", true},
  };
  return kMethods;
}

const Method& MethodCalled(const std::string& name) {
  for (const Method& method : Methods()) {
    if (method.name == name) return method;
  }
  KITH_CHECK(false);
}

double CorrelatedFactor(const std::vector<double>& rows, std::size_t dimension, double threshold, unsigned threads) {
  const std::size_t count = rows.size() / dimension;
  std::vector<float> unit(rows.size(), 0);  // centred, length 1: a correlation is a product
  for (std::size_t i = 0; i < count; ++i) {
    const double* row = &rows[i * dimension];
    double mean = 0, square = 0;
    for (std::size_t k = 0; k < dimension; ++k) mean += row[k] / static_cast<double>(dimension);
    for (std::size_t k = 0; k < dimension; ++k) square += (row[k] - mean) * (row[k] - mean);
    for (std::size_t k = 0; k < dimension && square > 1e-18; ++k)
      unit[i * dimension + k] = static_cast<float>((row[k] - mean) / std::sqrt(square));
  }
  if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
  std::vector<double> worst(threads, 1);
  const auto work = [&](unsigned thread) {
    for (std::size_t i = thread; i < count; i += threads) {
      double sum = 1;
      const float* mine = &unit[i * dimension];
      for (std::size_t j = 0; j < count; ++j) {
        float product = 0;
        for (std::size_t k = 0; k < dimension; ++k) product += mine[k] * unit[j * dimension + k];
        const double degree = std::min(1.0, std::abs(static_cast<double>(product)));
        if (j != i && degree >= threshold) sum += degree;
      }
      worst[thread] = std::max(worst[thread], sum);
    }
  };
  std::vector<std::thread> others;
  for (unsigned t = 1; t < threads; ++t) others.emplace_back(work, t);
  work(0);
  for (auto& other : others) other.join();
  return *std::max_element(worst.begin(), worst.end());
}

attack::Estimate MeanShare(const std::vector<double>& shares) {
  auto estimate = attack::EstimateOf(shares);
  estimate.low = std::max(0.0, estimate.low);
  estimate.high = std::min(1.0, estimate.high);
  return estimate;
}

Result<attack::Friends> NeighboursOf(const Affinity& affinity, unsigned threads, const CancelFlag& cancel) {
  if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
  attack::Friends later(affinity.records());
  std::atomic<std::uint64_t> edges{0};
  const auto done = affinity.ForEach(
      [&](unsigned, std::uint32_t record, std::span<const std::uint32_t> partners) {
        if ((edges += partners.size()) <= kMaxEdges) later[record].assign(partners.begin(), partners.end());
      },
      threads, cancel);
  if (!done) return done.error();
  if (edges > kMaxEdges)
    return InvalidArgument("nearly all records are similar to each other", "affinity", "raise the threshold");
  attack::Friends neighbours(affinity.records());
  for (std::uint32_t a = 0; a < later.size(); ++a) {
    for (const std::uint32_t b : later[a]) neighbours[b].push_back(a);  // increasing, all before b
  }
  for (std::uint32_t a = 0; a < later.size(); ++a)
    neighbours[a].insert(neighbours[a].end(), later[a].begin(), later[a].end());
  return neighbours;
}

Result<Noise> Noise::Make(attack::Calibration calibration, double zhu_factor) {
  return Noise(std::move(calibration), zhu_factor);
}

Result<double> Noise::PlainLoss(const Method& method, double epsilon) {
  if (method.calibration.empty()) return epsilon / zhu_factor_;
  const auto key = std::make_pair(method.name, epsilon);
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  const auto plain = method.name == "field" ? OfField(epsilon) : calibration_.PlainLoss(method.calibration, epsilon);
  if (plain) known_.emplace(key, *plain);
  return plain;
}

Result<double> Noise::OfField(double epsilon) {
  // The field's bound is never above the group's, so what the group allows is allowed. One look at the field shows
  // whether it would allow more than 1 % more; on a well connected graph it does not, and a search would take minutes.
  const auto group = calibration_.PlainLoss("group", epsilon);
  if (!group || field_as_group_) return group;
  const auto promised = calibration_.Promised("field", 1.01 * *group);
  if (!promised) return promised;
  field_as_group_ = *promised > epsilon;
  if (field_as_group_) return group;
  return calibration_.PlainLoss("field", epsilon);
}

Result<double> Noise::Promised(const Method& method, double plain) {
  if (!method.calibration.empty()) return calibration_.Promised(method.calibration, plain);
  return plain * zhu_factor_;
}

Result<std::string> Noise::Describe(double epsilon) {
  std::string text;
  for (const Method& method : Methods()) {
    const auto plain = PlainLoss(method, epsilon);
    if (!plain) return plain.error();
    text += fmt::format("{}{} {:.4g}", text.empty() ? "" : ", ", method.name, epsilon / *plain);
  }
  return fmt::format("Noise as a multiple of the plain one at epsilon {}: {}.", epsilon, text);
}

}  // namespace kith::experiment
