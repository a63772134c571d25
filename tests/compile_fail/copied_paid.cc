// What was paid cannot be spent twice.
#include <utility>

#include "kernel/paid.h"

kith::Paid Use(kith::Paid& paid) {
#ifdef MISUSE
  return paid;
#else
  return std::move(paid);
#endif
}
