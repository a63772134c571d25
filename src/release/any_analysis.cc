#include "release/any_analysis.h"

#include "release/derive.h"

namespace kith {
namespace {

Price PriceOf(double epsilon) { return {epsilon, std::nullopt, {}}; }

HistogramRequest At(double epsilon, HistogramRequest histogram) {
  histogram.epsilon = epsilon;
  return histogram;
}

}  // namespace

Result<Explanation> ExplainAny(const Curator& curator, const AnyAnalysis& analysis, double epsilon,
                               const Caller& caller, const Call& call) {
  if (const auto* derived = std::get_if<std::shared_ptr<const Derived>>(&analysis)) {
    auto explained = curator.Explain(QuestionFor(**derived), PriceOf(epsilon), call, caller);
    if (!explained) return explained;
    if (const auto knows = KnowsNoise(**derived, *explained); !knows) return knows.error();
    return ExplainDerived(**derived, std::move(*explained));
  }
  if (const auto* study = std::get_if<std::shared_ptr<const Study>>(&analysis))
    return curator.Explain(StudyRequest{*study}, PriceOf(epsilon), call, caller);
  if (const auto* histogram = std::get_if<HistogramRequest>(&analysis))
    return curator.Explain(At(epsilon, *histogram), {}, call, caller);
  return curator.Explain(AnalysisRequest{std::get<std::shared_ptr<const Analysis>>(analysis)}, PriceOf(epsilon), call,
                         caller);
}

Result<Answer> ReleaseAny(const Curator& curator, const AnyAnalysis& analysis, double epsilon, const Caller& caller,
                          const Call& call) {
  if (const auto* derived = std::get_if<std::shared_ptr<const Derived>>(&analysis)) {
    // What cannot be computed afterwards is refused here, before anything is charged.
    if (const auto explained = ExplainAny(curator, analysis, epsilon, caller, call); !explained)
      return explained.error();
    auto answer = curator.Release(QuestionFor(**derived), PriceOf(epsilon), caller, call);
    if (!answer) return answer;
    return Derive(**derived, std::move(*answer));
  }
  if (const auto* study = std::get_if<std::shared_ptr<const Study>>(&analysis))
    return curator.Release(StudyRequest{*study}, PriceOf(epsilon), caller, call);
  if (const auto* histogram = std::get_if<HistogramRequest>(&analysis))
    return curator.Release(At(epsilon, *histogram), {}, caller, call);
  return curator.Release(AnalysisRequest{std::get<std::shared_ptr<const Analysis>>(analysis)}, PriceOf(epsilon), caller,
                         call);
}

}  // namespace kith
