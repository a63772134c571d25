// What a study is estimated from, and what comes of it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "app/cli/commands.h"
#include "base/cancel.h"
#include "document/estimates.h"
#include "estimate/estimate_input.h"

namespace kith::cli {

struct EstimateOptions {
  estimate::StudyFile file;
  document::EstimateQuestion question;
  std::string policy, plot, model, concordance, prevalence, concordance_kind = "probandwise";
  std::vector<std::string> axes;
  std::vector<std::int64_t> table, counts;
  std::int64_t pairs = 0, size = 0;
  bool json = false, explain = false, shared = false;
};

/// Studies that are a published number, not a file.
void AddCause(Command& estimate, Context& context);

/// Fails: kInvalidArgument (also for data that a policy protects), kStorage, kCancelled.
Result<document::EstimateReport> ReportOf(const EstimateOptions& options, const CancelFlag& cancel);

}  // namespace kith::cli
