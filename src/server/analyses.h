// Analyses by name, with options as JSON: the same names and options as on the command line.
#pragma once
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/derived/derived.h"
#include "base/json.h"
#include "base/result.h"
#include "policy/policy.h"
#include "release/request.h"

namespace kith::server {

/// A one-sided histogram has no separate object; its price is set by the caller, who knows it.
using AnyAnalysis = std::variant<std::shared_ptr<const Analysis>, std::shared_ptr<const Study>,
                                 std::shared_ptr<const Derived>, HistogramRequest>;

/// `options`: an object. Fails: kInvalidArgument for a name or an option that is not known; as the analysis itself.
Result<AnyAnalysis> AnalysisFrom(const std::string& name, const Json& options, const Policy& policy);

std::vector<std::string> AnalysisNames();

}  // namespace kith::server
