#include "leakage/choose.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "leakage/entropy.h"
#include "leakage/leakage.h"

namespace kith::one_sided {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLongest = 80;  // e^-80: beyond it a rate is 1

double RateOf(double epsilon) { return -std::expm1(-epsilon); }

bool IsProbability(double p) { return p >= 0 && p <= 1; }

/// Slope of the leakage in the rate and the slope of that, at 1 - e^-epsilon.
struct Slope {
  double first = 0;
  double second = 0;
};

/// P(released | state) is rate * open; log of the ratio of "stays away" and of "released" between a state and average.
void AddState(double weight, double open, double average, double rate, double away, Slope& slope) {
  if (weight <= 0 || open <= 0) return;
  const double stays = open == 1 ? away : 1 - rate * open;  // 1 - rate loses digits near 0
  const double stays_on_average = average == 1 ? away : 1 - rate * average;
  slope.first += weight * open * std::log(open * stays_on_average / (average * stays));
  slope.second += weight * open * (open - average) / (stays_on_average * stays);
}

Slope SlopeAt(const Served& served, double epsilon) {
  const double rate = RateOf(epsilon);
  const double away = std::exp(-epsilon);
  Slope slope;
  AddState(served.open, 1, served.open, rate, away, slope);
  for (const Dependent& one : served.dependents) {
    AddState(one.sensitive, one.open_if_sensitive, served.open, rate, away, slope);
    AddState(1 - one.sensitive, one.open_if_open, served.open, rate, away, slope);
  }
  return slope;
}

/// The epsilon in [0, most] at which one more record leaks `worth` nats: Newton steps inside a bracket. In epsilon the
/// slope is nearly a line, so a few steps do.
double EpsilonWorth(const Served& served, double worth, double most, double start) {
  double low = 0;
  double high = std::min(most, kLongest);
  if (SlopeAt(served, 0).first >= worth) return 0;
  if (SlopeAt(served, high).first <= worth) return most;
  double epsilon = start > low && start < high ? start : (low + high) / 2;
  for (int step = 0; step < 200 && high - low > 1e-15 * high; ++step) {
    const Slope slope = SlopeAt(served, epsilon);
    (slope.first < worth ? low : high) = epsilon;
    const double next = epsilon - (slope.first - worth) / (slope.second * std::exp(-epsilon));
    const double before = epsilon;
    epsilon = next > low && next < high ? next : (low + high) / 2;
    if (std::abs(epsilon - before) <= 1e-14 * epsilon) break;
  }
  return epsilon;
}

Result<void> CheckDependent(const Served& served, const Dependent& one) {
  if (!IsProbability(one.sensitive) || !IsProbability(one.open_if_sensitive) || !IsProbability(one.open_if_open))
    return InvalidArgument("a dependent's table contains a number that is not a probability");
  const double open = one.sensitive * one.open_if_sensitive + (1 - one.sensitive) * one.open_if_open;
  if (std::abs(open - served.open) > 1e-9)
    return InvalidArgument("a dependent's table gives the served attribute a probability that differs from its own", {},
                           "P(open) must be the average of P(open | sensitive) and P(open | not sensitive)");
  if (one.kappa && !(*one.kappa >= 0)) return InvalidArgument("a kappa must be 0 or more");
  return {};
}

Result<void> Check(const std::vector<Served>& attributes, double total) {
  if (!(total > 0)) return InvalidArgument("the total leakage must be a positive number of nats");
  for (const Served& served : attributes) {
    if (!IsProbability(served.open))
      return InvalidArgument("an attribute's table contains a number that is not a probability");
    if (!(served.value >= 0 && std::isfinite(served.value)))
      return InvalidArgument("the value of an attribute must be 0 or more");
    if (served.kappa && !(*served.kappa >= 0)) return InvalidArgument("a kappa must be 0 or more");
    for (const Dependent& one : served.dependents) {
      const auto checked = CheckDependent(served, one);
      if (!checked) return checked;
    }
  }
  return {};
}

/// Only the caps: what each attribute could have if leakage did not count.
Result<Choice> Caps(const std::vector<Served>& attributes, Closure closure) {
  Choice choice;
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    Choice::Attribute cap;
    cap.epsilon = attributes[i].kappa.value_or(kInfinity);
    if (attributes[i].kappa) cap.binds = Binds::kOwnCap;
    for (std::size_t j = 0; j < attributes[i].dependents.size(); ++j) {
      const Dependent& one = attributes[i].dependents[j];
      if (!one.kappa || one.sensitive <= 0 || one.sensitive >= 1) continue;
      const PairDependence pair{1 - one.open_if_sensitive, 1 - one.open_if_open};
      if (ReleasedFactor(pair) > std::exp(*one.kappa)) {
        if (closure == Closure::kRefuse) {
          return InvalidArgument(
              fmt::format("attribute {}: a released record alone moves the odds of its dependent {} by more than "
                          "e^kappa, and no epsilon changes that",
                          i, j),
              {}, "suppress the attribute, make it sensitive itself, or allow a larger kappa");
        }
        cap = {0, 0, 0, Binds::kClosed, j};
        break;
      }
      const double epsilon = LargestEpsilon(pair, *one.kappa);
      if (epsilon < cap.epsilon) cap = {epsilon, 0, 0, Binds::kCap, j};
    }
    choice.attributes.push_back(cap);
  }
  return choice;
}

void Total(const std::vector<Served>& attributes, Choice& choice) {
  choice.leakage = 0;
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    Choice::Attribute& one = choice.attributes[i];
    one.rate = RateOf(one.epsilon);
    one.leakage = Leakage(attributes[i], one.rate);
    choice.leakage += one.leakage;
  }
}

