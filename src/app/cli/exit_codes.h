// One table from error codes to exit codes.
#pragma once
#include "base/result.h"

namespace kith::cli {

/// `kith probe --claimed`: everything worked, and the claim is wrong.
inline constexpr int kClaimRefuted = 1;

/// 0 done, 1 a claim is refuted (kClaimRefuted), 2 bad usage or policy, 3 refused (budget), 4 refused (query), 5
/// storage, 6 internal, 130 interrupted.
constexpr int ExitCode(Code code) {
  switch (code) {
    case Code::kInvalidArgument:
      return 2;
    case Code::kBudgetExhausted:
      return 3;
    case Code::kUnsupportedQuery:
      return 4;
    case Code::kStorage:
      return 5;
    case Code::kCancelled:
      return 130;
    case Code::kInternal:
      return 6;
  }
  return 6;
}

}  // namespace kith::cli
