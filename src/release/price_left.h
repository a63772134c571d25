// What is left of a budget, in the words of a price.
#pragma once
#include <vector>

#include "release/account.h"

namespace kith {

/// The price, as a part of `epsilon_total`, that a question which charges these cells may still have.
double PriceLeft(const Account& account, const Totals& totals, const std::vector<bool>& charged, double epsilon_total);

}  // namespace kith
