// A guarantee as JSON: by itself, and as the labels of a certificate. Reading throws JsonError.
#pragma once
#include "base/json.h"
#include "release/guarantee.h"

namespace kith {

Json GuaranteeToJson(const Guarantee& guarantee);
Guarantee GuaranteeFromJson(const Json& in);

/// All but the losses and what bounds them, which a certificate has in another place.
void PutLabels(const Guarantee& guarantee, Json& into);
void ReadLabels(const Json& in, Guarantee& guarantee);

Json AuditToJson(const Audit& audit);

}  // namespace kith
