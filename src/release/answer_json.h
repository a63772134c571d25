// The answer and its certificate as JSON: the form that the ledger keeps, and that documents are made of. Reading
// throws JsonError.
#pragma once
#include <vector>

#include "base/json.h"
#include "release/release.h"

namespace kith {

Json AnswerValue(const Answer& answer);
Answer AnswerOf(const Json& in);

/// The fields of a certificate, next to others.
void PutCertificate(const Certificate& certificate, Json& into);
Certificate CertificateFrom(const Json& in);

Json NoiseToJson(const NoiseLine& line);
NoiseLine NoiseFromJson(const Json& in);
/// "person" or "household".
std::string UnitName(UnitLevel level);
UnitLevel UnitFromJson(const Json& in);

/// Values and error bars side by side, as two lists of rows; a cell without a bar has null there.
void PutRows(const std::vector<std::vector<AnswerCell>>& rows, Json& values, Json& errors);
std::vector<std::vector<AnswerCell>> RowsFromJson(const Json& values, const Json& errors);

}  // namespace kith
