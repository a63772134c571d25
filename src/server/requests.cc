#include "server/requests.h"

#include <algorithm>

#include "base/json.h"
#include "base/meter.h"
#include "server/body.h"
#include "server/model_in.h"
#include "transfer/delta.h"
#include "workload/entry.h"

namespace kith::server {
Result<WantedQuestion> QuestionIn(const std::string& text) {
  WantedQuestion wanted;
  std::string unit = "person", question;
  const auto read = Fields(ObjectIn(text))
                        .Must("question", question)
                        .May("epsilon", wanted.price.epsilon)
                        .May("error", wanted.price.error_95)
                        .May("split", wanted.price.split)
                        .May("intervals", wanted.price.intervals)
                        .May("unit", unit)
                        .May("approval", wanted.approval)
                        .Finish();
  if (!read) return read.error();
  const auto level = UnitNamed(unit);
  if (!level) return level.error();
  wanted.unit = *level;
  wanted.request = QuestionRequest{question, *level};
  wanted.text = QuestionText(wanted);
  if (wanted.price.epsilon && wanted.price.error_95)
    return InvalidArgument("a price and an error bar cannot both be chosen", {}, "leave one of them out").For("price");
  if (workload::IsWorkload(question))
    return InvalidArgument("the text is a plan of many questions", {}, "ask it as a plan");
  return wanted;
}

Result<WantedQuestion> PlanIn(const std::string& text) {
  WantedQuestion wanted;
  std::string unit = "person", questions;
  const auto read = Fields(ObjectIn(text))
                        .Must("questions", questions)
                        .May("approval", wanted.approval)
                        .May("epsilon", wanted.price.epsilon)
                        .May("intervals", wanted.price.intervals)
                        .May("unit", unit)
                        .Finish();
  if (!read) return read.error();
  const auto level = UnitNamed(unit);
  if (!level) return level.error();
  wanted.unit = *level;
  wanted.request = WorkloadRequest{questions, *level};
  wanted.text = TextOf(wanted, {{"questions", questions}});
  return wanted;
}

Result<WantedAnalysis> AnalysisIn(const std::string& text, const Policy& policy) {
  WantedAnalysis wanted;
  Json options = Json::object();
  const auto read = Fields(ObjectIn(text))
                        .Must("analysis", wanted.name)
                        .Must("epsilon", wanted.epsilon)
                        .May("options", options)
                        .May("approval", wanted.approval)
                        .Finish();
  if (!read) return read.error();
  wanted.text = JsonText({{"analysis", wanted.name}, {"epsilon", wanted.epsilon}, {"options", options}});
  auto made = AnalysisFrom(wanted.name, options, policy);
  if (!made) return made.error();
  wanted.analysis = std::move(*made);
  return wanted;
}

Result<document::TransferredLoss> Transferred(const Transfer& given, std::optional<double> plain,
                                              std::optional<double> dependent, std::optional<double> delta) {
  if (plain.has_value() == dependent.has_value())
    return InvalidArgument("one of 'plain' and 'dependent' must be given", {}, "send \"plain\": 0.25");
  Transfer transfer = delta ? given.UnderDelta() : given;
  document::TransferredLoss found;
  found.plain = plain.value_or(0);
  if (dependent) {
    auto chosen = transfer.ForBudget(*dependent);
    if (!chosen) return chosen.error();
    transfer = std::move(*chosen);
    const auto budget = transfer.PlainBudget(*dependent);
    if (!budget) return budget.error();
    found.plain = *budget;
  }
  auto loss = transfer.Loss(found.plain);
  if (!loss) return loss.error();
  found.result = std::move(*loss);
  found.reached = transfer.Reached(found.plain);
  if (delta) {
    const auto becomes = DependentDelta(transfer, found.plain, *delta);
    if (!becomes) return becomes.error();
    found.delta = *becomes;
  }
  return found;
}

Result<document::TransferredLoss> TransferredIn(const std::string& text, const CancelFlag& cancel) {
  Json described;
  std::optional<double> plain, dependent, delta;
  const auto read = Fields(ObjectIn(text))
                        .Must("model", described)
                        .May("plain", plain)
                        .May("dependent", dependent)
                        .May("delta", delta)
                        .Finish();
  if (!read) return read.error();
  auto model = ModelIn(described);
  if (!model) return model.error();
  return Metered(Meter::kNoLimit, cancel, [&]() -> Result<document::TransferredLoss> {
    auto transfer = kith::Transfer::Make(std::move(*model));
    if (!transfer) return transfer.error();
    return Transferred(*transfer, plain, dependent, delta);
  });
}

Result<document::Comparison> ComparisonIn(const std::string& text, const CancelFlag& cancel) {
  Json described;
  document::Comparison comparison;
  std::size_t counts = 1;
  const auto read = Fields(ObjectIn(text))
                        .Must("model", described)
                        .Must("dependent", comparison.epsilon)
                        .May("counts", counts)
                        .Finish();
  if (!read) return read.error();
  constexpr std::size_t kMostCounts = 1'000'000;
  comparison.counts = static_cast<std::int64_t>(std::min(counts, kMostCounts + 1));
  const auto model = ModelIn(described);
  if (!model) return model.error();
  auto methods =
      Metered(Meter::kNoLimit, cancel, [&] { return NoiseOfCounts(*model, comparison.epsilon, comparison.counts); });
  if (!methods) return methods.error();
  comparison.methods = std::move(*methods);
  return comparison;
}

}  // namespace kith::server
