#include "release/pricing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "kernel/ranks.h"
#include "loss/loss_text.h"
#include "query/output/output.h"
#include "release/chosen_rows.h"
#include "release/error_of_everybody.h"

namespace kith {
namespace {

constexpr double kConfidence = 0.95;

Result<std::vector<double>> Weights(const Price& price, std::size_t noisy) {
  if (price.split.empty()) return std::vector<double>(noisy, 1.0);
  if (price.split.size() != noisy) {
    return InvalidArgument(fmt::format("the price has {} weights, but the question has {} noisy statistics",
                                       price.split.size(), noisy),
                           {}, "the explanation of the question lists them")
        .For("price.split");
  }
  for (const double w : price.split) {
    if (!(w > 0 && w < 1e9))
      return InvalidArgument("a weight of the price must be a positive number").For("price.split");
  }
  return price.split;
}

// The fraction epsilon / epsilon_total of the plain budget, in whole units, rounded down.
Result<std::int64_t> UnitsFor(double epsilon, double epsilon_total, PlainUnits budget) {
  const auto checked = Epsilon::Make(epsilon);
  if (!checked) return checked.error();
  const long double fraction = static_cast<long double>(epsilon) / static_cast<long double>(epsilon_total);
  if (fraction > 1) {
    return BudgetExhausted(fmt::format("the price {} is more than the policy's whole epsilon of {}", LossText(epsilon),
                                       epsilon_total),
                           {}, fmt::format("offer at most {}", epsilon_total))
        .For("price.epsilon");
  }
  return static_cast<std::int64_t>(std::floor(fraction * static_cast<long double>(budget.count())));
}

Result<std::vector<PlainUnits>> SharesByPrice(const Plan& plan, const Price& price, double epsilon_total,
                                              PlainUnits budget) {
  const auto noisy = plan.noisy();
  const auto weights = Weights(price, noisy.size());
  if (!weights) return weights.error();
  const auto parts = SharesOf(*weights, *price.epsilon, epsilon_total, budget);
  if (!parts) return parts.error();
  std::vector<PlainUnits> shares(plan.statistics.size());
  for (std::size_t i = 0; i < noisy.size(); ++i) shares[noisy[i]] = (*parts)[i];
  return shares;
}

// The value and each end of its interval, at most this many rows from where they should be.
Result<PlainUnits> ShareForRows(const Statistic& statistic, double rows) {
  const Quantile& quantile = *statistic.quantile;
  const double most = static_cast<double>(PermuteAndFlip::kFarthest);
  const double reach = std::floor(std::min(rows * static_cast<double>(quantile.den), most));
  if (reach < 1) return BudgetExhausted("this precision would cost more than any budget", {}, "accept a larger error");
  const auto each =
      PermuteAndFlip::ShareForReach(statistic.change.l1(), OthersOfEnds(quantile), static_cast<std::int64_t>(reach));
  if (!each) return each.error();
  const auto by_choice = PlainUnits::Sum(std::vector<PlainUnits>(1 + EndsOf(quantile).Chosen(), *each));
  if (!by_choice) return by_choice;
  // A curve may do with less: the error falls as the share grows.
  std::int64_t low = 0, high = by_choice->count();
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    const auto law = MechanismOfQuantile(statistic, PlainUnits::Of(middle));
    const bool enough = law && RankErrorsOf(quantile, *law, 1).one <= rows;
    (enough ? high : low) = middle;
  }
  return PlainUnits::Of(high);
}

// Ranks of one column at most this many rows from where they should be, from one measurement, where that is cheaper.
Result<void> ShareRanks(const Plan& plan, double rows, std::vector<PlainUnits>& shares) {
  for (const auto& ranks : RanksOfOneColumn(plan)) {
    std::vector<PlainUnits> apart;
    for (const std::size_t k : ranks) apart.push_back(shares[k]);
    const auto sum = PlainUnits::Sum(apart);
    if (!sum) return sum.error();
    const auto many = static_cast<std::int64_t>(ranks.size());
    const auto enough = [&](std::int64_t each) {
      const auto laws = MechanismsOfRanks(plan, ranks, PlainUnits::Of(each * many));
      for (std::size_t i = 0; laws && i < ranks.size(); ++i) {
        if (RankErrorsOf(*plan.statistics[ranks[i]].quantile, (*laws)[i], 1).one > rows) return false;
      }
      return static_cast<bool>(laws);
    };
    std::int64_t low = 0, high = sum->count() / many;
    if (high < 1 || !enough(high)) continue;
    while (high - low > 1) {
      const std::int64_t middle = low + (high - low) / 2;
      (enough(middle) ? high : low) = middle;
    }
    for (const std::size_t k : ranks) shares[k] = PlainUnits::Of(high);
  }
  return {};
}

Result<std::vector<PlainUnits>> SharesByError(const Plan& plan, double error_95, std::optional<double> everybody) {
  if (!(error_95 > 0 && std::isfinite(error_95))) {
    return InvalidArgument("an error bar must be a positive number", {},
                           "name the largest acceptable 95 % error bar, such as 50")
        .For("price.error");
  }
  if (!plan.levels.empty()) {
    return Unsupported("an error bar can be asked for one level of groups", {},
                       "offer an epsilon, or ask without ROLLUP")
        .For("price.epsilon");
  }
  std::vector<double> wanted(plan.statistics.size(), std::numeric_limits<double>::infinity());
  for (const auto& output : plan.outputs) {
    if (output.expr->IsKey() || output.expr->Quantile()) continue;
    if (const auto k = output.expr->Statistic()) {
      wanted[*k] = std::min(wanted[*k], error_95);
      continue;
    }
    const auto bar = everybody ? BarWanted(plan, *output.expr, error_95, *everybody) : std::nullopt;
    if (!bar) {
      return Unsupported(
                 "an error bar can be asked for counts, sums and quantiles (theirs in rows), and for averages and "
                 "shares "
                 "of everybody where it is public and known how many they are; the bar of anything else depends on the "
                 "answer",
                 output.name,
                 "offer an epsilon; the explanation shows what it buys, for an average by the number of rows. "
                 "Or ask for the sum and the count with an error bar each, and divide")
          .For("price.epsilon");
    }
    wanted[bar->statistic] = std::min(wanted[bar->statistic], bar->error);
  }
  std::vector<PlainUnits> shares(plan.statistics.size());
  for (const auto k : plan.noisy()) {
    const Statistic& statistic = plan.statistics[k];
    if (statistic.quantile) {
      const auto share = ShareForRows(statistic, error_95);
      if (!share) return share.error();
      shares[k] = *share;
      continue;
    }
    const auto share =
        Noise::ShareForError(statistic.change, wanted[k] / statistic.lattice.step(), ConfidenceOfBar(plan, 1));
    if (!share) return share.error();
    shares[k] = *share;
  }
  if (auto ok = ShareRanks(plan, error_95, shares); !ok) return ok.error();
  return shares;
}

}  // namespace