/// The largest epsilon in [0, most] that leaks at most so much, by bisection.
double EpsilonWithin(const Served& served, double allowed, double most) {
  if (Leakage(served, RateOf(most)) <= allowed) return most;
  double low = 0, high = most;
  while (high - low > 1e-12) {
    const double middle = low + (high - low) / 2;
    if (!(middle > low && middle < high)) break;  // no number between them
    (Leakage(served, RateOf(middle)) <= allowed ? low : high) = middle;
  }
  return low;
}

}  // namespace

double Leakage(const Served& served, double rate) {
  const double all = Coin(rate * served.open);
  double leakage = all - served.open * Coin(rate);
  for (const Dependent& one : served.dependents) {
    leakage +=
        all - one.sensitive * Coin(rate * one.open_if_sensitive) - (1 - one.sensitive) * Coin(rate * one.open_if_open);
  }
  return std::max(0.0, leakage);
}

Result<Choice> Choose(const std::vector<Served>& attributes, double total, Closure closure) {
  const auto checked = Check(attributes, total);
  if (!checked) return checked.error();
  const auto caps = Caps(attributes, closure);
  if (!caps) return caps.error();
  Choice best = *caps;
  Total(attributes, best);
  if (best.leakage > total) {
    // The most for each attribute at which a nat is worth 1/price: leakage falls as the price rises.
    Choice trial = *caps;
    const auto at_price = [&](double log_price) {
      for (std::size_t i = 0; i < attributes.size(); ++i) {
        const double most = caps->attributes[i].epsilon;
        Choice::Attribute& one = trial.attributes[i];
        one.epsilon = EpsilonWorth(attributes[i], attributes[i].value * std::exp(-log_price), most, one.epsilon);
        one.binds = one.epsilon < most ? Binds::kInformation : caps->attributes[i].binds;
      }
      Total(attributes, trial);
    };
    double low = -60;
    double high = 60;
    double low_leakage = best.leakage;
    double high_leakage = 0;
    best = *caps;
    for (auto& one : best.attributes) one.epsilon = 0;
    for (int step = 0; step < 200 && high - low > 1e-14; ++step) {
      // A secant step where the bracket is small and both ends are known, otherwise the middle.
      double next = (low + high) / 2;
      if (step % 3 != 0 && high - low < 2)
        next = std::clamp(low + (high - low) * (low_leakage - total) / (low_leakage - high_leakage),
                          low + (high - low) * 1e-3, high - (high - low) * 1e-3);
      at_price(next);
      if (trial.leakage <= total) {
        high = next;
        high_leakage = trial.leakage;
        best = trial;
        best.price = std::exp(next);
        if (total - trial.leakage <= 1e-13 * total) break;
      } else {
        low = next;
        low_leakage = trial.leakage;
      }
    }
    Total(attributes, best);
  }
  for (std::size_t i = 0; i < attributes.size(); ++i) best.objective += attributes[i].value * best.attributes[i].rate;
  return best;
}

Result<Choice> ChooseSumOfEpsilon(const std::vector<Served>& attributes, double total, double largest_epsilon,
                                  Closure closure) {
  constexpr std::size_t kSteps = 4000;
  const auto checked = Check(attributes, total);
  if (!checked) return checked.error();
  if (attributes.size() > 200) return InvalidArgument("the sum of epsilon can be chosen for up to 200 attributes");
  if (!(largest_epsilon > 0 && std::isfinite(largest_epsilon)))
    return InvalidArgument("the sum of epsilon needs a largest epsilon: without one it has no maximum");
  const auto caps = Caps(attributes, closure);
  if (!caps) return caps.error();

  // best[s]: the largest sum that leaks at most s steps; how[i][s]: the steps that attribute i took there.
  std::vector<double> best(kSteps + 1, 0.0);
  std::vector<std::vector<std::size_t>> how;
  std::vector<std::vector<double>> worth(attributes.size(), std::vector<double>(kSteps + 1, 0.0));
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    const double most = std::min(largest_epsilon, caps->attributes[i].epsilon);
    for (std::size_t s = 0; s <= kSteps; ++s)
      worth[i][s] = EpsilonWithin(attributes[i], total * static_cast<double>(s) / static_cast<double>(kSteps), most);
    std::vector<double> next(kSteps + 1);
    std::vector<std::size_t> took(kSteps + 1, 0);
    for (std::size_t s = 0; s <= kSteps; ++s) {
      for (std::size_t mine = 0; mine <= s; ++mine) {
        const double sum = best[s - mine] + worth[i][mine];
        if (sum > next[s] || mine == 0) next[s] = sum, took[s] = mine;
      }
    }
    best = std::move(next);
    how.push_back(std::move(took));
  }
  Choice choice = *caps;
  for (std::size_t i = attributes.size(), left = kSteps; i-- > 0;) {
    const std::size_t mine = how[i][left];
    Choice::Attribute& one = choice.attributes[i];
    const double most = std::min(largest_epsilon, caps->attributes[i].epsilon);
    one.epsilon = worth[i][mine];
    if (one.epsilon < most) one.binds = Binds::kInformation;
    left -= mine;
  }
  Total(attributes, choice);
  // What the grid left over, to one after the other.
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    Choice::Attribute& one = choice.attributes[i];
    if (one.binds != Binds::kInformation) continue;
    const double most = std::min(largest_epsilon, caps->attributes[i].epsilon);
    const double allowed = (total - (choice.leakage - one.leakage)) * (1 - 1e-12);
    one.epsilon = std::max(one.epsilon, EpsilonWithin(attributes[i], allowed, most));
    if (one.epsilon == most) one.binds = caps->attributes[i].binds;
    Total(attributes, choice);
  }
  for (const auto& one : choice.attributes) choice.objective += one.epsilon;
  return choice;
}

}  // namespace kith::one_sided
