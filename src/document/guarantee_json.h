// Internal to document: the fields of a guarantee. Reading throws nlohmann's exceptions.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "release/guarantee.h"

namespace kith::document {

void PutGuarantee(const Guarantee& guarantee, nlohmann::json& into);
Guarantee GuaranteeOf(const nlohmann::json& in);

}  // namespace kith::document
