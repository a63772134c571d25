// Where a policy says that things are: a server, files of dependence, tables of edges. A program that reads a policy
// opens them, so text from elsewhere must not name any but those of the policy in use.
#pragma once
#include <string>

#include "base/result.h"

namespace kith {

/// Opens nothing. The only places that may differ are those of tables, unless the dependence is read from one of them.
/// Fails: kInvalidArgument if a text cannot be read, or `after` names a place other than `before` does. `file` is what
/// messages call the text `after`.
Result<void> NamesNoOtherPlace(const std::string& before, const std::string& after, const std::string& file);

}  // namespace kith
