// Groups that would be single units. Internal to kith.
#pragma once
#include <string>

#include "base/result.h"

namespace kith {

/// The refusal of GROUP BY the unit's key.
Error ShowsEveryUnit(const std::string& key);
/// Whether an error is this refusal.
bool IsOfEveryUnit(const Error& error);

}  // namespace kith
