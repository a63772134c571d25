// The inference attack on location patterns, whole: what friends give away without any release, and what a release
// adds. Source: Liu, Chakraborty, Mittal 2016, section IV;
// docs/theory/published.md#inference-attack.  Claims: claims/attack.md
//
//   const auto patterns = TopPlaces(visits, 6);
//   const Grid grid(visits.places, 20);
//   const auto query = Query::Centroids(*patterns, grid, 8, Spread::kUniform, seed);
//   const auto found = RunAttack({*patterns, grid, *query, friends}, adversaries, noises, settings, cancel);
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "attack/places.h"
#include "attack/query.h"
#include "base/cancel.h"
#include "base/result.h"

namespace kith::attack {

/// What is attacked. All parts must outlive the attack.
struct Target {
  const Patterns& patterns;
  const Grid& grid;
  const Query& query;
  const Friends& friends;
};

/// Who attacks.
struct Adversary {
  std::string name;
  bool friends = false;              // Eq. 9 instead of Eq. 8
  std::optional<std::size_t> known;  // how many users' patterns are known, chosen at random; nothing: all others
  double follow = 0;                 // unknown friends are, each with this probability, where the user is; in [0, 1)
};

/// One noisy release: which method, what it promises, and the plain loss that it therefore spends.
struct Noise {
  std::string method;
  double epsilon = 0;
  double plain = 0;
};

struct Settings {
  double weight = 0.5;   // lambda of Eq. 9: weight 1 + lambda x friends near a cell
  double radius_km = 1;  // how near
  double smoothing = 0;  // added to every count
  std::size_t repetitions = 10;
  std::uint64_t seed = 0;
  unsigned threads = 0;                  // 0: all cores; does not change the result
  std::function<void(double)> progress;  // in [0, 1], from any thread, one at a time
};

/// A mean over repetitions and its 95 % confidence interval (Student's t; one repetition: no interval).
struct Estimate {
  double mean = 0;
  double low = 0;
  double high = 0;
};
Estimate EstimateOf(const std::vector<double>& values);

/// Without any release. Means over users; bits for all q places of a pattern together.
struct Before {
  std::string adversary;
  double entropy_bits = 0;  // of the prior without friends, Eq. 8
  double friends_bits = 0;  // divergence of the prior with friends from the one without
  double right_bits = 0;    // how much more likely friends have made the true cells; negative: they mislead
  double error_km = 0;      // of the most likely cell of the adversary's prior
};

/// With one release.
struct After {
  std::string adversary;
  Noise noise;
  Estimate error_km;         // Eq. 10
  Estimate mixed_bits;       // Eq. 11 as published: entropy of Eq. 8 minus that of the posterior; mixes both leaks
  Estimate release_bits;     // divergence of the posterior from the same adversary's prior: what the release added
  Estimate right_bits;       // how much more likely the release made the true cells; negative: it misled
  double worst_bits = 0;     // the same for the worst user in any repetition
  double bound_bits = 0;     // mean over users of the most it can be, given what this adversary assumes [ATTACK-4]
  double promised_bits = 0;  // K(epsilon): the most it can be if the method keeps its promise
};

struct Found {
  std::vector<Before> before;  // one for each adversary
  std::vector<After> after;    // adversary by adversary, noise by noise
};

/// Attacks every user. Noise of one repetition is the same for all methods up to its scale, so methods compare.
/// Ensures [ATTACK-4]: in every repetition, the mean divergence is at most bound_bits, up to rounding.
/// Fails: kInvalidArgument if a setting makes no sense or more users are to be known than there are; kCancelled.
Result<Found> RunAttack(const Target& target, const std::vector<Adversary>& adversaries,
                        const std::vector<Noise>& noises, const Settings& settings, const CancelFlag& cancel);

}  // namespace kith::attack
