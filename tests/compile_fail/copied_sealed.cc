// Sealed numbers cannot be copied, and so not kept beside what opens them.
#include <utility>

#include "kernel/sealed.h"

kith::Sealed Use(kith::Sealed sealed) {
#ifdef MISUSE
  const kith::Sealed again = sealed;
#endif
  return std::move(sealed);
}
