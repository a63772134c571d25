// Names that SQL takes for something else unless they are quoted.
#pragma once
#include <string>

#include "base/result.h"
#include "policy/policy.h"

namespace kith {

/// The error, with the advice to quote a column's name if the question has one unquoted that needs quotes:
/// vanilla.ice.cream, first-name, union.
Error WithNameHint(Error error, const std::string& sql, const Policy& policy);

}  // namespace kith
