// What messages about a policy say besides what is wrong. Nothing is decided by it.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "policy/document.h"

namespace kith {

/// Text of a policy as it may appear in a message: 'short', control characters removed.
std::string Quote(std::string_view text);

/// "did you mean 'x'? choose from: x, y, z" (at most 12 are listed).
std::string Suggest(std::string_view word, const std::vector<std::string>& candidates);

/// "a list", "a whole number", ...
std::string KindName(NodeKind kind);

/// For a type of a column that is none of those that are known; other programs' names are recognised.
std::string TypeHint(std::string_view word, const std::vector<std::string>& known);

/// How a bound that was put in quotes is written.
std::string WithoutQuotes(const Member& bound);

}  // namespace kith
