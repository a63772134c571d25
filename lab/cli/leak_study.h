// What `kith leakage` computes from a model: figures for its own law, and for the worst law within its limits.
#pragma once
#include "base/result.h"
#include "cli/leak_output.h"

namespace kith::cli::lab {

/// What was seen, or asked for.
struct LeakageQuestion {
  std::vector<std::string> suppressed, released;
  std::string observed;
  bool naive = false;
};
/// Fails: kInvalidArgument: impossible observations, nothing served and nothing seen.
Result<LeakageReport> StudyLeakage(std::string file, LeakageModel model, const LeakageQuestion& question);

struct ChoiceQuestion {
  double total = 0;
  std::string objective, closure;
  std::optional<double> largest_epsilon;
};
Result<ChoiceReport> StudyChoice(std::string file, LeakageModel model, const ChoiceQuestion& question);

PartialReport StudyPartial(std::string file, PartialModel model);

}  // namespace kith::cli::lab
