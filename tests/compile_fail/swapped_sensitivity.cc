// Sensitivity and share cannot be swapped.
#include "mechanism/discrete_laplace.h"

void Use(kith::Sensitivity sensitivity, kith::PlainUnits share) {
#ifdef MISUSE
  (void)kith::DiscreteLaplace::Make(share, sensitivity);
#else
  (void)kith::DiscreteLaplace::Make(sensitivity, share);
#endif
}