bool NoiseChooses(const Plan& plan) {
  if (!plan.limit && plan.offset == 0) return false;
  return std::any_of(plan.order_by.begin(), plan.order_by.end(), [&](const OrderBy& order) {
    const auto& reads = plan.outputs[order.output].expr->Reads();
    return std::any_of(reads.begin(), reads.end(), [&](std::size_t k) { return plan.statistics[k].noisy(); });
  });
}

double ConfidenceOfBar(const Plan& plan, std::size_t noisy) {
  const std::size_t at_once = NoiseChooses(plan) ? std::max<std::size_t>(plan.shown_groups(), 1) : 1;
  return 1 - 0.05 / static_cast<double>(noisy * at_once);
}

Result<std::vector<PlainUnits>> SharesOf(const std::vector<double>& weights, double epsilon, double epsilon_total,
                                         PlainUnits budget) {
  const auto units = UnitsFor(epsilon, epsilon_total, budget);
  if (!units) return units.error();
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<PlainUnits> shares;
  std::int64_t left = *units;
  for (const double weight : weights) {
    const auto part = static_cast<std::int64_t>(std::floor(static_cast<double>(*units) * (weight / all)));
    const std::int64_t share = std::min(part, left);
    if (share <= 0) {
      return BudgetExhausted("the price is too small: a statistic's share is below the smallest unit of loss", {},
                             "offer more");
    }
    left -= share;
    shares.push_back(PlainUnits::Of(share));
  }
  return shares;
}

NoiseLine NoiseOf(const Statistic& statistic, const StatisticMechanism& law, PlainUnits share, std::size_t groups) {
  const auto steps = static_cast<double>(statistic.change.l1().steps());
  NoiseLine line;
  line.statistic = statistic.name;
  line.share = share;
  line.lattice = statistic.lattice.step();
  if (statistic.quantile) {
    const RankErrors errors = RankErrorsOf(*statistic.quantile, law, groups);
    line.in_rows = true;
    line.sensitivity = steps / (2 * static_cast<double>(statistic.quantile->den));
    // The value has its part of the share, or all of it.
    if (law.choice && line.sensitivity > 0) line.scale = 2 * line.sensitivity / law.choice->share().epsilon();
    if (law.curve) {
      line.law = RankCurve::kName;
      line.sensitivity *= 2;  // of the rows at all values together
      line.scale = law.curve->noise().scale();
    }
    line.error_95 = errors.one;
    line.error_95_all = errors.all;
    return line;
  }
  if (statistic.noisy()) line.law = law.noise.Name().id;
  line.sensitivity = steps * line.lattice;
  line.scale = law.noise.scale() * line.lattice;
  line.error_95 = law.noise.ErrorBar(kConfidence) * line.lattice;
  line.error_95_all = law.noise.ErrorBarAll(kConfidence, groups) * line.lattice;
  return line;
}

Result<Priced> PriceQuestion(const Plan& plan, const Price& price, double epsilon_total, PlainUnits budget,
                             std::optional<double> everybody) {
  Priced priced;
  // A price that means nothing is refused, even where nothing is to be paid.
  if (price.epsilon) {
    if (const auto checked = Epsilon::Make(*price.epsilon); !checked) return checked.error();
  }
  if (plan.noisy().empty()) {
    priced.shares.resize(plan.statistics.size());
  } else if (price.epsilon.has_value() == price.error_95.has_value()) {
    return InvalidArgument("a question needs a price", {},
                           "offer an epsilon (a part of the policy's) or ask for an error bar")
        .For("price");
  } else {
    auto shares = price.epsilon ? SharesByPrice(plan, price, epsilon_total, budget)
                                : SharesByError(plan, *price.error_95, everybody);
    if (!shares) return shares.error();
    priced.shares = std::move(*shares);
  }
  const auto total = PlainUnits::Sum(priced.shares);
  if (!total) return BudgetExhausted("this precision would cost more than any budget", {}, "accept a larger error");
  priced.total = *total;
  auto laws = MechanismsOf(plan, priced.shares);
  if (!laws) return laws.error();
  priced.laws = std::move(*laws);
  for (std::size_t k = 0; k < plan.statistics.size(); ++k) {
    priced.noise.push_back(NoiseOf(plan.statistics[k], priced.laws[k], priced.shares[k], plan.groups()));
  }
  return priced;
}

}  // namespace kith
