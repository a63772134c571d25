#include "tests/support/small_laws.h"

#include <cmath>

namespace kith::testing {

double Dice::Weight(bool wild) { return wild ? std::exp(Between(-7, 7)) : Between(0.2, 1); }

std::vector<double> RandomLaw(Dice& dice, int values) {
  const int sort = dice.Below(3);
  std::vector<double> law(static_cast<std::size_t>(values));
  double sum = 0;
  for (double& p : law) {
    p = sort == 2 && dice.Chance(0.3) ? 0 : dice.Weight(sort == 1);
    sum += p;
  }
  if (sum == 0) sum = law[0] = 1;
  for (double& p : law) p /= sum;
  return law;
}

SmallLaw RandomJoint(Dice& dice, std::vector<int> values) {
  int states = 1;
  for (const int v : values) states *= v;
  return {std::move(values), RandomLaw(dice, states)};
}

}  // namespace kith::testing
