#include "published/many_answers.h"

#include <cmath>
#include <numbers>

#include "published/compare.h"
#include "published/renyi.h"

namespace kith::published {
namespace {

constexpr double kRootTwo = std::numbers::sqrt2;

/// Normal noise for one answer that moves by `shift` between any two values of a secret, by the best Renyi order.
double RenyiNoise(double shift, double epsilon, double delta) {
  const auto reaches = [&](double noise) {
    for (double alpha = 1.01; alpha < 1000; alpha *= 1.02) {
      if (RenyiToEpsilon(alpha, GaussianRenyiBound(alpha, shift, noise), delta) <= epsilon) return true;
    }
    return false;
  };
  double low = 0, high = shift;
  while (high > 0 && std::isfinite(high) && !reaches(high)) high *= 2;
  for (int round = 0; round < 40; ++round) {
    const double middle = (low + high) / 2;
    (reaches(middle) ? high : low) = middle;
  }
  return high;
}

/// What others ask for one count, as standard deviations.
struct Others {
  std::optional<double> quilt, wasserstein, renyi;
};

Result<Others> OthersFor(const Transfer& transfer, double epsilon, double delta) {
  Others others;
  if (transfer.known()) return others;
  const auto methods = CompareForCount(transfer.model(), epsilon);
  if (!methods) return methods.error();
  for (const Method& m : *methods) {
    if (m.name == "markov quilt") others.quilt = kRootTwo * m.scale;
    if (m.name != "wasserstein") continue;
    others.wasserstein = kRootTwo * m.scale;
    others.renyi = RenyiNoise(m.scale * epsilon, epsilon, delta);
  }
  return others;
}

}  // namespace

Result<std::vector<ManyAnswers>> NoiseByEveryMethod(const Transfer& transfer, double epsilon, double delta,
                                                    std::span<const std::int64_t> counts) {
  const auto own = NoiseOfManyAnswers(transfer, epsilon, delta, counts);
  if (!own) return own.error();
  const auto others = OthersFor(transfer, epsilon, delta);
  if (!others) return others.error();
  std::vector<ManyAnswers> rows;
  for (const kith::ManyAnswers& one : *own) {
    ManyAnswers& row = rows.emplace_back(ManyAnswers{one, {}, {}, {}});
    if (others->quilt) row.quilt = *others->quilt * static_cast<double>(row.counts);
    if (row.counts > 1) continue;
    row.wasserstein = others->wasserstein;
    row.renyi = others->renyi;
  }
  return rows;
}

std::vector<NamedModel> ModelsOfManyAnswers() {
  Field regular;  // no triangles: what ten ties each can do at most
  regular.nodes = 2003;
  for (std::int64_t i = 0; i < regular.nodes; ++i) {
    for (const std::int64_t d : {1, 9, 81, 729, 200})
      regular.edges.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>((i + d) % regular.nodes), .1});
  }
  return {{"independent", Independent{}},
          {"twins, odds ratio 40", Group{2, {{"", 40.0}}}},
          {"households of six, odds ratio 4", Group{6, {{"", 4.0}}}},
          {"chain of 100 steps", Chain{{{.8, .2}, {.3, .7}}, {.6, .4}, 100}},
          {"ten ties each, strength 0.1", std::move(regular)}};
}

}  // namespace kith::published
