#include "transfer/gaussian/many_answers.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "transfer/gaussian/probit.h"

namespace kith {
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
  const auto at_one = transfer.Loss(1);
  if (!at_one) return at_one.error();
  std::optional<double> members;
  for (const Bound& bound : at_one->bounds) {
    if (bound.name == "group" && std::isfinite(bound.dependent)) members = bound.dependent;
  }
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
    if (members) row.group = std::min(kRootTwo * *members * count / epsilon, *members * std::sqrt(count) / independent);
  }
  return rows;
}

}  // namespace kith
