// One question on one law, every method: the loss it claims and the loss it has, against every adversary.
#pragma once
#include "audit/exact_known.h"

namespace kith::audit {

/// What a method promises.
enum class Promise {
  kComposes,     // dependent loss, however many answers: plain losses add up and are translated once
  kSingleQuery,  // dependent loss of this one answer
  kPlainOnly,    // plain loss; nothing about dependence
  kHeuristic,    // a formula that is no theorem for this law
};
std::string Words(Promise promise);

struct MethodLine {
  std::string name;
  double scale = 0;    // of the noise
  double claimed = 0;  // dependent loss that the method states at this scale; of a plain method its plain loss
  Promise promise = Promise::kHeuristic;
  bool covers_known = false;  // it also promises this to somebody who knows other records
  AdversaryLosses truth;
  /// Beyond rounding.
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
