// The system's random bits cannot be copied: two copies would hand out the same bytes.
#include "random/bits.h"

void Use() {
#ifdef MISUSE
  kith::SystemBits bits = kith::SystemBits::ForThisThread();
#else
  kith::SystemBits& bits = kith::SystemBits::ForThisThread();
#endif
  (void)bits.Bits(1);
}
