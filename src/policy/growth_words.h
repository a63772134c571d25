// How a change of a policy is told. Whether it is accepted is decided elsewhere (growth.cc), and never by these words.
#pragma once
#include <string>

#include "base/json.h"

namespace kith {

/// "column people.age: upper was 100 and is now 120"
std::string FromTo(const std::string& of, const Json& before, const Json& after);

/// Of lists of declared values: those that are new and gone, or that their order is all that differs.
std::string ValuesFromTo(const Json& before, const Json& after);

}  // namespace kith
