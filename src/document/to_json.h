// Everything that kith says, as JSON. Field names are stable; docs/schema/kith.schema.json describes them. To text:
// JsonText of base/json.h.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "document/audits.h"
#include "document/import_report.h"
#include "release/release.h"
#include "release/stream/stream.h"
#include "transfer/count_noise.h"
#include "transfer/transfer.h"

namespace kith::document {

/// {"error": {...}}
Json ToJson(const Error& error);
Json ToJson(const Guarantee& guarantee);
Json ToJson(const Certificate& certificate);
Json ToJson(const Answer& answer);
Json ToJson(const Explanation& explanation);
/// `stay`: what the totals of a stream are about (StayOf); empty without a stream.
Json ToJson(const BudgetReport& report, const std::string& stay);

/// What is known about a stream before its first step.
struct StreamHead {
  std::string stream;  // its question, as the ledger knows it
  std::vector<std::string> columns;
  std::string step_0;  // when it begins
  StreamGuarantee guarantee;
};
Json ToJson(const StreamHead& head);
/// Of an answer that is a step.
Json StepToJson(const Answer& step);

/// A plain loss and what a model makes of it.
struct TransferredLoss {
  double plain = 0;
  Transferred result;
  std::optional<double> reached;  // Transfer::Reached
  std::optional<double> delta;    // dependent delta, if a plain one was given
  std::string witness;            // SHA-256 of the file that proves it, if one was written
};
Json ToJson(const TransferredLoss& found);

/// Noise for counts under every method.
struct Comparison {
  double epsilon = 0;
  std::int64_t counts = 1;
  std::vector<CountMethod> methods;
};
Json ToJson(const Comparison& comparison);

Json ToJson(const ImportReport& report);

Json ToJson(const PolicyAudit& audit);

}  // namespace kith::document
