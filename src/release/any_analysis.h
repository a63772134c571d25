// One of the kinds of things that `analyse` can mean, and how a curator explains and releases it.
#pragma once
#include <memory>
#include <variant>

#include "analysis/analysis.h"
#include "analysis/derived/derived.h"
#include "release/release.h"

namespace kith {

/// A one-sided histogram has no object of its own.
using AnyAnalysis = std::variant<std::shared_ptr<const Analysis>, std::shared_ptr<const Study>,
                                 std::shared_ptr<const Derived>, HistogramRequest>;

/// Also what must be known before anything is charged. Fails: as Curator::Explain.
Result<Explanation> ExplainAny(const Curator& curator, const AnyAnalysis& analysis, double epsilon,
                               const Caller& caller, const Call& call);
/// Fails: as Curator::Release.
Result<Answer> ReleaseAny(const Curator& curator, const AnyAnalysis& analysis, double epsilon, const Caller& caller,
                          const Call& call);

}  // namespace kith
