// Lists as text. (fmt::join compiles the formatter of its elements into every file: a tenth of a second each.)
#pragma once
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/join_strings.h"

namespace kith {

/// "a, b, c", with `between` between the parts.
std::string JoinStrings(const std::vector<std::string>& parts, std::string_view between);
std::string JoinStrings(const std::set<std::string>& parts, std::string_view between);

}  // namespace kith
