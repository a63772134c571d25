// A result may not be dropped: an ignored refusal would look like success.
#include "loss/loss.h"

void Use() {
#ifdef MISUSE
  kith::PlainUnits::Floor(0.1);
#else
  (void)kith::PlainUnits::Floor(0.1);
#endif
}
