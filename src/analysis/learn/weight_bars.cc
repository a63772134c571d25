#include "analysis/learn/weight_bars.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/derived/public_draws.h"

namespace kith::learn {
namespace {

constexpr double kPushes = 0.951, kFinish = 0.999;  // together a weight is missed with a probability of at most 5 %
constexpr std::size_t kMostNumbers = 4'000'000;

// Of this many draws, the one above which the true quantile is with a probability below 1e-4.
std::size_t RankOf(std::size_t draws) {
  const auto n = static_cast<double>(draws);
  return static_cast<std::size_t>(std::ceil(kPushes * n + 4 * std::sqrt(n * kPushes * (1 - kPushes))));
}

double Ranked(std::vector<double> numbers) {
  const auto at = numbers.begin() + static_cast<std::ptrdiff_t>(RankOf(numbers.size()) - 1);
  std::nth_element(numbers.begin(), at, numbers.end());
  return *at;
}

// The law of the pushes: of each attribute, how many weights it has and the scale of their pushes.
using Pushes = std::vector<std::pair<std::size_t, double>>;

struct Lengths {
  std::vector<double> quantiles;  // of (|b_j| + |b|) / 2 for a weight of each attribute
  double wider = 0;               // how much longer they are for all weights at once
};

Lengths LengthsOf(const Pushes& pushes, std::size_t weights) {
  const std::size_t draws = std::clamp<std::size_t>(kMostNumbers / weights, 1999, 9999);
  // (|b_j| + |b|) / 2, for the first weight of each attribute, and for that of its weights where it is largest.
  std::vector<std::vector<double>> first(pushes.size()), largest(pushes.size());
  PublicDraws bits;
  for (std::size_t draw = 0; draw < draws; ++draw) {
    double square = 0;
    for (std::size_t k = 0; k < pushes.size(); ++k) {
      double most = 0;
      for (std::size_t j = 0; j < pushes[k].first; ++j) {
        const double push = -pushes[k].second * std::log(bits.Uniform());
        if (j == 0) first[k].push_back(push);
        most = std::max(most, push);
        square += push * push;
      }
      largest[k].push_back(most);
    }
    const double length = std::sqrt(square);
    for (auto* numbers : {&first, &largest})
      for (auto& of_one : *numbers) of_one.back() = (of_one.back() + length) / 2;
  }
  Lengths lengths;
  for (const auto& numbers : first) lengths.quantiles.push_back(Ranked(numbers));
  std::vector<double> ratios(draws, 0);
  for (std::size_t k = 0; k < pushes.size(); ++k)
    for (std::size_t draw = 0; draw < draws; ++draw)
      ratios[draw] = std::max(ratios[draw], largest[k][draw] / lengths.quantiles[k]);
  lengths.wider = Ranked(std::move(ratios));
  return lengths;
}

}  // namespace

WeightBars BarsOf(const Shape& shape, const Terms& terms) {
  const auto& attributes = shape.attributes();
  // A real push is no smaller than the drawn one, which is the same rounded towards zero.
  Pushes pushes;
  for (std::size_t k = 0; k < attributes.size(); ++k)
    pushes.emplace_back(attributes[k].weights(), terms.pushes[k].scale() * std::ldexp(1, terms.push_exponent));
  // An answer asks twice, before and after it is paid for, and nothing but the law of the pushes matters: the last one
  // is kept.
  thread_local std::pair<Pushes, Lengths> last;
  if (last.first != pushes) last = {pushes, LengthsOf(pushes, shape.weights())};
  const auto& [quantiles, wider] = last.second;

  const double step = std::ldexp(1, terms.step_exponent), left = terms.slack / terms.pull + step;
  const double one = left + step * terms.finish.ErrorBar(kFinish);
  const double all = left + step * terms.finish.ErrorBarAll(kFinish, shape.weights());
  WeightBars bars;
  for (std::size_t k = 0; k < attributes.size(); ++k) {
    bars.each.insert(bars.each.end(), attributes[k].weights(), quantiles[k] / terms.pull + one);
    bars.all.insert(bars.all.end(), attributes[k].weights(), wider * quantiles[k] / terms.pull + all);
  }
  return bars;
}

}  // namespace kith::learn
