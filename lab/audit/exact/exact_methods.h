// One question on one law, every method: the loss it claims and the loss it has, against every adversary.
#pragma once
#include "audit/exact/exact_known.h"

namespace kith::audit {

/// What a method promises.
enum class Promise {
  kComposes,     // dependent loss, however many answers: plain losses add up and are translated once
  kSingleQuery,  // dependent loss of this one answer
  kPlainOnly,    // plain loss; nothing about dependence
  kHeuristic,    // a formula that is not proved for this law
};
std::string Words(Promise promise);

/// The published sum over pairs is a theorem where, given any secret record, all others are independent.
bool PairsAreEnough(const FiniteLaw& law);

/// Against whom a loss is judged.
enum class Knows {
  kNone,      // no other record
  kAnyOther,  // none, all, or the worst set that was looked at
};

struct MethodLine {
  std::string name;
  double scale = 0;    // of the noise
  double claimed = 0;  // dependent loss that the method states at this scale; of a plain method its plain loss
  Promise promise = Promise::kHeuristic;
  bool covers_known = false;  // it claims this against somebody who knows other records too; otherwise kNone only
  AdversaryLosses truth;
  /// The true loss against an adversary.
  double TrueLoss(Knows adversary) const;
  /// Whether a loss is within the claim, up to the rounding of the audit.
  bool Holds(double loss) const { return loss <= claimed * (1 + 1e-9) + 1e-12; }
  /// Whether the claimed number holds against this adversary, beyond rounding, whatever adversary the method claims it
  /// for: so that all methods can be judged by the same one.
  bool HoldsAgainst(Knows adversary) const;
  /// Whether it holds against those that the method claims it for.
  bool KeepsItsWord() const;
};

/// Either a wanted loss, to which every method sets its own noise, or one scale, at which every method states a loss.
struct Target {
  std::optional<double> epsilon;
  std::optional<double> scale;
};

struct LawAudit {
  std::string question;
  Target target;
  std::vector<MethodLine> methods;
  std::size_t records = 0;
  std::string not_shown;  // which methods were left out, and why; may be empty
};

/// Ensures [AUDIT-7]: every loss under `truth` is that of AUDIT-2 and AUDIT-6 at the method's scale.
/// Fails: kInvalidArgument unless the target names exactly one positive number; as AnswersOf and ExactAudit::Loss.
Result<LawAudit> AuditLaw(const FiniteLaw& law, const Additive& question, const ExactAudit& audit,
                          const Target& target);

}  // namespace kith::audit
