#include "published/many_answers.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "published/compare.h"
#include "published/renyi.h"
#include "transfer/gaussian/probit.h"

namespace kith::published {
namespace {

constexpr double kRootTwo = std::numbers::sqrt2;

/// The largest charge of each of this many equal pure answers with at most this plain delta at this plain loss.
double LargestCharge(std::int64_t counts, double plain_epsilon, double plain_delta) {
  const auto fits = [&](std::int64_t units) {
    const std::vector<PlainUnits> charges(static_cast<std::size_t>(counts), PlainUnits::Of(units));
    const auto profile = PureProfile::Make(charges);
    return profile && profile->Delta(plain_epsilon) <= plain_delta;
  };
  // Their pure sum always fits; ten times that is the most that any list of up to 10,000 gains.
  auto low = PlainUnits::Floor(plain_epsilon / static_cast<double>(counts)).value_or(PlainUnits()).count();
  std::int64_t high = 2 * low + 2;
  while (high < PlainUnits::kMax / counts && fits(high)) high *= 2;
  while (high - low > std::max<std::int64_t>(1, low >> 20)) {
    const std::int64_t middle = low + (high - low) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return PlainUnits::Of(low).epsilon();
}

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
  std::optional<double> members, quilt, wasserstein, renyi;
};

Result<Others> OthersFor(const Transfer& transfer, double epsilon, double delta) {
  Others others;
  const auto at_one = transfer.Loss(1);
  if (!at_one) return at_one.error();
  for (const Bound& bound : at_one->bounds) {
    if (bound.name == "group" && std::isfinite(bound.dependent)) others.members = bound.dependent;
  }
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

Result<std::vector<ManyAnswers>> NoiseOfManyAnswers(const Transfer& transfer, double epsilon, double delta,
                                                    std::span<const std::int64_t> counts) {
  for (const std::int64_t n : counts) {
    if (n >= 1 && n <= 10'000) continue;
    return InvalidArgument("the number of counts must lie between 1 and 10000", "counts", "state how many are asked");
  }
  const auto gaussian = GaussianTransfer::Make(transfer);
  if (!gaussian) return gaussian.error();
  const auto budget = gaussian->Budget(epsilon, delta);
  if (!budget) return budget.error();
  if (!(budget->mu > 0 && budget->plain_epsilon > 0)) {
    return InvalidArgument("no noise is enough for such a target with this model", "epsilon", "allow a larger loss");
  }
  const auto others = OthersFor(transfer, epsilon, delta);
  if (!others) return others.error();
  const double independent = LargestMu(epsilon, delta);
  std::vector<ManyAnswers> rows;
  for (const std::int64_t n : counts) {
    const auto count = static_cast<double>(n);
    ManyAnswers& row = rows.emplace_back();
    row.counts = n;
    row.laplace = kRootTwo * count / budget->plain_epsilon;
    if (n > 1) row.laplace_delta = kRootTwo / LargestCharge(n, budget->plain_epsilon, budget->plain_delta);
    row.gaussian = std::sqrt(count) / budget->mu;
    row.gaussian_by = budget->by;
    row.offset = std::sqrt(count) / budget->offset;
    if (const auto& k = others->members)
      row.group = std::min(kRootTwo * *k * count / epsilon, *k * std::sqrt(count) / independent);
    if (others->quilt) row.quilt = *others->quilt * count;
    if (n > 1) continue;
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
