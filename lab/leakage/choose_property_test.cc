// The choice of epsilon against a general solver on random problems, and against the conditions for a maximum.
#include <gtest/gtest.h>
#include <nlopt.h>

#include <cmath>

#include "leakage/choose.h"
#include "tests/support/small_laws.h"
#include "tests/support/stat.h"

namespace kith::one_sided {
namespace {

using testing::Dice;

struct Problem {
  std::vector<Served> attributes;
  double total = 0;
};

Served RandomServed(Dice& dice, int dependents) {
  Served served;
  served.open = dice.Between(0.1, 0.9);
  served.value = served.open * dice.Between(0.5, 2);
  for (int j = 0; j < dependents; ++j) {
    Dependent one;
    one.sensitive = dice.Between(0.1, 0.9);
    // P(open | sensitive) such that P(open | not) is a probability too.
    const double low = std::max(0.0, (served.open - (1 - one.sensitive)) / one.sensitive);
    const double high = std::min(1.0, served.open / one.sensitive);
    one.open_if_sensitive = dice.Between(low, high);
    one.open_if_open =
        std::clamp((served.open - one.sensitive * one.open_if_sensitive) / (1 - one.sensitive), 0.0, 1.0);
    if (dice.Chance(0.3)) one.kappa = dice.Between(0.1, 1.5);
    served.dependents.push_back(one);
  }
  return served;
}

Problem RandomProblem(Dice& dice) {
  Problem problem;
  const int n = 1 + dice.Below(5);
  double most = 0;
  for (int i = 0; i < n; ++i) {
    problem.attributes.push_back(RandomServed(dice, dice.Below(4)));
    most += Leakage(problem.attributes.back(), 1);
  }
  problem.total = most * dice.Between(0.02, 0.9);
  return problem;
}

double LeakageOf(const Problem& problem, const double* rates) {
  double sum = 0;
  for (std::size_t i = 0; i < problem.attributes.size(); ++i) sum += Leakage(problem.attributes[i], rates[i]);
  return sum;
}

double Objective(unsigned n, const double* rates, double* gradient, void* data) {
  const auto& problem = *static_cast<const Problem*>(data);
  double sum = 0;
  for (unsigned i = 0; i < n; ++i) {
    sum += problem.attributes[i].value * rates[i];
    if (gradient) gradient[i] = problem.attributes[i].value;
  }
  return sum;
}

// Central differences: the solver must not share the code that it checks.
double Constraint(unsigned n, const double* rates, double* gradient, void* data) {
  const auto& problem = *static_cast<const Problem*>(data);
  for (unsigned i = 0; gradient && i < n; ++i) {
    const double from = std::max(0.0, rates[i] - 1e-6);
    const double to = std::min(1.0, rates[i] + 1e-6);
    gradient[i] = (Leakage(problem.attributes[i], to) - Leakage(problem.attributes[i], from)) / (to - from);
  }
  return LeakageOf(problem, rates) - problem.total;
}

/// The best objective that NLopt finds, with the caps as bounds. It is given what it can work with: no attribute whose
/// cap is 0, and a start inside. Each of its methods gets stuck on some problems, so two are asked, from
/// two starts.
double Reference(const Problem& whole, const std::vector<double>& all_caps) {
  Problem problem{{}, whole.total};
  std::vector<double> caps;
  for (std::size_t i = 0; i < all_caps.size(); ++i) {
    if (all_caps[i] < 1e-9) continue;
    problem.attributes.push_back(whole.attributes[i]);
    caps.push_back(all_caps[i]);
  }
  const auto n = static_cast<unsigned>(caps.size());
  if (n == 0) return 0;
  const std::vector<double> low(n, 0.0);
  int attempt = 0;
  double best = 0;
  for (const nlopt_algorithm method : {NLOPT_LD_CCSAQ, NLOPT_LD_SLSQP, NLOPT_LD_CCSAQ, NLOPT_LD_SLSQP}) {
    const double share = ++attempt <= 2 ? 0.5 : 0.1;
    std::vector<double> rates = caps;
    while (LeakageOf(problem, rates.data()) > share * problem.total) {
      for (double& rate : rates) rate *= 0.8;
    }
    nlopt_opt solver = nlopt_create(method, n);
    nlopt_set_lower_bounds(solver, low.data());
    nlopt_set_upper_bounds(solver, caps.data());
    nlopt_set_max_objective(solver, Objective, &problem);
    nlopt_add_inequality_constraint(solver, Constraint, &problem, 1e-10);
    nlopt_set_xtol_rel(solver, 1e-11);
    nlopt_set_maxeval(solver, 5000);
    double found = 0;
    nlopt_optimize(solver, rates.data(), &found);
    nlopt_destroy(solver);
    if (LeakageOf(problem, rates.data()) <= problem.total + 1e-9) best = std::max(best, found);
  }
  return best;
}

TEST(OneSidedChoiceProperty, MatchesNloptOnAThousandProblems) {
  Dice dice(stat::SeedForThisTest());
  double worse = 0, better = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    Problem problem = RandomProblem(dice);
    const auto choice = Choose(problem.attributes, problem.total, Closure::kSuppress).value();
    EXPECT_LE(choice.leakage, problem.total);
    // With a total that never binds, what is left are the caps.
    const auto caps = Choose(problem.attributes, 1e6, Closure::kSuppress).value();
    std::vector<double> highest;
    for (const auto& one : caps.attributes) highest.push_back(std::min(one.rate, 1 - 1e-9));
    const double reference = Reference(problem, highest);
    worse = std::max(worse, (reference - choice.objective) / std::max(1e-3, reference));
    better = std::max(better, (choice.objective - reference) / std::max(1e-3, reference));
  }
  EXPECT_LE(worse, 1e-6);
  EXPECT_LE(better, 1e-6);
}

TEST(OneSidedChoiceProperty, EveryCapIsKept) {
  Dice dice(stat::SeedForThisTest());
  int capped = 0;
  for (int trial = 0; trial < 500; ++trial) {
    const Problem problem = RandomProblem(dice);
    const auto choice = Choose(problem.attributes, problem.total, Closure::kSuppress).value();
    for (std::size_t i = 0; i < problem.attributes.size(); ++i) {
      const double epsilon = choice.attributes[i].epsilon;
      for (const Dependent& one : problem.attributes[i].dependents) {
        if (!one.kappa) continue;
        // Theorems 2 and 3, written out.
        const double away = std::exp(-epsilon);
        const double d1 = 1 - one.open_if_sensitive, d2 = 1 - one.open_if_open;
        EXPECT_LE(std::log((d1 + (1 - d1) * away) / (d2 + (1 - d2) * away)), *one.kappa + 1e-9);
        if (epsilon > 0) {
          EXPECT_LE(std::log(one.open_if_sensitive / one.open_if_open), *one.kappa + 1e-9);
        }
      }
      capped += choice.attributes[i].binds == Binds::kCap ? 1 : 0;
    }
  }
  EXPECT_GT(capped, 20);
}

TEST(OneSidedChoiceProperty, TheComparisonSeesAChoiceThatIgnoresADependent) {
  Dice dice(stat::SeedForThisTest());
  int seen = 0;
  for (int trial = 0; trial < 100; ++trial) {
    const Problem problem = RandomProblem(dice);
    Problem blind = problem;
    for (Served& served : blind.attributes) served.dependents.clear();
    const auto choice = Choose(blind.attributes, blind.total, Closure::kSuppress).value();
    std::vector<double> rates;
    for (const auto& one : choice.attributes) rates.push_back(one.rate);
    seen += LeakageOf(problem, rates.data()) > problem.total * (1 + 1e-6) ? 1 : 0;
  }
  EXPECT_GT(seen, 20);
}

}  // namespace
}  // namespace kith::one_sided
