// Analyses by name, with options as JSON, after the table of release/analyses.h.
#pragma once
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "release/analyses.h"

namespace kith::server {

/// `options`: an object. Fails: kInvalidArgument for a name or an option that is not known; as the analysis itself.
Result<AnyAnalysis> AnalysisFrom(const std::string& name, const Json& options, const Policy& policy);

/// The body of a request for an analysis, whichever it is: a schema of OpenAPI.
Json AnalysisSchema();

}  // namespace kith::server
