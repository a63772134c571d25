// The table of studies that a strength is estimated from, with their options: said here once. The command line takes
// flags and help from it, the Python module the fields that it reads.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel.h"
#include "base/option_spec.h"
#include "document/estimates.h"
#include "estimate/estimate_input.h"

namespace kith::cli {

/// What was chosen for one estimate.
struct EstimateOptions {
  estimate::StudyFile file;
  document::EstimateQuestion question;
  std::string policy, concordance, prevalence, concordance_kind = "probandwise";
  std::vector<std::string> axes;
  std::vector<std::int64_t> table, counts;
  std::int64_t pairs = 0;
  bool shared = false;
  std::optional<std::int64_t> size;  // of the largest group; of a chain its length
};

struct EstimateForm {
  const char* name;                                  // pairs
  const char* about;                                 // in one line
  std::vector<OptionSpec> (*own)(EstimateOptions&);  // besides those that all have
};

/// In the order in which help lists them.
std::span<const EstimateForm> EstimateForms();
/// Null: there is no such kind of study.
const EstimateForm* FindEstimate(std::string_view name);

/// Those that all have, `file` first, then its own. Their places are in `options`, which must outlive them.
std::vector<OptionSpec> OptionsOf(const EstimateForm& form, EstimateOptions& options);

/// Fails: kInvalidArgument (also for data that a policy protects), kStorage, kCancelled.
Result<document::EstimateReport> ReportOf(const EstimateForm& form, EstimateOptions options, const CancelFlag& cancel);

}  // namespace kith::cli
