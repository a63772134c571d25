#include "release/price_left.h"

#include <algorithm>
#include <cstdint>

#include "release/curator_state.h"

namespace kith {
namespace {

// The most units of loss that could be charged now.
std::int64_t RoomFor(const ChargedUnits& charged, const Totals& totals, const Account& account) {
  std::int64_t left = PlainUnits::kMax;
  if (!account.nested()) {
    const auto limits = account.Limits(totals.moved);
    for (const auto cell : ChargedCells(charged.cells))
      left = std::min(left, std::max<std::int64_t>(0, limits[cell].count() - totals.spent[cell].count()));
    return left;
  }
  std::int64_t fits = 0;  // a charge that fits still does if it is smaller
  while (fits < left) {
    const std::int64_t middle = fits + (left - fits + 1) / 2;
    const auto after = After(totals, charged.cells, PlainUnits::Of(middle), charged.covers, charged.level);
    if (account.Fits(after))
      fits = middle;
    else
      left = middle - 1;
  }
  return fits;
}

}  // namespace

double PriceLeft(const Account& account, const Totals& totals, const ChargedUnits& charged, double epsilon_total) {
  const auto left = static_cast<double>(RoomFor(charged, totals, account));
  const auto budget = static_cast<double>(account.Budget(charged.cells, charged.level).count());
  return budget > 0 ? epsilon_total * left / budget : 0;
}

}  // namespace kith
