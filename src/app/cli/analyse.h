// What all analyses of `kith analyse` share.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analysis/analysis.h"
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

/// Options that every analysis has, and what happens when it is chosen.
void AddAnalysis(CLI::App& command, std::shared_ptr<std::string> policy, AnalysisVerb verb, Context& context);

/// One function for each analysis; `policy` is where the verb leaves the policy's path.
void AddKmeans(CLI::App& analyse, const std::shared_ptr<std::string>& policy, Context& context);
void AddDegrees(CLI::App& analyse, const std::shared_ptr<std::string>& policy, Context& context);
void AddIdentity(CLI::App& analyse, const std::shared_ptr<std::string>& policy, Context& context);

}  // namespace kith::cli
