// What a caller may rely on when a charge fails.
#pragma once
#include <string_view>

#include "base/result.h"

namespace kith::ledger {

/// How the advice of a failed charge begins if the ledger is certainly unchanged.
inline constexpr std::string_view kNothingCharged = "nothing was charged";

inline bool CertainlyUnchanged(const Error& error) { return error.next.starts_with(kNothingCharged); }

}  // namespace kith::ledger
