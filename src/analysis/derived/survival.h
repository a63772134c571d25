// Survival curves: Kaplan and Meier's product over noisy numbers of events and of censored units in every step of time.
// Claims: claims/derived.md
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/derived/derived.h"

namespace kith {

struct SurvivalOptions {
  static constexpr std::size_t kMaxSteps = 1000;

  std::string time;     // a number with bounds, or an expression: how long the unit was followed; below 0: left out
  std::string event;    // a condition: the event ended that time; otherwise the unit was censored then
  double step = 1;      // of time; events and censored units are counted in steps
  std::string by;       // a curve for each of its values; may be empty
  std::string where;    // only these; may be empty
  std::string from;     // a sub-select with one row for each unit; empty: the unit's table
  std::string compare;  // as `by`, with two values: in addition to the curves, the ratio of their hazards; may be
                        // empty

  /// There is a curve for each of its values; may be empty.
  const std::string& groups() const { return compare.empty() ? by : compare; }
};

/// One step of one curve.
struct SurvivalStep {
  double events = 0, censored = 0;  // noisy
};
/// A point of the curve, at the end of a step. Nothing from the step on in which too few are left.
struct SurvivalPoint {
  double at_risk = 0, at_risk_95 = 0;
  std::optional<double> survival;
  double noise_95 = 0;       // how far noise may have moved it
  double low = 0, high = 1;  // noise and sampling together, whenever in their steps units were censored
};

/// The actuarial curve of noisy counts: half of those censored in a step are at risk in it. Monotone, between 0 and 1.
/// Ensures [SURVIVAL-1]: to first order in the noise, the curve of the noiseless counts is within noise_95 at a point
/// with 95 %, and the Kaplan-Meier curve of the exact times of the same units between low and high; points at which
/// noise may be half of those at risk have no value.
std::vector<SurvivalPoint> SurvivalCurve(const std::vector<SurvivalStep>& steps, const NoiseDistribution& events,
                                         const NoiseDistribution& censored);

class Survival final : public Derived {
 public:
  /// Fails: kInvalidArgument, kUnsupportedQuery; as PlanQuestion.
  static Result<std::unique_ptr<Survival>> Make(const SurvivalOptions& options, const Policy& policy);

  std::string Method() const override;
  Findings Conclude(const NoisyTable& table) const override;

 private:
  Survival(SurvivalOptions options, DerivedQuestion question, bool below)
      : Derived(std::move(question)), options_(std::move(options)), below_(below) {}

  SurvivalOptions options_;
  bool below_;  // the time could be below 0
};

}  // namespace kith
