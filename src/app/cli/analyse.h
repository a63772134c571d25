// What all analyses of `kith analyse` share.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/derived/derived.h"
#include "app/cli/commands.h"
#include "release/release.h"

namespace kith::cli {

struct Picture {
  std::string file;  // without a folder
  std::string svg;
};

/// One analysis of the verb: how it is made from a policy, and the pictures of its answer.
struct AnalysisVerb {
  std::function<Result<std::unique_ptr<Analysis>>(const Policy&)> make;
  std::function<std::vector<Picture>(const Answer&)> draw;
};

/// The same for one that reads rows itself; `keep` writes what the user wants besides the answer, and may be empty.
struct StudyVerb {
  std::function<Result<std::unique_ptr<Study>>(const Policy&)> make;
  std::function<std::vector<Picture>(const Answer&)> draw;
  std::function<Result<void>(const Answer&)> keep;
  /// Whatever can be wrong with what is made of the answer, before anything is charged; may be empty.
  std::function<Result<void>()> check = {};
  /// What is shown of the answer, made only from it, so that it costs nothing; may be empty.
  std::function<Result<Answer>(Answer)> present = {};
  /// A picture of letters for the terminal; may be empty.
  std::function<std::string(const Answer&)> sketch = {};
};

/// The same for one that is computed from the answer to one ordinary question.
struct DerivedVerb {
  std::function<Result<std::unique_ptr<Derived>>(const Policy&)> make;
  std::function<std::vector<Picture>(const Answer&)> draw;
};

/// Options that every analysis has, and what happens when it is chosen.
void AddAnalysis(Command& command, std::shared_ptr<std::string> policy, AnalysisVerb verb, Context& context);
void AddStudy(Command& command, std::shared_ptr<std::string> policy, StudyVerb verb, Context& context);
void AddDerived(Command& command, std::shared_ptr<std::string> policy, DerivedVerb verb, Context& context);

/// One function for each analysis; `policy` is where the verb leaves the policy's path.
void AddKmeans(Command& analyse, const std::shared_ptr<std::string>& policy, Context& context);
void AddDegrees(Command& analyse, const std::shared_ptr<std::string>& policy, Context& context);
void AddLearn(Command& analyse, const std::shared_ptr<std::string>& policy, Context& context);
void AddPoints(Command& analyse, const std::shared_ptr<std::string>& policy, Context& context);
void AddHistogram(Command& analyse, const std::shared_ptr<std::string>& policy, Context& context);
void AddRecords(Command& analyse, const std::shared_ptr<std::string>& policy, Context& context);
void AddIdentity(Command& analyse, const std::shared_ptr<std::string>& policy, Context& context);
void AddCumulative(Command& analyse, const std::shared_ptr<std::string>& policy, Context& context);
void AddPercentiles(Command& analyse, const std::shared_ptr<std::string>& policy, Context& context);
void AddContingency(Command& analyse, const std::shared_ptr<std::string>& policy, Context& context);
void AddRegression(Command& analyse, const std::shared_ptr<std::string>& policy, Context& context);
void AddSurvival(Command& analyse, const std::shared_ptr<std::string>& policy, Context& context);
void AddCells(Command& analyse, const std::shared_ptr<std::string>& policy, Context& context);
void AddCutoff(Command& analyse, const std::shared_ptr<std::string>& policy, Context& context);
void AddTop(Command& analyse, const std::shared_ptr<std::string>& policy, Context& context);
void AddSynthetic(Command& analyse, const std::shared_ptr<std::string>& policy, Context& context);
void AddStream(Command& analyse, const std::shared_ptr<std::string>& policy, Context& context);

}  // namespace kith::cli
