#include "server/requests.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "release/derive.h"
#include "release/workload_release.h"
#include "server/body.h"
#include "server/model_in.h"
#include "transfer/delta.h"
#include "workload/entry.h"

namespace kith::server {
namespace {

Result<UnitLevel> UnitNamed(const std::string& name) {
  if (name == "person") return UnitLevel::kPerson;
  if (name == "household") return UnitLevel::kHousehold;
  return InvalidArgument("an answer hides a person's record, or a household's", "unit", "choose person or household");
}

// What an approval is about: two bodies that mean the same have one text (1 and 1.0, a unit that is left out).
std::string TextOf(const Wanted& wanted, nlohmann::json asked) {
  if (wanted.request.unit == UnitLevel::kHousehold) asked["unit"] = "household";
  if (wanted.price.epsilon) asked["epsilon"] = *wanted.price.epsilon;
  if (wanted.price.error_95) asked["error"] = *wanted.price.error_95;
  if (!wanted.price.split.empty()) asked["split"] = wanted.price.split;
  return JsonText(asked);
}

Price PriceOf(double epsilon) { return {epsilon, std::nullopt, {}}; }

}  // namespace

Result<Wanted> QuestionIn(const std::string& text) {
  const auto body = ObjectIn(text);
  if (!body) return body.error();
  Wanted wanted;
  std::string unit = "person";
  const auto read = Fields(*body)
                        .Must("question", wanted.request.sql)
                        .May("epsilon", wanted.price.epsilon)
                        .May("error", wanted.price.error_95)
                        .May("split", wanted.price.split)
                        .May("unit", unit)
                        .May("approval", wanted.approval)
                        .Finish();
  if (!read) return read.error();
  const auto level = UnitNamed(unit);
  if (!level) return level.error();
  wanted.request.unit = *level;
  wanted.text = TextOf(wanted, {{"question", wanted.request.sql}});
  if (wanted.price.epsilon && wanted.price.error_95)
    return InvalidArgument("a price and an error bar cannot both be chosen", {}, "leave one of them out").For("price");
  if (workload::IsWorkload(wanted.request.sql))
    return InvalidArgument("the text is a plan of many questions", {}, "ask it as a plan");
  return wanted;
}

Result<Wanted> PlanIn(const std::string& text) {
  const auto body = ObjectIn(text);
  if (!body) return body.error();
  Wanted wanted;
  std::string unit = "person", questions;
  const auto read = Fields(*body)
                        .Must("questions", questions)
                        .May("approval", wanted.approval)
                        .May("epsilon", wanted.price.epsilon)
                        .May("unit", unit)
                        .Finish();
  if (!read) return read.error();
  const auto level = UnitNamed(unit);
  if (!level) return level.error();
  wanted.request = {workload::kPlanLine + questions, *level};
  wanted.text = TextOf(wanted, {{"questions", questions}});
  return wanted;
}

Result<WantedAnalysis> AnalysisIn(const std::string& text, const Policy& policy) {
  const auto body = ObjectIn(text);
  if (!body) return body.error();
  WantedAnalysis wanted;
  nlohmann::json options = nlohmann::json::object();
  const auto read =
      Fields(*body).Must("analysis", wanted.name).Must("epsilon", wanted.epsilon).May("options", options).Finish();
  if (!read) return read.error();
  auto made = AnalysisFrom(wanted.name, options, policy);
  if (!made) return made.error();
  wanted.analysis = std::move(*made);
  return wanted;
}

Result<Explanation> ExplainAny(const Curator& curator, const WantedAnalysis& wanted, const Caller& caller,
                               const Call& call) {
  if (const auto* derived = std::get_if<std::shared_ptr<const Derived>>(&wanted.analysis)) {
    auto explained =
        curator.Explain(QuestionRequest{(*derived)->question().sql}, PriceOf(wanted.epsilon), call, caller);
    if (!explained) return explained;
    if (const auto knows = KnowsNoise(**derived, *explained); !knows) return knows.error();
    return ExplainDerived(**derived, std::move(*explained));
  }
  if (const auto* study = std::get_if<std::shared_ptr<const Study>>(&wanted.analysis))
    return curator.Explain(StudyRequest{*study}, PriceOf(wanted.epsilon), call, caller);
  return curator.Explain(AnalysisRequest{std::get<std::shared_ptr<const Analysis>>(wanted.analysis)},
                         PriceOf(wanted.epsilon), call, caller);
}

Result<Answer> ReleaseAny(const Curator& curator, const WantedAnalysis& wanted, const Caller& caller,
                          const Call& call) {
  if (const auto* derived = std::get_if<std::shared_ptr<const Derived>>(&wanted.analysis)) {
    if (const auto explained = ExplainAny(curator, wanted, caller, call); !explained) return explained.error();
    auto answer = curator.Release(QuestionRequest{(*derived)->question().sql}, PriceOf(wanted.epsilon), caller, call);
    if (!answer) return answer;
    return Derive(**derived, std::move(*answer));
  }
  if (const auto* study = std::get_if<std::shared_ptr<const Study>>(&wanted.analysis))
    return curator.Release(StudyRequest{*study}, PriceOf(wanted.epsilon), caller, call);
  return curator.Release(AnalysisRequest{std::get<std::shared_ptr<const Analysis>>(wanted.analysis)},
                         PriceOf(wanted.epsilon), caller, call);
}

Result<std::string> ExplainedPlan(const Curator& curator, const Wanted& wanted, const Call& call) {
  const auto explained = ExplainWorkload(curator, wanted.request, wanted.price, call);
  if (!explained) return explained.error();
  nlohmann::json out = document::ToJson(explained->explanation);
  out["details"] = {{"plan", *explained->plan}};
  return JsonText(out) + "\n";
}

Result<document::TransferredLoss> Transferred(const Transfer& given, std::optional<double> plain,
                                              std::optional<double> dependent, std::optional<double> delta) {
  if (plain.has_value() == dependent.has_value())
    return InvalidArgument("one of 'plain' and 'dependent' must be given", {}, "send \"plain\": 0.25");
  Transfer transfer = given;
  document::TransferredLoss found;
  found.plain = plain.value_or(0);
  if (dependent) {
    auto chosen = given.ForBudget(*dependent);
    if (!chosen) return chosen.error();
    transfer = std::move(*chosen);
    const auto budget = transfer.PlainBudget(*dependent);
    if (!budget) return budget.error();
    found.plain = *budget;
  }
  auto loss = transfer.Loss(found.plain);
  if (!loss) return loss.error();
  found.result = std::move(*loss);
  if (delta) {
    const auto becomes = DependentDelta(transfer, found.plain, *delta);
    if (!becomes) return becomes.error();
    found.delta = *becomes;
  }
  return found;
}

Result<document::TransferredLoss> TransferredIn(const std::string& text) {
  const auto body = ObjectIn(text);
  if (!body) return body.error();
  nlohmann::json described;
  std::optional<double> plain, dependent, delta;
  const auto read = Fields(*body)
                        .Must("model", described)
                        .May("plain", plain)
                        .May("dependent", dependent)
                        .May("delta", delta)
                        .Finish();
  if (!read) return read.error();
  auto model = ModelIn(described);
  if (!model) return model.error();
  auto transfer = kith::Transfer::Make(std::move(*model));
  if (!transfer) return transfer.error();
  return Transferred(*transfer, plain, dependent, delta);
}

Result<document::Comparison> ComparisonIn(const std::string& text) {
  const auto body = ObjectIn(text);
  if (!body) return body.error();
  nlohmann::json described;
  document::Comparison comparison;
  std::size_t counts = 1;
  const auto read =
      Fields(*body).Must("model", described).Must("dependent", comparison.epsilon).May("counts", counts).Finish();
  if (!read) return read.error();
  constexpr std::size_t kMostCounts = 1'000'000;
  comparison.counts = static_cast<std::int64_t>(std::min(counts, kMostCounts + 1));
  const auto model = ModelIn(described);
  if (!model) return model.error();
  auto methods = published::CompareForCounts(*model, comparison.epsilon, comparison.counts);
  if (!methods) return methods.error();
  comparison.methods = std::move(*methods);
  return comparison;
}

}  // namespace kith::server
