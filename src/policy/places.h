// Where a policy says that things are: a server, files of dependence, tables of edges. Whoever reads a policy opens
// them, so a text from elsewhere must not name any others than the policy in use.
#pragma once
#include <string>

#include "base/result.h"

namespace kith {

/// Opens nothing. What may differ of places is where tables are, unless the dependence is read from one of them.
/// Fails: kInvalidArgument if a text cannot be read, or `after` names another place than `before`. `file` is what
/// messages call the text `after`.
Result<void> NamesNoOtherPlace(const std::string& before, const std::string& after, const std::string& file);

}  // namespace kith
