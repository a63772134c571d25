// The answer and its certificate as JSON: the form that the ledger keeps, and that documents are made of. Reading
// throws nlohmann's exceptions.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "release/release.h"

namespace kith {

nlohmann::json AnswerValue(const Answer& answer);
Answer AnswerOf(const nlohmann::json& in);

/// The fields of a certificate, beside others.
void PutCertificate(const Certificate& certificate, nlohmann::json& into);
Certificate CertificateFrom(const nlohmann::json& in);

nlohmann::json NoiseToJson(const NoiseLine& line);
NoiseLine NoiseFromJson(const nlohmann::json& in);
nlohmann::json StrataToJson(const std::vector<Guarantee::Stratum>& strata);
/// Of the member "strata"; none without it.
std::vector<Guarantee::Stratum> StrataFromJson(const nlohmann::json& in);

/// What holds under caps, as the member "with_delta"; nothing without caps.
void PutDelta(const Guarantee& guarantee, nlohmann::json& into);
void ReadDelta(const nlohmann::json& in, Guarantee& guarantee);

nlohmann::json AuditToJson(const Audit& audit);
Audit AuditFromJson(const nlohmann::json& in);

nlohmann::json HouseholdToJson(const Guarantee::Household& household);
Guarantee::Household HouseholdFromJson(const nlohmann::json& in);
/// "person" or "household".
std::string UnitName(UnitLevel level);
UnitLevel UnitFromJson(const nlohmann::json& in);

/// Values and error bars side by side, as two lists of rows; a cell without a bar has null there.
void PutRows(const std::vector<std::vector<AnswerCell>>& rows, nlohmann::json& values, nlohmann::json& errors);
std::vector<std::vector<AnswerCell>> RowsFromJson(const nlohmann::json& values, const nlohmann::json& errors);

}  // namespace kith
