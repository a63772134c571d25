#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace kith {

void CheckFailed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "kith: internal check failed: %s (%s:%d)\n", condition, file, line);
  std::abort();
}

}  // namespace kith
