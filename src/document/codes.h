// One table: what an error is called, how the command line ends with it, and what a server answers.
#pragma once
#include <optional>
#include <string_view>

#include "base/result.h"

namespace kith::document {

/// "budget_exhausted": as documents name it.
std::string_view NameOf(Code code);
/// Nothing if no code has this name.
std::optional<Code> CodeNamed(std::string_view name);

/// "no", "yes" or "maybe": whether what failed was charged.
std::string_view NameOf(Charged charged);
/// What was written by a version that did not say it may have been charged.
Charged ChargedNamed(std::string_view name);

/// 2 bad usage or policy, 3 refused (budget), 4 refused (question), 5 storage, 6 internal, 130 interrupted. 0 is for
/// what worked; 1 is for a claim that was tested and refuted.
int ExitCodeOf(Code code);

/// As in RFC 9110.
int HttpStatusOf(Code code);

/// Five characters, as in PostgreSQL's appendix A.
std::string_view SqlStateOf(Code code);

}  // namespace kith::document
