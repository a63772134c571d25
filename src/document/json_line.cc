#include "document/json_line.h"

#include "base/json.h"
#include "document/cause.h"
#include "document/check.h"
#include "document/columns.h"
#include "document/estimates.h"
#include "document/gaussian.h"
#include "document/people.h"
#include "document/policy_diff.h"

namespace kith::document {

template <class Document>
std::string JsonLine(const Document& document) {
  return JsonText(ToJson(document)) + "\n";
}

template std::string JsonLine(const Error&);
template std::string JsonLine(const Answer&);
template std::string JsonLine(const Explanation&);
template std::string JsonLine(const StreamHead&);
template std::string JsonLine(const TransferredLoss&);
template std::string JsonLine(const Comparison&);
template std::string JsonLine(const ImportReport&);
template std::string JsonLine(const PolicyAudit&);
template std::string JsonLine(const CheckOutlook&);
template std::string JsonLine(const std::vector<TableFacts>&);
template std::string JsonLine(const EstimateReport&);
template std::string JsonLine(const CauseReport&);
template std::string JsonLine(const PolicyDiff&);
template std::string JsonLine(const std::vector<people::User>&);
template std::string JsonLine(const ShownToken&);
template std::string JsonLine(const std::vector<people::Approval>&);
template std::string JsonLine(const GaussianReport&);

std::string JsonLine(const BudgetReport& report, const std::string& stay) {
  return JsonText(ToJson(report, stay)) + "\n";
}

std::string JsonLine(const ImportReport& report, const Error& error) {
  Json out = ToJson(report);
  out.update(ToJson(error));
  return JsonText(out) + "\n";
}

std::string StepJsonLine(const Answer& step) { return JsonText(StepToJson(step)) + "\n"; }

std::optional<std::int64_t> StepOfJsonLine(const std::string& line) {
  const auto json = Json::parse(line, nullptr, false);
  if (!json.is_object() || !json.contains("step") || !json["step"].is_number_integer()) return std::nullopt;
  return json["step"].get<std::int64_t>();
}

}  // namespace kith::document
