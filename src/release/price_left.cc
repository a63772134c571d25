#include "release/price_left.h"

#include <algorithm>
#include <cstdint>

#include "release/curator_state.h"

namespace kith {
namespace {

// Where presence is counted, any change may lose twice as much, and that is what households are limited by.
CellCharge ChargeOf(std::int64_t units, const ChargedUnits& charged, const Accountant& account) {
  const PlainUnits counted = PlainUnits::Of(units);
  if (!account.counts_presence() || charged.level == UnitLevel::kHousehold)
    return {counted, ChargedCells(charged.cells)};
  return {PlainUnits::CutSum(counted, counted), ChargedCells(charged.cells), counted};
}

// The most units of loss that could be charged now.
std::int64_t RoomFor(const ChargedUnits& charged, const Totals& totals, const Accountant& account) {
  std::int64_t left = PlainUnits::kMax;
  if (!account.nested()) {
    const auto limits = account.Limits(totals);
    for (const auto cell : ChargedCells(charged.cells))
      left = std::min(left, std::max<std::int64_t>(0, limits[cell].count() - account.Counted(totals)[cell].count()));
    return left;
  }
  std::int64_t fits = 0;  // a charge that fits still does if it is smaller
  while (fits < left) {
    const std::int64_t middle = fits + (left - fits + 1) / 2;
    const auto after = After(totals, {ChargeOf(middle, charged, account)}, charged.covers, charged.level);
    if (account.Fits(after))
      fits = middle;
    else
      left = middle - 1;
  }
  return fits;
}

// The part of their budgets that all strata could be charged now. Together: where units are nested, what persons of one
// stratum paid counts for households of all.
double PartLeft(const ChargedUnits& charged, const Totals& totals, const Accountant& account) {
  constexpr std::int64_t kWhole = std::int64_t{1} << 40;
  const auto fits = [&](std::int64_t part) {
    std::vector<CellCharge> parts;
    for (const PricedStratum& stratum : charged.strata) {
      const long double units = static_cast<long double>(stratum.budget.count()) * static_cast<long double>(part) /
                                static_cast<long double>(kWhole);
      parts.push_back({PlainUnits::Of(static_cast<std::int64_t>(units)), ChargedCells(stratum.cells)});
    }
    return account.Fits(After(totals, parts, charged.covers, charged.level));
  };
  std::int64_t low = 0, high = kWhole;
  while (low < high) {
    const std::int64_t middle = low + (high - low + 1) / 2;
    if (fits(middle))
      low = middle;
    else
      high = middle - 1;
  }
  return static_cast<double>(low) / static_cast<double>(kWhole);
}

}  // namespace

// As the ledger does when it charges (ledger/caps.cc).
bool CapsStand(const Accountant& account, const Totals& totals) {
  if (!totals.gaussian) return true;
  const auto within = [](const std::vector<std::int64_t>& fixed, const std::vector<std::int64_t>& most) {
    return fixed.size() == most.size() &&
           std::equal(fixed.begin(), fixed.end(), most.begin(), [](auto a, auto b) { return a <= b; });
  };
  if (totals.gaussian->open) {
    const auto allowed = account.DeltaCapsAfter(totals.gaussian->before);
    return allowed && within(totals.gaussian->caps.delta, *allowed);
  }
  const auto allowed = account.CapsAfter(totals.gaussian->before);
  if (!allowed) return false;
  return within(totals.gaussian->caps.mu, allowed->mu) && within(totals.gaussian->caps.delta, allowed->delta);
}

double PriceLeft(const Accountant& account, const Totals& totals, const ChargedUnits& charged, double epsilon_total) {
  if (totals.CountsMu()) {
    double left = 1;
    for (const auto cell : ChargedCells(charged.cells)) {
      const auto cap = static_cast<double>(totals.gaussian->caps.mu[cell]);
      const auto spent = static_cast<double>(totals.gaussian->mu[cell]);
      left = std::min(left, cap > 0 ? std::max(0.0, 1 - spent / cap) : 0.0);
    }
    return epsilon_total * left;
  }
  if (!charged.strata.empty()) return epsilon_total * PartLeft(charged, totals, account);
  const auto left = static_cast<double>(RoomFor(charged, totals, account));
  const auto budget = static_cast<double>(account.Budget(charged.cells, charged.level).count());
  return budget > 0 ? epsilon_total * left / budget : 0;
}

}  // namespace kith
