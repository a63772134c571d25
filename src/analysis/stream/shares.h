// What one step of a stream may spend, in whole units, given what the stream spent before; and the test of the adaptive
// rules whether a step differs from what was published last. Keeps no state: all of it is in the ledger.
// Source: docs/theory/mechanisms.md#allocation, #adaptive-release; Kellaris, Papadopoulos, Xiao, Papadias 2014 (budget
// distribution and absorption).
// Claims: claims/stream.md
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "analysis/stream/allocate.h"
#include "base/result.h"
#include "loss/loss.h"

namespace kith::stream {

/// The rules that a release can be made by.
enum class Sharing { kUniform, kHarmonic, kSlack, kRate, kOffline, kDistribution, kAbsorption };

/// The rule of a name: uniform, harmonic, slack, rate, offline, bd, ba. Fails: kInvalidArgument with all names.
Result<Sharing> SharingOf(const std::string& name);
std::string NameOf(Sharing sharing);
/// bd and ba: half of the budget tests whether a step differs, the other half publishes the steps that do.
bool IsAdaptive(Sharing sharing);

struct Spent {
  std::int64_t tick = 0, units = 0;
};

/// What a stream's steps share. Immutable.
class Terms {
 public:
  /// `units` is what `window` consecutive steps of this stream may spend. `rate`: expected share of steps that ask, for
  /// the rule of that name. `asked`: for offline, all steps that will ever ask.
  /// Fails: kInvalidArgument if there is less than one unit for a step, a rate outside (0, 1], or for offline no steps
  /// or more than can be computed.
  static Result<Terms> Make(Sharing sharing, std::int64_t window, PlainUnits units, double rate,
                            std::span<const std::int64_t> asked);

  Sharing sharing() const { return sharing_; }
  std::int64_t window() const { return window_; }
  PlainUnits units() const { return units_; }

  /// What a step may spend on its release, for rules that are not adaptive. `before`: this stream's spending in the
  /// window - 1 steps before, ascending. 0: nothing is left, or offline did not plan for it.
  /// Ensures [STREAM-3]: with this and `before`, the sum of any `window` consecutive steps is at most `units`.
  PlainUnits Release(std::int64_t tick, std::span<const Spent> before) const;

  /// Adaptive rules: what the test of a step costs, always the same.
  PlainUnits Test() const;
  /// Adaptive rules: what a publication of this step may spend. `published`: this stream's publications in the 2 window
  /// steps before, ascending; `first`: its first step in the window that ends with this one. 0: the step repeats what
  /// was published last, untested. Ensures [STREAM-4]: tests and publications of any `window` consecutive steps
  /// together spend at most `units`.
  PlainUnits Publication(std::int64_t tick, std::span<const Spent> published, std::int64_t first) const;

 private:
  Terms(Sharing sharing, std::int64_t window, PlainUnits units, double rate);

  Sharing sharing_;
  std::int64_t window_;
  PlainUnits units_;
  double rate_;
  std::map<std::int64_t, std::int64_t> planned_;  // offline: units of each step
};

}  // namespace kith::stream
