// What a question costs: a price in the analyst's terms becomes whole units of plain loss for each noisy statistic.
#pragma once
#include <optional>
#include <vector>

#include "base/result.h"
#include "kernel/statistic_mechanism.h"
#include "loss/loss.h"
#include "query/plan.h"
#include "release/release.h"

namespace kith {

struct PricedStratum;

struct Priced {
  std::vector<PlainUnits> shares;  // one for each statistic; 0 for a statistic of public facts
  PlainUnits total;                // what is charged: their sum, or less (joint_price.h)
  // Of the total, what is lost if one unit comes or goes (presence_price.h); nothing: all of it.
  std::optional<PlainUnits> presence = std::nullopt;
  // Of normal noise, instead of shares: the square of each statistic's Gaussian loss (LossKind::kMu), and of all of
  // them together. Empty: the noise of the shares above.
  std::vector<std::int64_t> mu_shares;
  std::int64_t mu = 0;
  std::vector<StatisticMechanism> laws;  // one for each statistic; empty if known only while it runs (an analysis)
  std::vector<NoiseLine> noise;          // what they do; as many
  // Where groups have their own prices (strata.h), by price: shares and laws are then those of the first, which has
  // the most noise, the total is the most that any of them pays, and noise has the lines of all, one stratum after
  // another.
  std::vector<PricedStratum> strata;

  PlainUnits OfPresence() const { return presence.value_or(total); }
};

struct PricedStratum {
  std::string name;                 // "persons=1"
  std::vector<bool> cells;          // of the policy: those that pay this price
  std::vector<std::size_t> groups;  // of the plan: those with this noise
  std::int64_t size = 0;            // the most members of one group of units; 0: not declared
  PlainUnits budget;                // of its cells, the smallest
  Priced priced;
};

/// The part epsilon / epsilon_total of the plain budget, shared in proportion to positive weights; every share and the
/// sum are rounded down.
Result<std::vector<PlainUnits>> SharesOf(const std::vector<double>& weights, double epsilon, double epsilon_total,
                                         PlainUnits budget);

/// What a law does to a statistic.
NoiseLine NoiseOf(const Statistic& statistic, const StatisticMechanism& law, PlainUnits share, std::size_t groups);

/// `budget` is the smallest plain budget among the cells that the question charges.
/// Ensures [RELEASE-2]: the noise of each statistic is derived from the integer share that is charged for it.
/// Fails: kInvalidArgument (a price that is not a positive number, a split of the wrong size), kUnsupportedQuery (an
/// error bar was requested for an answer that is not an ordinary count or sum), kBudgetExhausted (a price below one
/// unit, or above the whole budget). `everybody`: how many units there are, if that is public and known and the
/// question counts one row of each; then an error bar can be requested for averages and shares too.
Result<Priced> PriceQuestion(const Plan& plan, const Price& price, double epsilon_total, PlainUnits budget,
                             std::optional<double> everybody = std::nullopt);

}  // namespace kith
