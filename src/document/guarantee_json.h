// Internal to document: the fields of a guarantee. Reading throws JsonError.
#pragma once

#include "base/json.h"
#include "release/guarantee.h"

namespace kith::document {

void PutGuarantee(const Guarantee& guarantee, Json& into);
Guarantee GuaranteeOf(const Json& in);

}  // namespace kith::document
