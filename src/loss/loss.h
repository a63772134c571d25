// The vocabulary of loss. Plain loss is counted in whole units of 2^-32, so that charges add up exactly; dependent loss
// is what the transfer function makes of the total (docs/theory/model.md#transfer-once).
#pragma once
#include <compare>
#include <cstdint>
#include <span>

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
  /// What several charges cost together. Fails: kBudgetExhausted above kMax: no budget is that large.
  static Result<PlainUnits> Sum(std::span<const PlainUnits> charges);
  /// a + b, or kMax if that is less. For reports only: a sum that was limited could pass the check of a limit.
  static PlainUnits CutSum(PlainUnits a, PlainUnits b);

  /// Requires: the sum is at most kMax.
  friend PlainUnits operator+(PlainUnits a, PlainUnits b) { return Of(a.count_ + b.count_); }
  /// Requires: b <= a.
  friend PlainUnits operator-(PlainUnits a, PlainUnits b) { return Of(a.count_ - b.count_); }

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

/// The largest change in L1, in lattice steps, when one unit's record is replaced.
class Sensitivity {
 public:
  static constexpr std::int64_t kMax = std::int64_t{1} << 31;
  /// Fails: kInvalidArgument unless 0 <= steps <= kMax (2^31, so that scales stay 64-bit rationals).
  static Result<Sensitivity> Make(std::int64_t steps);
  std::int64_t steps() const { return steps_; }
  bool operator==(const Sensitivity&) const = default;

 private:
  explicit Sensitivity(std::int64_t steps) : steps_(steps) {}
  std::int64_t steps_;
};

/// The sensitivity of a statistic in three norms: how far its integers can move, over all groups of the answer
/// together, in lattice steps, when one unit's record is replaced. Each of the three is a separate bound: different
/// records may reach them. A law of noise uses the one that it needs: Laplace L1, normal noise L2.
class Sensitivities {
 public:
  /// l1: the sum of the changes; l2_squared: the sum of their squares; groups: in how many groups there is any change.
  /// Fails: kInvalidArgument unless l1 is a sensitivity, all three are zero or none is, l2_squared <= l1^2 and
  /// groups <= l1 (both hold for whole numbers).
  static Result<Sensitivities> Make(std::int64_t l1, std::int64_t l2_squared, std::int64_t groups);
  /// What just L1 implies: all of it may be in one group, or a step in each of as many groups. Never too small.
  static Result<Sensitivities> OfL1(std::int64_t steps);
  /// Of a statistic that no secret can change.
  static Sensitivities None();

  Sensitivity l1() const { return l1_; }
  std::int64_t l2_squared() const { return l2_squared_; }
  std::int64_t groups() const { return groups_; }
  /// Made only of public facts: needs no noise.
  bool IsNone() const { return l1_.steps() == 0; }
  bool operator==(const Sensitivities&) const = default;

 private:
  Sensitivities(Sensitivity l1, std::int64_t l2_squared, std::int64_t groups)
      : l1_(l1), l2_squared_(l2_squared), groups_(groups) {}
  Sensitivity l1_;
  std::int64_t l2_squared_;  // at most 2^62
  std::int64_t groups_;
};

/// The points a statistic can take: integer multiples of 2^exponent. Chosen from public facts only.
struct Lattice {
  int exponent = 0;
  double step() const;
  bool operator==(const Lattice&) const = default;
};

}  // namespace kith
