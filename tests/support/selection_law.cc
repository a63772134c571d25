#include "tests/support/selection_law.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kith::testing {
namespace {

std::vector<long double> Coins(const std::vector<std::int64_t>& distances, long double rate) {
  const std::int64_t least = *std::min_element(distances.begin(), distances.end());
  std::vector<long double> coins;
  for (const std::int64_t d : distances) coins.push_back(std::exp(-rate * static_cast<long double>(d - least)));
  return coins;
}

}  // namespace

std::vector<long double> SelectionLaw(const std::vector<std::int64_t>& distances, long double rate) {
  const auto coins = Coins(distances, rate);
  std::vector<long double> law;
  for (std::size_t v = 0; v < coins.size(); ++v) {
    std::vector<long double> heads = {1};  // probability of this many heads among the others
    for (std::size_t w = 0; w < coins.size(); ++w) {
      if (w == v) continue;
      heads.push_back(0);
      for (std::size_t k = heads.size(); k-- > 0;)
        heads[k] = heads[k] * (1 - coins[w]) + (k > 0 ? heads[k - 1] * coins[w] : 0);
    }
    long double taken = 0;
    for (std::size_t k = 0; k < heads.size(); ++k) taken += heads[k] / static_cast<long double>(k + 1);
    law.push_back(coins[v] * taken);
  }
  return law;
}

std::vector<long double> SelectionLawByOrders(const std::vector<std::int64_t>& distances, long double rate) {
  const auto coins = Coins(distances, rate);
  std::vector<std::size_t> order(coins.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<long double> law(coins.size(), 0);
  std::size_t orders = 0;
  do {
    long double reached = 1;
    for (const std::size_t v : order) {
      law[v] += reached * coins[v];
      reached *= 1 - coins[v];
    }
    ++orders;
  } while (std::next_permutation(order.begin(), order.end()));
  for (long double& p : law) p /= static_cast<long double>(orders);
  return law;
}

long double LossBetween(const std::vector<long double>& p, const std::vector<long double>& q) {
  long double loss = 0;
  for (std::size_t v = 0; v < p.size(); ++v) {
    if (p[v] == 0 && q[v] == 0) continue;
    loss = std::max(loss, std::fabs(std::log(p[v] / q[v])));
  }
  return loss;
}

}  // namespace kith::testing
