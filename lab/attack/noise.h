// How much noise each method would add: plain loss for a promised loss, on one friendship graph. For comparison: no
// release takes its noise from here.
// Source: Liu, Chakraborty, Mittal 2016, Eqs. 18, 23-26, Theorem 7; docs/theory/transfer.md#star, #field.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "attack/places.h"
#include "base/cancel.h"
#include "base/result.h"

namespace kith::attack {

/// How friends depend on each other, as somebody would declare it.
struct Strength {
  std::size_t side = 20;             // Eq. 26 on side x side points of the unit square
  double b = 0.196, c = 1.05;        // Eq. 26 as published; b in the units of the unit square
  std::optional<double> odds_ratio;  // instead of Eq. 26, for `star` and `field`
};

struct Method {
  std::string name;     // "laplace", "group", "dpm-eq18", ...
  std::string meaning;  // one sentence: the rule, and whether its promise is a theorem here
};
/// laplace, baseline, group, dpm-eq14, dpm-eq18, dpm-eq18-0.9, dpm-eq18-0.8, star, field.
const std::vector<Method>& Methods();

/// Plain losses for one graph. Tables are computed once, when the first method needs them.
class Calibration {
 public:
  /// Requires: `friends` symmetric, without self loops.
  /// Fails: kInvalidArgument if the strength makes no sense (side outside 2..40, b, c not positive, odds ratio below
  /// 1).
  static Result<Calibration> Make(const Friends& friends, const Strength& strength);
  Calibration(Calibration&&) noexcept;
  Calibration& operator=(Calibration&&) noexcept;
  ~Calibration();

  /// The plain loss that the method allows one answer, for a promised loss of epsilon. The noise is the unit noise of
  /// the query divided by it. Fails: kInvalidArgument for an unknown method or an epsilon that is not positive and
  /// finite, or if the method allows nothing at all.
  Result<double> PlainLoss(const std::string& method, double epsilon);

  /// The reverse: the loss that the method promises for an answer of this plain loss. Fails: as PlainLoss.
  Result<double> Promised(const std::string& method, double plain);

  std::size_t largest_degree() const;
  std::size_t largest_component() const;

 private:
  struct State;
  explicit Calibration(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kith::attack
