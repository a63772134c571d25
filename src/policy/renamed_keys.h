// Keys of a policy that have another name than in version 0.1. The next version takes the old names away.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "policy/document.h"

namespace kith {

/// What a key is called now; the key as it is, if it was not renamed. `section`: as "[server]".
std::string_view PresentName(std::string_view section, std::string_view key);

/// For each old name in a policy, a sentence that says which to write instead.
std::vector<std::string> OldNamesIn(const Document& document);

}  // namespace kith
