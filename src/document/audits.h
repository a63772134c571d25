// What audits found: of a law, of the gallery, of a policy's history; with the words that accompany the numbers.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "audit/audit.h"
#include "policy/distance.h"
#include "release/guarantee.h"

namespace kith::document {

/// The least delta of every method at an epsilon.
struct DeltaAudit {
  double epsilon = 0;
  std::vector<double> of_methods;  // in the order of the table; discrete noise
};

/// A law that was audited, with what is said about it besides the table.
struct ModelAudit {
  std::string file;
  audit::LawAudit table;
  std::optional<DeltaAudit> delta;
  std::optional<audit::ExactAudit::Information> information;  // at the noise of `informed`
  std::string informed;
};
std::string Verdict(const ModelAudit& audit);
/// Whom a method's number is for, as a word of the table: none, any or all.
std::string ClaimedAgainst(const audit::MethodLine& line);
/// A true loss; what exceeds the claim only by the audit's own rounding (AUDIT-7) is the claim.
std::string TrueText(double loss, double claimed, bool holds);

/// Files of the gallery.
struct GalleryLine {
  std::string file;
  audit::GalleryCase what;
  audit::GalleryResult result;
};
std::string Verdict(const std::vector<GalleryLine>& lines);

/// A policy's history.
struct PolicyAudit {
  std::string file;
  audit::PolicyLeak leak;
  double epsilon_total = 0;
  std::optional<double> epsilon;     // of one more answer
  std::size_t answers = 0;           // noisy ones, so far
  std::string dependence;            // kind of the model
  Guarantee guarantee;               // of the answers so far, as certificates state it
  std::string stay;                  // of a stream: what its totals are about
  std::optional<Distance> distance;  // of a metric unit: losses are for moves of its delta
  double steps = 1;                  // how many such moves any change of a unit takes; infinite: no number is enough
  double any = 0;                    // the part of every loss that is for any change already
  double largest = 0;                // dependent loss of any stratum

  /// What a loss for moves means for any change of a unit within its region.
  double AnyChange(double loss) const { return loss <= any ? loss : (loss - any) * steps + any; }
};
std::string Verdict(const PolicyAudit& audit);
/// The strata that lose most come first.
std::vector<const audit::StratumLeak*> WorstStrata(const PolicyAudit& audit);
/// "no bound" where there is none.
std::string BitsText(double bits);

}  // namespace kith::document
