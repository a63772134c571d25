// The one place that chooses a law of noise and names it. Code that adds noise to numbers says how far one unit can
// move them and what may be lost; which law does that is decided here. Laws of another form (a choice among
// candidates, one-sided noise) do not come from here: their users depend on that form.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/int128.h"
#include "base/result.h"
#include "loss/loss.h"
#include "loss/loss_kinds.h"
#include "mechanism/discrete_laplace.h"
#include "mechanism/rounded_normal.h"
#include "random/bits.h"

namespace kith {

/// What a law is called.
struct LawName {
  std::string_view id;    // in certificates: never changes
  std::string_view text;  // for people
};

inline constexpr LawName kDiscreteLaplaceName = {"discrete laplace", "discrete Laplace"};
inline constexpr LawName kRoundedNormalName = {"rounded normal", "rounded normal"};

/// The text of a law by its id; the id itself if no such law is known (a certificate of a later version).
std::string_view LawText(std::string_view id);

/// Noise for the whole numbers of one statistic. Immutable: safe to use from several threads.
class Noise {
 public:
  /// Values beyond +-2^125 are clamped to it, before and after the noise, whatever the law.
  static constexpr Int128 kLargest = DiscreteLaplace::kLargest;

  /// The law that hides `change` at this loss: discrete Laplace noise for a pure one, rounded normal noise for a
  /// Gaussian one. No change needs no noise. Ensures [NOISE-1]: if the values change by at most `change` (its L1, its
  /// L2 and its number of groups), releasing them all loses at most share, and loss() is share, or nothing if there is
  /// no change. Fails: kInvalidArgument if the share is zero although the change is not; kUnsupportedQuery if there is
  /// no law for such a loss.
  static Result<Noise> For(const Sensitivities& change, const Loss& share);
  static Result<Noise> For(const Sensitivities& change, PlainUnits share) { return For(change, Loss::Pure(share)); }

  /// The smallest pure share whose ErrorBarAll(confidence, cells) is at most error_in_steps.
  /// Requires: 0 < confidence < 1, cells >= 1.
  /// Fails: kInvalidArgument if the error is not a number of at least 0, or not even the largest share reaches it.
  static Result<PlainUnits> ShareForError(const Sensitivities& change, double error_in_steps, double confidence,
                                          std::uint64_t cells = 1);

  /// The value plus noise.
  Int128 Release(Int128 value, BitSource& bits) const;
  /// Releases all values in place.
  void ReleaseAll(std::span<Int128> values, BitSource& bits) const;

  /// The smallest whole number of steps that the noise exceeds with probability at most 1 - confidence (in either
  /// direction). Requires: 0 < confidence < 1.
  double ErrorBar(double confidence) const { return ErrorBarAll(confidence, 1); }
  /// The same for all cells at once. Requires: 0 < confidence < 1, cells >= 1.
  double ErrorBarAll(double confidence, std::uint64_t cells) const;

  /// In steps, for people to read.
  double scale() const;
  /// In squared steps, to weigh noisy numbers against each other.
  double variance() const;
  const Sensitivities& change() const { return change_; }
  /// What a release of all values costs.
  const Loss& loss() const { return loss_; }

  LawName Name() const;
  /// The claims that the loss rests on.
  std::vector<std::string> Claims() const;
  /// The claim by which a plan bounds the change that this law hides.
  std::string PlanClaim() const;

 private:
  using Law = std::variant<DiscreteLaplace, RoundedNormal>;
  Noise(Law law, const Sensitivities& change, const Loss& loss) : law_(law), change_(change), loss_(loss) {}

  Law law_;
  Sensitivities change_;
  Loss loss_;
};

}  // namespace kith
