// What to_json.h wrote, read back. Fails: kInvalidArgument if a field is missing or is of another kind; fields that a
// later version may add are ignored.
#pragma once

#include "base/json.h"
#include "document/to_json.h"

namespace kith::document {

/// Nothing if this is not an error. A code of a later version is read as kInternal.
std::optional<Error> ErrorFrom(const Json& in);
Result<Guarantee> GuaranteeFrom(const Json& in);
Result<Certificate> CertificateFrom(const Json& in);
Result<Answer> AnswerFrom(const Json& in);
/// Of the plan: its text, notes, and for each statistic name and reason; of its groups the number, without names.
Result<Explanation> ExplanationFrom(const Json& in);
/// Of a charge's cells: how many.
Result<BudgetReport> BudgetFrom(const Json& in);
Result<StreamHead> StreamHeadFrom(const Json& in);
Result<Answer> StepFrom(const Json& in);
/// Of strata: without their classes; of a metric unit's distance: columns, metric and delta.
Result<PolicyAudit> PolicyAuditFrom(const Json& in);

}  // namespace kith::document
