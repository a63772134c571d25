// Choosing the epsilon of each attribute: the most released records whose leakage stays within a total. In the rates
// r = 1 - e^-epsilon the problem is convex, so there is one best choice and it is found by bisection.
// Source: docs/theory/published.md#choosing-the-release-rates.  Claims: claims/one_sided.md
#pragma once
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace kith::one_sided {

/// Somebody's secret that depends on a served attribute.
struct Dependent {
  double sensitive = 0;          // P(X_j sensitive)
  double open_if_sensitive = 0;  // P(X_i not sensitive | X_j sensitive)
  double open_if_open = 0;       // P(X_i not sensitive | X_j not sensitive)
  std::optional<double> kappa;   // the odds of X_j may grow by at most e^kappa
};

/// An attribute that is served to an application.
struct Served {
  double value = 0;             // of one released record; P(X_i not sensitive) counts records
  double open = 0;              // P(X_i not sensitive)
  std::optional<double> kappa;  // the odds of X_i itself may grow by at most e^kappa
  std::vector<Dependent> dependents;
};

/// What a released record says about a dependent (f2) does not depend on epsilon. Where it exceeds e^kappa:
enum class Closure {
  kSuppress,  // the attribute is never released
  kRefuse,    // there is no choice
};

enum class Binds {
  kNothing,      // everything that is not sensitive is released
  kInformation,  // the total leakage
  kOwnCap,       // the attribute's own kappa
  kCap,          // the kappa of `dependent`
  kClosed,       // what a release says about `dependent` exceeds its kappa: never released
};

struct Choice {
  struct Attribute {
    double epsilon = 0;  // may be infinite
    double rate = 0;     // 1 - e^-epsilon
    double leakage = 0;  // I_i, nats: about itself and all its dependents
    Binds binds = Binds::kNothing;
    std::size_t dependent = 0;  // for kCap and kClosed
  };
  std::vector<Attribute> attributes;
  double leakage = 0;    // the sum; at most the total that was allowed
  double objective = 0;  // sum of value * rate, or of epsilon
  double price = 0;      // Lagrange multiplier: what one more nat would bring
};

/// Leakage of an attribute served at a rate, in nats: I(X_i ; M_i) plus I(X_j ; M_i) for all its dependents.
double Leakage(const Served& served, double rate);

/// Maximises the sum of value * rate.
/// Fails: kInvalidArgument (a number that is not a probability, tables that contradict each other, a total that is not
/// positive, a kappa below 0, or one that no epsilon can meet where closure is kRefuse).
/// Ensures [OSDP-4]: the leakage of the choice is at most `total`, and every cap is kept.
Result<Choice> Choose(const std::vector<Served>& attributes, double total, Closure closure);

/// The published objective, the sum of epsilon. Degenerate: leakage stays finite as epsilon grows, so once the total
/// reaches one attribute's limit that epsilon runs away to `largest_epsilon`; and it prefers all of one attribute to
/// some of several. Solved on a grid of leakage, from below.
/// Fails: as Choose; kInvalidArgument for more than 200 attributes or a largest epsilon that is not positive.
Result<Choice> ChooseSumOfEpsilon(const std::vector<Served>& attributes, double total, double largest_epsilon,
                                  Closure closure);

}  // namespace kith::one_sided
