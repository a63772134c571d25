// What is asked, as the body of a request says it: read strictly, and answered by calls of the curator. For the server,
// and for programs that contain kith: the same words mean the same to both.
#pragma once
#include <optional>
#include <string>

#include "document/to_json.h"
#include "release/release.h"
#include "server/analyses.h"
#include "server/question.h"

namespace kith::server {

/// {"question": ..., "epsilon": ...}. Fails: kInvalidArgument.
Result<WantedQuestion> QuestionIn(const std::string& text);
/// {"questions": ..., "epsilon": ...}. Fails: kInvalidArgument.
Result<WantedQuestion> PlanIn(const std::string& text);

struct WantedAnalysis {
  std::string name;
  double epsilon = 0;
  AnyAnalysis analysis;
  std::optional<std::size_t> approval;
  std::string text;  // as of WantedQuestion
};

/// {"analysis": ..., "epsilon": ..., "options": {...}}. Fails: kInvalidArgument.
Result<WantedAnalysis> AnalysisIn(const std::string& text, const Policy& policy);

/// One of `plain` and `dependent` is given. Fails: kInvalidArgument, as Transfer.
Result<document::TransferredLoss> Transferred(const Transfer& transfer, std::optional<double> plain,
                                              std::optional<double> dependent, std::optional<double> delta);
/// {"model": {...}, "plain": ...} or {"model": {...}, "dependent": ...}. Fails: kInvalidArgument, as Transfer.
Result<document::TransferredLoss> TransferredIn(const std::string& text, const CancelFlag& cancel);
/// {"model": {...}, "dependent": ..., "counts": ...}. Fails: kInvalidArgument, as CompareForCounts.
Result<document::Comparison> ComparisonIn(const std::string& text, const CancelFlag& cancel);

}  // namespace kith::server
