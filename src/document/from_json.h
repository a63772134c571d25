// What to_json.h wrote, read back. Fails: kInvalidArgument if a field is missing or is of another kind; fields
// that a later version may add are not looked at.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "document/to_json.h"

namespace kith::document {

/// Nothing if this is not an error. A code of a later version is read as kInternal.
std::optional<Error> ErrorFrom(const nlohmann::json& in);
Result<Guarantee> GuaranteeFrom(const nlohmann::json& in);
Result<Certificate> CertificateFrom(const nlohmann::json& in);
Result<Answer> AnswerFrom(const nlohmann::json& in);
/// Of the plan: its text, notes, and for each statistic name and reason; of its groups the number, without names.
Result<Explanation> ExplanationFrom(const nlohmann::json& in);
/// Of a charge's cells: how many.
Result<BudgetReport> BudgetFrom(const nlohmann::json& in);
Result<ImportReport> ImportReportFrom(const nlohmann::json& in);
Result<StreamHead> StreamHeadFrom(const nlohmann::json& in);
Result<Answer> StepFrom(const nlohmann::json& in);
/// Of strata: without their classes; of a metric unit's distance: columns, metric and delta.
Result<PolicyAudit> PolicyAuditFrom(const nlohmann::json& in);
/// Of a worst output: without its place among the answers.
Result<ModelAudit> ModelAuditFrom(const nlohmann::json& in);
/// Of a case: its words, how it sets the noise and what it measures; without its law and questions.
Result<std::vector<GalleryLine>> GalleryFrom(const nlohmann::json& in);

}  // namespace kith::document
