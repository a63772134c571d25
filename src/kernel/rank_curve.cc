#include "kernel/rank_curve.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace kith {
namespace {

// ln E[e^(t X)] of discrete Laplace noise of this scale, 0 < t < 1 / scale.
double LogMoment(double scale, double t) {
  const auto rest = [](double x) { return std::log(-std::expm1(x)); };  // ln(1 - e^x), x < 0
  return 2 * rest(-1 / scale) - rest(t - 1 / scale) - rest(-t - 1 / scale);
}

}  // namespace

// Chernoff: for every t the sum exceeds x with probability at most e^(terms * ln E[e^(t weight X)] - t x).
double RankCurve::Beyond(const Noise& noise, double weight, std::size_t terms, double chance) {
  const double scale = noise.scale();
  if (scale == 0) return 0;
  const auto bound = [&](double part) {  // t = part / (scale * weight)
    const double t = part / scale;
    return (static_cast<double>(terms) * LogMoment(scale, t) - std::log(chance)) * weight / t;
  };
  // On a grid. It falls and then rises, since a logarithm of moments is convex; beside the turn rounding might decide.
  constexpr int kParts = 400, kBeside = 3;
  const auto at = [&](int k) { return bound(static_cast<double>(k) / kParts); };
  int low = 1, high = kParts - 1;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (at(middle) <= at(middle + 1))
      high = middle;
    else
      low = middle + 1;
  }
  double best = at(low);
  for (int k = std::max(1, low - kBeside); k <= std::min(kParts - 1, low + kBeside); ++k) best = std::min(best, at(k));
  return best * (1 + 1e-6);  // far more than rounding can take away
}

Result<Sensitivities> RankCurve::ChangeOfRows(const Quantile& quantile, const Sensitivities& change) {
  return Sensitivities::OfL1((change.l1().steps() + quantile.den - 1) / quantile.den);
}

RankCurve::RankCurve(const Quantile& quantile, const Noise& noise)
    : noise_(noise), candidates_(quantile.candidates.size()) {
  const double rank = static_cast<double>(quantile.num) / static_cast<double>(quantile.den);
  weight_ = std::max(rank, 1 - rank);
  const auto tails = static_cast<double>(EndsOf(quantile).Chosen()) * static_cast<double>(quantile.together);
  if (tails > 0) reach_ = Beyond(noise_, weight_, candidates_, 0.05 / tails);
}

double RankCurve::rank_error(std::size_t groups) const {
  const double events = 2 * static_cast<double>(candidates_) * static_cast<double>(groups);
  return std::max(reach_, Beyond(noise_, weight_, candidates_, 0.05 / events));
}

std::vector<RankCurve::Chosen> RankCurve::Release(const Quantile& quantile, std::span<const std::int64_t> rows_at,
                                                  BitSource& bits) const {
  return Read(quantile, Measure(rows_at, bits));
}

std::vector<Int128> RankCurve::Measure(std::span<const std::int64_t> rows_at, BitSource& bits) const {
  std::vector<Int128> noisy;
  noisy.reserve(rows_at.size());
  for (const std::int64_t rows : rows_at) noisy.push_back(noise_.Release(rows, bits));
  return noisy;
}

std::vector<RankCurve::Chosen> RankCurve::Read(const Quantile& quantile, std::span<const Int128> noisy_rows) const {
  const std::size_t candidates = quantile.candidates.size();
  KITH_CHECK(candidates == candidates_ && noisy_rows.size() % candidates == 0);
  const auto in_parts = [&](double rows) {
    return static_cast<Int128>(std::ceil(std::min(rows, 0x1p60) * static_cast<double>(quantile.den)));
  };
  const Int128 reach = in_parts(reach_), margin = in_parts(rank_error(1));
  const RankEnds ends = EndsOf(quantile);
  std::vector<Chosen> chosen;
  std::vector<Int128> above(candidates);  // rows up to a candidate, less the wanted rank; in 1/den rows
  for (std::size_t at = 0; at < noisy_rows.size(); at += candidates) {
    Int128 rows = 0;
    for (std::size_t v = 0; v < candidates; ++v) {
      rows += noisy_rows[at + v];
      above[v] = rows * quantile.den;
    }
    for (Int128& each : above) each -= rows * quantile.num;
    // The value's rank is kept away from both ends, as in RankDistances.
    Int128 wanted = 0;
    if (rows > 0) {
      const Int128 middle = rows * (quantile.den / 2), end = rows * quantile.den;
      wanted = std::clamp(rows * quantile.num, std::min(margin, middle), std::max(end - margin, middle)) -
               rows * quantile.num;
    }
    std::size_t value = 0, low = 0, high = candidates;
    while (value + 1 < candidates && above[value] < wanted) ++value;
    while (low + 1 < candidates && above[low] <= -quantile.num - reach) ++low;
    while (high > 0 && above[high - 1] >= quantile.den - quantile.num + reach) --high;
    high = std::min(high, candidates - 1);
    Chosen& of_group = chosen.emplace_back();
    of_group.value = quantile.candidates[value];
    of_group.ends = {ends.low ? quantile.candidates[low] : quantile.candidates.front(),
                     ends.high ? quantile.candidates[high] : quantile.candidates.back()};
  }
  return chosen;
}

}  // namespace kith
