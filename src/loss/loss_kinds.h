// A loss of any kind that can be charged: what one answer costs, or what was spent in all. Today every charge is pure;
// the other kinds are for laws of noise that cannot promise a pure loss.
#pragma once
#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "loss/loss.h"

namespace kith {

/// What is counted. Within each kind, the amounts of several charges add up: that is why mu is counted by its square.
/// The numbers and names are written to ledgers and never change.
enum class LossKind : std::uint8_t {
  kPure = 1,   // "pure": epsilon, in units of 2^-32 (PlainUnits)
  kMu = 2,     // "mu": the square of mu of Gaussian differential privacy, in units of 2^-40
  kRho = 3,    // "rho": rho of concentrated differential privacy, in units of 2^-40
  kDelta = 4,  // "delta": the probability that nothing else is promised, in units of 2^-60
};

inline constexpr std::array kLossKinds = {LossKind::kPure, LossKind::kMu, LossKind::kRho, LossKind::kDelta};

std::string_view NameOf(LossKind kind);
std::optional<LossKind> LossKindFrom(std::string_view name);

/// Losses of all kinds side by side, in whole units; a promise holds only with all of them together. There is no
/// conversion between kinds here: that is for callers who know the theorem.
class Loss {
 public:
  constexpr Loss() = default;
  static Loss Pure(PlainUnits units);
  /// The largest amount of a kind that a charge or a limit can have: 2^52 units, or a delta of 1.
  static constexpr std::int64_t Largest(LossKind kind) {
    return kind == LossKind::kDelta ? std::int64_t{1} << 60 : PlainUnits::kMax;
  }
  /// Fails: kInvalidArgument unless 0 <= amount <= Largest(kind).
  static Result<Loss> Of(LossKind kind, std::int64_t amount);
  /// The next whole number of units that is not below `value`: for what is charged for noise that is already fixed.
  /// Fails: kInvalidArgument if value is not a number between zero and the largest.
  static Result<Loss> Ceil(LossKind kind, double value);

  std::int64_t amount(LossKind kind) const { return amounts_[At(kind)]; }
  /// As a number, never below the amount.
  double value(LossKind kind) const;
  /// No kind other than pure.
  bool IsPure() const;

  /// Kind by kind. A sum beyond the largest amount is limited to one unit above it, so that it is within no limit.
  Loss operator+(const Loss& other) const;
  /// Less in every kind; unordered if each is less in some kind.
  std::partial_ordering operator<=>(const Loss& other) const;
  bool operator==(const Loss&) const = default;

 private:
  static constexpr std::size_t At(LossKind kind) { return static_cast<std::size_t>(kind) - 1; }
  std::array<std::int64_t, kLossKinds.size()> amounts_ = {};
};

}  // namespace kith
