// What suppressed and released records of one attribute give away about another, under one-sided privacy: a record
// that is not sensitive is released with probability 1 - e^-epsilon, a sensitive one never. What was published as
// pairs, and the exact form for any set of observations. Arithmetic is double: these are figures for people; no release
// takes its guarantee from here.  Source: docs/theory/published.md#one-sided-leakage.
// Claims: claims/one_sided.md
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace kith::one_sided {

/// Which of n attributes of an entity are sensitive, jointly. Attribute 0 is the lowest bit of a state; a set bit means
/// NOT sensitive.
class SensitivityLaw {
 public:
  static constexpr std::size_t kMostAttributes = 20;

  /// `law[state]`; 2^n numbers that add up to 1 (within 1e-9; scaled to 1).
  /// Fails: kInvalidArgument (a size that is not a power of two, a negative number, a sum that is not 1).
  static Result<SensitivityLaw> Make(std::vector<double> law);
  /// From joint states seen in a sample that is public or consented; add-`smoothing` for each state.
  static Result<SensitivityLaw> FromCounts(const std::vector<double>& counts, double smoothing);

  std::size_t attributes() const { return attributes_; }
  const std::vector<double>& law() const { return law_; }
  /// P(attribute is sensitive).
  double Sensitive(std::size_t attribute) const;
  /// P(`attribute` is not sensitive | `given` is (not) sensitive); nothing if that never happens.
  std::optional<double> OpenGiven(std::size_t attribute, std::size_t given, bool given_open) const;

 private:
  SensitivityLaw(std::vector<double> law, std::size_t attributes) : law_(std::move(law)), attributes_(attributes) {}
  std::vector<double> law_;
  std::size_t attributes_;
};

/// How attribute j depends on attribute i: d1 = P(X_i sensitive | X_j sensitive), d2 = P(X_i sensitive | X_j not).
struct PairDependence {
  double d1 = 0;
  double d2 = 0;
};
/// Nothing if X_j is always or never sensitive: then there is no secret.
std::optional<PairDependence> Dependence(const SensitivityLaw& law, std::size_t i, std::size_t j);

/// Factor on the odds that X_j is sensitive when record i stayed away n times (Theorem 2, Corollary 1: n epsilon).
/// Requires: probabilities; epsilon >= 0, which may be infinite.
double SuppressedFactor(const PairDependence& pair, double epsilon);
/// The same when record i was released (Theorem 3): no epsilon can change it. Infinite if d2 = 1 > d1.
double ReleasedFactor(const PairDependence& pair);
/// The largest epsilon with SuppressedFactor <= e^kappa; infinite where every epsilon does.
/// Requires: kappa >= 0.
double LargestEpsilon(const PairDependence& pair, double kappa);

/// What was seen of one attribute.
struct Observation {
  std::size_t attribute = 0;
  double epsilon = 0;  // of one try; infinite: everything that is not sensitive is released, as naive rejection does
  int suppressed = 0;  // tries in which it stayed away
  bool released = false;
};
/// P(what was seen | the attribute is open, or not), up to a factor that is the same for both.
double Likelihood(const Observation& seen, bool open);

/// Odds that `target` is sensitive.
struct Odds {
  double prior = 0;
  double posterior = 0;        // infinite: certainly sensitive
  double factor = 0;           // posterior / prior
  double pairwise = 0;         // the product of the published pair factors; equal to `factor` only if observations are
                               // independent given the target
  bool product_holds = false;  // are they?
};
/// Exact, for any observations together (colluding applications pool theirs).
/// Fails: kInvalidArgument if the observations contradict the law, an attribute is seen twice or does not exist, or the
/// target has no secret (it is always or never sensitive).
Result<Odds> OddsAfter(const SensitivityLaw& law, std::size_t target, const std::vector<Observation>& seen);

/// I(X_j ; M_i) in nats for a release of attribute i with probability `rate` when not sensitive.
double Information(const SensitivityLaw& law, std::size_t i, std::size_t j, double rate);
/// I(X_target ; all M together) in nats, each attribute with its own rate (0: not served): what colluding applications
/// learn. Not the sum over i.
double JointInformation(const SensitivityLaw& law, std::size_t target, const std::vector<double>& rates);

}  // namespace kith::one_sided
