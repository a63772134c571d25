#include "release/price_left.h"

#include <algorithm>
#include <cstdint>

namespace kith {

double PriceLeft(const Account& account, const Totals& totals, const std::vector<bool>& charged, double epsilon_total) {
  const auto limits = account.Limits(totals.moved);
  std::int64_t left = PlainUnits::kMax;
  for (std::size_t cell = 0; cell < charged.size(); ++cell) {
    if (!charged[cell]) continue;
    left = std::min(left, std::max<std::int64_t>(0, limits[cell].count() - totals.spent[cell].count()));
  }
  const auto budget = static_cast<double>(account.Budget(charged).count());
  return budget > 0 ? epsilon_total * static_cast<double>(left) / budget : 0;
}

}  // namespace kith
