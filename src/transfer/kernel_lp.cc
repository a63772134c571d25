#include "transfer/kernel_lp.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <utility>

#include "base/check.h"
#include "base/meter.h"
#include "transfer/kernel_weights.h"
#include "transfer/rounding.h"

namespace kith {
namespace {

using namespace rounding;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// For every value z the largest K(z) when E_q[K] = 1: K(z') <= 1/q(z') there, and arcs pass it on. Shortest paths.
std::vector<double> LargestKernel(std::span<const double> q, const std::vector<KernelArc>& arcs) {
  std::vector<std::vector<std::pair<std::uint32_t, double>>> above(q.size());
  for (const auto& arc : arcs) above[arc.lower].emplace_back(arc.upper, arc.factor);
  std::vector<double> largest(q.size(), kInfinity);
  using Entry = std::pair<double, std::uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  for (std::uint32_t z = 0; z < q.size(); ++z) {
    if (q[z] > 0) queue.emplace(largest[z] = DivUp(1, q[z]), z);
  }
  while (!queue.empty()) {
    Meter::Look();
    const auto [value, z] = queue.top();
    queue.pop();
    if (value > largest[z]) continue;
    for (const auto& [upper, factor] : above[z]) {
      const double passed = MulUp(value, factor);
      if (passed < largest[upper]) queue.emplace(largest[upper] = passed, upper);
    }
  }
  return largest;
}

/// By weak duality E_p[K] <= ratio E_q[K] + sum over z of (what the weights leave uncovered at z) * K(z).
double ProvedRatio(std::span<const double> p, std::span<const double> q, const std::vector<KernelArc>& arcs,
                   const std::vector<double>& largest, const KernelWeights& dual) {
  const auto negative = [](double weight) { return !(weight >= 0 && std::isfinite(weight)); };
  if (dual.arcs.size() != arcs.size() || negative(dual.ratio)) return kInfinity;
  if (std::any_of(dual.arcs.begin(), dual.arcs.end(), negative)) return kInfinity;
  // p(z) - weights of arcs with upper z + factor * weights of arcs with lower z; and the same with plus signs, for the
  // rounding.
  std::vector<double> left(p.begin(), p.end());
  std::vector<double> magnitude(left);
  std::vector<double> terms(p.size(), 2);
  for (std::size_t k = 0; k < arcs.size(); ++k) {
    if (dual.arcs[k] == 0) continue;
    const double passed = arcs[k].factor * dual.arcs[k];
    left[arcs[k].upper] -= dual.arcs[k];
    left[arcs[k].lower] += passed;
    magnitude[arcs[k].upper] += dual.arcs[k];
    magnitude[arcs[k].lower] += passed;
    terms[arcs[k].upper] += 1;
    terms[arcs[k].lower] += 2;
  }
  double uncovered = 0;
  for (std::size_t z = 0; z < p.size(); ++z) {
    const double error = terms[z] * std::numeric_limits<double>::epsilon() * magnitude[z];
    const double gap = NextUp(NextUp(left[z] + error) - Narrow(dual.ratio * q[z], 1));
    if (!(gap <= 0)) uncovered = AddUp(uncovered, MulUp(gap, largest[z]));  // also where it is no number
  }
  return AddUp(dual.ratio, uncovered);
}

/// Whether kernels are bounded by numbers that can be computed with.
bool Bounded(const std::vector<double>& largest) {
  return std::all_of(largest.begin(), largest.end(), [](double k) { return k < 1e150; });
}

double LogOf(double ratio) { return std::isnan(ratio) ? kInfinity : LogUp(std::max(1.0, ratio)); }

}  // namespace

double ProvedLogRatio(std::span<const double> p, std::span<const double> q, const std::vector<KernelArc>& arcs,
                      const KernelWeights& weights) {
  const std::vector<double> largest = LargestKernel(q, arcs);
  if (!Bounded(largest)) return kInfinity;
  return LogOf(ProvedRatio(p, q, arcs, largest, weights));
}

double LargestLogRatio(std::span<const double> p, std::span<const double> q, const std::vector<KernelArc>& arcs,
                       KernelWeights* proof) {
  KITH_CHECK(p.size() == q.size());
  if (std::equal(p.begin(), p.end(), q.begin())) return 0;
  const std::vector<double> largest = LargestKernel(q, arcs);
  if (!Bounded(largest)) return kInfinity;
  auto weights = FindWeights(p, q, arcs, largest);
  if (!weights) return kInfinity;
  weights->ratio *= 1 + 1e-13;  // covers the rounding of almost every line, which is cheaper than paying for each
  const double proved = LogOf(ProvedRatio(p, q, arcs, largest, *weights));
  if (proof != nullptr) *proof = std::move(*weights);
  return proved;
}

}  // namespace kith
