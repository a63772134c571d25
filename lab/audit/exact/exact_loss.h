// The exact loss of one answer with Laplace noise, about every record of a finite law: loss, delta, information, and
// the smallest scale. Source: docs/theory/published.md#exact-losses, #exact-delta, #information.
// Claims: claims/audit.md
//
// Double arithmetic, not rounded to the safe side: an audit says what is true to about 12 digits; no noise comes from
// here.
#pragma once
#include <span>

#include "audit/exact/exact_law.h"

namespace kith::audit {

/// The noise on a whole-number answer.
enum class Noise {
  kContinuous,  // density proportional to e^{-|z|/scale} on the line
  kDiscrete,    // the same on whole numbers: what kith adds
  kNormal,      // rounded normal, the scale being its standard deviation: what kith adds under a budget with a delta
};

/// Where a loss is largest: the output at `answer` favours value `high` of the record over value `low`.
struct Worst {
  double loss = 0;
  std::size_t record = 0;
  std::size_t high = 0, low = 0;
  double answer = 0;  // steps above the smallest answer
};

/// An answer that is ready to be audited at any scale. Immutable; safe to share between threads.
class ExactAudit {
 public:
  /// Fails: as AnswersOf.
  static Result<ExactAudit> Make(const FiniteLaw& law, const Additive& question);

  /// The largest log-ratio of the output's laws given two values of a record, over records and outputs. The same for
  /// both kinds of noise: the worst output is an answer without noise, and those are whole numbers.
  /// Ensures [AUDIT-2]: the dependent loss against somebody who knows the law and no record, up to rounding.
  /// Fails: kInvalidArgument unless scale > 0, or where tails below 1e-290 would decide (long networks, little noise).
  Result<Worst> Loss(double scale) const;

  /// The smallest scale whose loss is at most epsilon, to a relative 1e-12, never below sensitivity / epsilon.
  /// Ensures [AUDIT-3]: Loss at the returned scale is at most epsilon, up to rounding. For one answer: such scales do
  /// not compose.
  Result<double> Scale(double epsilon) const;

  /// The smallest delta for which the answer is (epsilon, delta)-private about every record.
  /// Ensures [AUDIT-4]: exact up to rounding.
  Result<double> Delta(double scale, double epsilon, Noise noise) const;

  /// What the output reveals about a record, in nats: the largest over records, each with its own bound K(its loss).
  struct Information {
    std::size_t record = 0;
    double mutual = 0;      // between the record and the output with discrete noise
    double divergence = 0;  // the largest, over outputs, of the prior from the posterior
    double bound = 0;       // K of the record's loss: neither can exceed it
  };
  /// Nothing if the law has no priors. Ensures [AUDIT-5]: mutual and divergence are at most bound, up to rounding.
  std::optional<Information> InformationAt(double scale) const;

  std::span<const RecordAnswers> answers() const { return answers_; }
  double sensitivity() const { return sensitivity_; }
  /// Of each record, 0 if it cannot move the answer.
  const std::vector<double>& sensitivities() const { return sensitivities_; }
  std::vector<published::Secret> Secrets() const;

 private:
  ExactAudit() = default;
  Result<void> CheckScale(double scale) const;

  std::vector<RecordAnswers> answers_;
  std::vector<double> sensitivities_;
  double sensitivity_ = 0;
  bool has_priors_ = true;
  bool nothing_underflows_ = true;
};

/// The largest log-ratio between laws on one axis, over outputs and pairs. `high`, `low` and `answer` index laws and
/// places.
Worst LargestRatio(const published::Secret& secret, double scale);

}  // namespace kith::audit
