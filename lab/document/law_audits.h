// What audits of laws and of the gallery found, and what runs of a program prove, with the words that accompany the
// numbers; and their JSON.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "audit/audit.h"
#include "base/json.h"
#include "probe/probe.h"

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

Json ToJson(const ModelAudit& audit);
Json ToJson(const std::vector<GalleryLine>& lines);

/// What runs prove, and the claim that they were to test.
struct TestedClaim {
  probe::Proof proof;
  std::optional<double> claimed;

  bool Refuted() const { return claimed && proof.loss_at_least > *claimed; }
};
Json ToJson(const TestedClaim& tested);

}  // namespace kith::document
