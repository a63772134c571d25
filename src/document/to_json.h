// Everything that kith says, as JSON. Field names are stable; docs/schema/kith.schema.json describes them. To text:
// JsonText of base/json.h.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "document/audits.h"
#include "document/import_report.h"
#include "probe/probe.h"
#include "published/compare.h"
#include "release/release.h"
#include "release/stream/stream.h"
#include "transfer/transfer.h"

namespace kith::document {

/// {"error": {...}}
nlohmann::json ToJson(const Error& error);
nlohmann::json ToJson(const Guarantee& guarantee);
nlohmann::json ToJson(const Certificate& certificate);
nlohmann::json ToJson(const Answer& answer);
nlohmann::json ToJson(const Explanation& explanation);
/// `stay`: what the totals of a stream are about (StayOf); empty without a stream.
nlohmann::json ToJson(const BudgetReport& report, const std::string& stay);

/// What is known of a stream before its first step.
struct StreamHead {
  std::string stream;  // its question, as the ledger knows it
  std::vector<std::string> columns;
  std::string step_0;  // when it begins
  StreamGuarantee guarantee;
};
nlohmann::json ToJson(const StreamHead& head);
/// Of an answer that is a step.
nlohmann::json StepToJson(const Answer& step);

/// A plain loss and what a model makes of it.
struct TransferredLoss {
  double plain = 0;
  Transferred result;
  std::optional<double> delta;  // dependent delta, if a plain one was given
};
nlohmann::json ToJson(const TransferredLoss& found);

/// Noise for counts under every method.
struct Comparison {
  double epsilon = 0;
  std::int64_t counts = 1;
  std::vector<published::Method> methods;
};
nlohmann::json ToJson(const Comparison& comparison);

/// What runs prove, and the claim that they were to test.
struct TestedClaim {
  probe::Proof proof;
  std::optional<double> claimed;

  bool Refuted() const { return claimed && proof.loss_at_least > *claimed; }
};
nlohmann::json ToJson(const TestedClaim& tested);

nlohmann::json ToJson(const ImportReport& report);

nlohmann::json ToJson(const ModelAudit& audit);
nlohmann::json ToJson(const std::vector<GalleryLine>& lines);
nlohmann::json ToJson(const PolicyAudit& audit);

}  // namespace kith::document
