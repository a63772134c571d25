// KITH_CHECK: a condition that only a bug in kith can break. On in every build, because some guard privacy.
#pragma once

namespace kith {
[[noreturn]] void CheckFailed(const char* condition, const char* file, int line);
}  // namespace kith

#define KITH_CHECK(condition) \
  (static_cast<bool>(condition) ? void(0) : ::kith::CheckFailed(#condition, __FILE__, __LINE__))
