// The table of analyses, with their options: said here once. The command line takes flags and help from it, the server
// what it reads from bodies of requests and docs/openapi.json; from that file the console has its forms, and
// tools/analyses.py writes the Python signatures and the reference page. docs/howto/add_an_analysis.md
#pragma once
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "base/option_spec.h"
#include "policy/policy.h"
#include "release/any_analysis.h"

namespace kith {

/// One analysis that somebody chooses options for.
struct AnalysisForm {
  std::vector<OptionSpec> options;
  /// From what is in the places of the options. Fails: as the analysis itself.
  std::function<Result<AnyAnalysis>(const Policy&)> make;

  /// Requires: there is an option of this name.
  const OptionSpec& Option(std::string_view name) const;
};

struct AnalysisEntry {
  const char* name;      // kmeans
  const char* title;     // as a heading
  const char* about;     // in one line
  const char* needs;     // of the policy; empty: nothing in particular
  const char* examples;  // at the end of the help of the command line
  AnalysisForm (*form)();
  const char* price = "Price: this part of the policy's epsilon";
};

/// In the order in which help lists them.
std::span<const AnalysisEntry> Analyses();
/// Null: there is no such analysis.
const AnalysisEntry* FindAnalysis(std::string_view name);

}  // namespace kith
