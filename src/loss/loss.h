// The vocabulary of loss. Plain loss is counted in whole units of 2^-32, so that charges add up exactly; dependent loss
// is what the transfer function makes of the total (docs/theory/model.md#transfer-once).
#pragma once
#include <compare>
#include <cstdint>

#include "base/result.h"

namespace kith {

/// Plain loss in units of 2^-32. Not negative, never above 2^52 units (a loss of a million protects nobody).
class PlainUnits {
 public:
  static constexpr std::int64_t kOne = std::int64_t{1} << 32;
  static constexpr std::int64_t kMax = std::int64_t{1} << 52;

  constexpr PlainUnits() = default;
  /// Rounds down: a charge may not exceed what was asked for, and noise is derived from the rounded charge.
  /// Fails: kInvalidArgument if epsilon is not a number in [0, 2^20].
  static Result<PlainUnits> Floor(double epsilon);
  /// Requires: 0 <= count <= kMax.
  static PlainUnits Of(std::int64_t count);

  std::int64_t count() const { return count_; }
  /// Exact: a count below 2^53 times a power of two.
  double epsilon() const { return static_cast<double>(count_) / static_cast<double>(kOne); }
  auto operator<=>(const PlainUnits&) const = default;

 private:
  constexpr explicit PlainUnits(std::int64_t count) : count_(count) {}
  std::int64_t count_ = 0;
};

/// A positive, finite loss as stated by a person: a total in a policy, or a price.
class Epsilon {
 public:
  /// Fails: kInvalidArgument unless 0 < value <= 2^20 (zero, negative, NaN and infinity are refused).
  static Result<Epsilon> Make(double value);
  double value() const { return value_; }

 private:
  explicit Epsilon(double value) : value_(value) {}
  double value_;
};

/// How one unit can change a statistic: the largest L1 change, in lattice steps, when one unit's record is replaced.
/// Zero means that the statistic is made of public facts alone.
class Sensitivity {
 public:
  static constexpr std::int64_t kMax = std::int64_t{1} << 31;
  /// Fails: kInvalidArgument unless 0 <= steps <= kMax (2^31, so that scales stay 64-bit rationals).
  static Result<Sensitivity> Make(std::int64_t steps);
  std::int64_t steps() const { return steps_; }

 private:
  explicit Sensitivity(std::int64_t steps) : steps_(steps) {}
  std::int64_t steps_;
};

/// The points a statistic can take: integer multiples of 2^exponent. Chosen from public facts only.
struct Lattice {
  int exponent = 0;
  double step() const;
  bool operator==(const Lattice&) const = default;
};

}  // namespace kith
