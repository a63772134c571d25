// A bare number is not a charge: it must pass the check for NaN, sign and size.
#include "loss/loss.h"

kith::Result<kith::PlainUnits> Use(double epsilon) {
#ifdef MISUSE
  return kith::PlainUnits(epsilon);
#else
  return kith::PlainUnits::Floor(epsilon);
#endif
}
