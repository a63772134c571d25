// What the command line adds to the table of analyses (release/analyses.h): pictures, files, and options for what is
// made of an answer here.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/commands.h"
#include "release/analyses.h"

namespace kith::cli {

struct Picture {
  std::string file;  // without a folder
  std::string svg;
};

/// What is made of an answer, only from it, so that it costs nothing. All parts may be empty.
struct Shown {
  /// Whatever can be wrong with it, before anything is charged.
  std::function<Result<void>()> check;
  std::function<Result<Answer>(Answer)> present;
  /// For the terminal, in letters.
  std::function<std::string(const Answer&)> sketch;
  /// Writes what the user wants besides the answer.
  std::function<Result<void>(const Answer&)> keep;
  /// `policy`: null where a server was asked.
  std::function<std::vector<Picture>(const Answer&, const Policy* policy)> draw;
};

/// Each adds its own options to the verb. `form` outlives what is returned.
Shown ShowCumulative(Command& command, const AnalysisForm& form);
Shown ShowLearnt(Command& command, const AnalysisForm& form);
Shown ShowPoints(Command& command, const AnalysisForm& form);
Shown ShowSynthetic(Command& command, const AnalysisForm& form);

std::vector<Picture> DrawContingency(const Answer& answer);
std::vector<Picture> DrawDegrees(const Answer& answer);
std::vector<Picture> DrawKmeans(const Answer& answer);
std::vector<Picture> DrawPercentiles(const Answer& answer);
std::vector<Picture> DrawSurvival(const Answer& answer);

/// Those that give rows or steps instead of an answer, each with a command line of its own; `policy` is where the verb
/// leaves the policy's path.
void AddRecords(Command& analyse, const std::shared_ptr<std::string>& policy, Context& context);
void AddStream(Command& analyse, const std::shared_ptr<std::string>& policy, Context& context);

}  // namespace kith::cli
