// How much of a window's loss each release of a stream gets, when an entity is present for at most `window` consecutive
// steps: every window of that many steps may lose epsilon, without end. All at once when the requests are known
// (offline), or as they come (online).  Source: docs/theory/mechanisms.md#allocation.  Claims: claims/stream.md
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"

namespace kith::stream {

struct Window {
  std::size_t steps = 0;  // the longest stay
  double epsilon = 0;     // what the steps of one window may lose together
};

enum class Aim {
  kAbsolute,  // smallest sum of c / epsilon: expected size of the noise
  kVariance,  // smallest sum of c / epsilon^2
};

/// The best allocation for requests that are all known. `costs[t]` is the sensitivity of the release at step t; 0:
/// none. Fails: kInvalidArgument (no steps in a window, an epsilon that is not positive, a cost that is negative or not
/// a number). Ensures [STREAM-2]: no window exceeds epsilon. The objective is within 0.1 % of the optimum.
Result<std::vector<double>> AllocateOffline(const std::vector<double>& costs, const Window& window, Aim aim);

enum class Rule {
  kUniform,        // epsilon / window, whether asked or not: best where nearly every step asks
  kHarmonic,       // epsilon / (k H): within 2 H of the best choice in hindsight
  kHarmonicSlack,  // never less than harmonic; gives what no future can still need
  kRate,           // remaining / (1 + rate (window - 1)): for a known rate of requests; no worst case
  kFloorTarget,    // a floor for every step, the rest aimed at a known rate
  kHalf,           // half of what remains: decays to nothing under steady requests; for comparison only
};

struct RuleOptions {
  double rate = 1;     // kRate, kFloorTarget: expected share of steps that ask
  double floor = 0.5;  // kFloorTarget: share of epsilon that is spread evenly
};

/// Allocates as requests come. Holds the last window of allocations, nothing else; two with the same history agree.
class Online {
 public:
  /// Fails: kInvalidArgument, as AllocateOffline; a rate or floor outside (0, 1].
  static Result<Online> Make(const Window& window, Rule rule, const RuleOptions& options);

  /// One step of time. Ensures [STREAM-1]: whatever the requests, the sum over any `window.steps` consecutive steps is
  /// at most epsilon. 0 where nothing is asked.
  double Next(bool asks);

  /// Continues after a stop: what was given in the steps before, oldest first (only the last window counts).
  void Resume(const std::vector<double>& given);

 private:
  Online(const Window& window, Rule rule, const RuleOptions& options);
  double Wanted() const;
  double Harmonic() const;
  double Slack() const;
  double Remaining() const;

  Window window_;
  Rule rule_;
  RuleOptions options_;
  std::vector<double> harmonic_;  // harmonic_[k] = 1 + 1/2 + ... + 1/k
  std::vector<double> given_;     // of the last window - 1 steps, oldest first
};

}  // namespace kith::stream
