// Releases that are private only with a delta, or can have normal noise.  Claims: claims/caps.md, claims/keys.md
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "release/pipeline.h"

namespace kith {

/// Charged by its Gaussian loss, or a pure one, and, against the cap of deltas, by its delta: no loss bounds it without
/// one.
struct DeltaRelease : Release {
  std::int64_t delta = 0;  // LossKind::kDelta; 0: not known yet

  /// Sets the delta before anything else is done with it, and normal noise (its square, LossKind::kMu) or, without one,
  /// the pure loss that it was priced at.
  virtual Result<void> UseDelta(std::optional<std::int64_t> mu, std::int64_t of_caps) = 0;
  /// How many units it takes to be seen with 95 % probability, as it is now.
  virtual Result<double> SeenFrom() const = 0;
  std::string KeyText(const std::string& policy, const DataState& data) const override {
    return Release::KeyText(policy, data) + "\ndelta " + std::to_string(delta);  // no share reads like this
  }
};

/// A release that is made with pure noise and can have normal noise in its place.
struct NormalRelease : Release {
  /// Normal noise at this Gaussian loss (its square, LossKind::kMu), before anything else is done with it.
  virtual Result<void> UseMu(std::int64_t mu) = 0;
  /// How large the noise will be, as it is now: a standard deviation.
  virtual Result<double> Error() const = 0;
};

/// What a release is charged in addition to its loss; 0 for most.
inline std::int64_t DeltaOf(const Release& release) {
  const auto* with = dynamic_cast<const DeltaRelease*>(&release);
  return with == nullptr ? 0 : with->delta;
}

/// Whether it loses no more than its total: neither normal noise nor a delta.
inline bool IsPure(const Release& release) {
  return release.priced.mu_shares.empty() && dynamic_cast<const DeltaRelease*>(&release) == nullptr;
}

}  // namespace kith
